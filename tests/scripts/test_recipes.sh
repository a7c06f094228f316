#!/bin/bash
# The recipes, with the clients of the distribution: real programs on real servers. And the pages: a block whose first line names a file of
# deploy/recipes is that file. 'make recipes' takes the newest clients, too. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# Each block of a page that begins with a comment naming a recipe becomes a file FOLDER/PAGE-LINE, with the recipe's name in its first line.
blocks() {
    awk -v folder="$place" '
        /^```/ { inside = !inside; first = inside; if (file) close(file); file = ""; next }
        first { first = 0
                if (match($0, /^(#|\/\/|\/\*) deploy\/recipes\/[^ ]+/)) {
                    file = folder "/" ++count; name = $0
                    sub(/^[^d]*/, "", name); sub(/ .*/, "", name); print name " " FILENAME " " file } }
        file { print >file }' "$@"
}

different=''
quoted=0
while read -r recipe page block; do
    quoted=$((quoted + 1))
    cmp -s "$recipe" "$block" || different+="$page: the block of $recipe is other than the file"$'\n'
done < <(blocks README.md module/*/README.md deploy/*.md deploy/recipes/README.md)
same "$different" '' "the $quoted recipes on the pages are the files"

# A block runs: as a recipe, or as an example that a server plays (tests/server/test_examples.c). Or it says why not: 'not run: …'. What is
# only indented says nothing.
idle=$(awk '
    /^ *```/ { inside = !inside
               if (inside && !/not run: ./ && !/^```redis( fresh)?$/) { pending = FILENAME ":" FNR ": " $0 } else pending = ""; next }
    pending { if (!/^(#|\/\/|\/\*) deploy\/recipes\/[^ ]+/) print pending; pending = "" }
    !inside && before == "" && /^    +[^ ]/ { print FILENAME ":" FNR ": " $0 }
    { before = $0 }' README.md module/*.md module/*/README.md deploy/*.md tests/*.md)
same "$idle" '' 'each block of a page runs, or says why not'

# Each file says where it lies, so that whoever has copied it finds it again.
unlisted=$(for file in deploy/recipes/*/*.*; do
    grep -qF "(${file#deploy/recipes/})" deploy/recipes/README.md || echo "$file"
done | grep -vE '/try[_-]')
same "$unlisted" '' 'the page of recipes lists every file'

unnamed=$(for file in deploy/recipes/*/*.*; do
    head -n 1 "$file" | grep -qE "^(#|//|/\*) $file( \*/)?\$" || echo "$file"
done)
same "$unnamed" '' 'every recipe begins with a comment that names its file'

TESTS="*" tests/recipes.sh python c java csharp >"$place/output"
sed -nE '/^(ok|not ok|#)/p' "$place/output" | awk -v told="$tests_told" '
    /^(not )?ok [0-9]+/ { sub(/ok [0-9]+/, "ok " ++told) } { print }'
tests_told=$((tests_told + $(grep -cE '^(not )?ok ' "$place/output")))
done_testing
