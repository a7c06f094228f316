#!/bin/bash
# What the distribution's clients hand over, as tests/clients/matrix.txt has it. 'make clients' takes the newest clients, too. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
exec tests/clients.sh c python php ruby perl
