#!/bin/bash
# Runs clang-tidy on one file with the given compiler flags, and says nothing when it has nothing to say.
#
#   tidy.sh FILE FLAG...
set -uo pipefail
file=$1
shift
if ! report=$(clang-tidy --quiet "$file" -- "$@" 2>&1); then
    printf '%s\n' "$report"
    exit 1
fi
