#!/bin/bash
# Prints a configuration whole: a file of deploy/ that it includes stands in it instead. A server may then write to it: CONFIG REWRITE, which
# Sentinel causes, adds a loadmodule of its own to a file that includes the one with loadmodule, and the server does not start again
# with both.
#
#   configuration.sh FILE          a path below deploy/
set -euo pipefail
cd "$(dirname "$0")/.."
while IFS= read -r line; do
    case $line in
    'include /usr/local/share/holdfast/'*) cat "${line##*/}" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$1"
