#!/bin/bash
# Prints a compilation database, as clangd, clang-tidy and others read it:
#
#   compilation.sh COMMAND SOURCE... [-- COMMAND SOURCE...]...      COMMAND: the compiler and its flags
set -euo pipefail

quoted() {
    local text=${1//\\/\\\\}
    printf '"%s"' "${text//\"/\\\"}"
}

between='['
while [ $# -gt 0 ]; do
    command=$1
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        printf '%s\n{ "directory": %s, "file": %s, "command": %s }' "$between" "$(quoted "$PWD")" "$(quoted "$1")" \
            "$(quoted "$command -c $1")"
        between=','
        shift
    done
    [ $# -eq 0 ] || shift
done
printf '\n]\n'
