#!/bin/bash
# Puts the recipes into the pages that quote them: a block of code whose first line names a file of deploy/recipes becomes that file.
#
#   quote.sh PAGE...
set -euo pipefail
cd "$(dirname "$0")/../.."

for page in "$@"; do
    awk '
        /^```/ { if (file) { close(file); file = "" } inside = !inside; first = inside; print; next }
        file { next }
        first { first = 0
                if (match($0, /^(#|\/\/|\/\*) deploy\/recipes\/[^ ]+/)) {
                    file = $0; sub(/^[^d]*/, "", file); sub(/ .*/, "", file)
                    while ((getline line <file) > 0) print line
                    next } }
        { print }' "$page" >"$page.new"
    cat "$page.new" >"$page"
    rm "$page.new"
done
