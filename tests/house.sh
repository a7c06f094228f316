#!/bin/bash
# The rules of the house that a compiler does not check: what lies where, which part may know which, how long things get. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/.."
# lastpipe: the last part of a pipe runs in this shell, so that rule can count.
shopt -s nullglob lastpipe

CC=${CC:-gcc}
families=(lease blob queue table file)
count=0

# Tells of one rule. What breaks it comes on standard input, one line each.
rule() {
    local offences
    offences=$(cat)
    count=$((count + 1))
    if [ -z "$offences" ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        while IFS= read -r line; do echo "#   $line"; done <<<"$offences"
    fi
}

# Prints 'FILE: WHAT' for every #include "WHAT" of the given files whose folder is not among the allowed ones. An include without a
# folder is of the file's own, and ccan is everybody's.
includes_outside() {
    local allowed=$1
    shift
    [ $# -gt 0 ] || return 0
    awk -v allowed=" $allowed ccan " '
        match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
            name = $0
            sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
            folder = index(name, "/") ? substr(name, 1, index(name, "/") - 1) : "."
            if (folder != "." && !index(allowed, " " folder " ")) print FILENAME ":" FNR ": " name
        }' "$@"
}

# Prints the lines of the given files that include a Redis header.
includes_of_redis() {
    [ $# -gt 0 ] || return 0
    grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](redismodule|hiredis)' "$@"
}

pure_sources() {
    local folder
    for folder in core change "${families[@]}"; do
        printf '%s\n' "module/$folder"/*.c
    done | grep -v '^$'
}

# Follows the includes all the way down. Headers that are not found by it are only named, so nothing need be fetched for this.
pure_sources_that_know_redis() {
    local source
    while read -r source; do
        "$CC" -MM -MG -Imodule "$source" 2>/dev/null | tr ' \\' '\n\n' | grep -E '(^|/)(redismodule\.h|server/|redis/)' | sed "s#^#$source: #"
    done < <(pure_sources)
}

# A definition starts in the first column and ends with a brace there.
long_functions() {
    awk -v limit=60 '
        FNR == 1 { start = 0 }
        /^[A-Za-z_].*\)[ \t]*\{[ \t]*$/ { start = FNR }
        /^\{[ \t]*$/ && !start { start = FNR }
        /^\}/ && start { if (FNR - start + 1 > limit) print FILENAME ":" start ": " FNR - start + 1 " lines"; start = 0 }' "$@" /dev/null
}

# Identifiers of a family in code, comments left out, that should not know of any. A lease is what several families have.
family_words() {
    local source
    for source in "$@"; do
        perl -0pe 's{/\*.*?\*/}{$& =~ s/[^\n]//gr}gse' "$source" |
            grep -nE '\b(blob|queue|entity|container|share|file)_|_(blob|queue|entity|container)s?\b|\b(BLOB|QUEUE|TABLE|FILE|SHARE|CONTAINER)_' |
            grep -vE 'container_of' | sed "s#^#$source:#"
    done
}

# Static functions of one name in several files: grep and break find the wrong one. 'release' is what the makers of type methods want.
static_names_shared() {
    awk '
        /^static / && match($0, /[A-Za-z_0-9]+\(/) {
            name = substr($0, RSTART, RLENGTH - 1)
            if (name ~ /^[A-Z_]+$/ || name == "__attribute__" || name == "release") next
            if (name in place && place[name] != FILENAME) print name ": " place[name] ", " FILENAME
            place[name] = FILENAME
        }' "$@" /dev/null
}

exported_names() {
    if [ -f build/holdfast.so ]; then
        nm -D --defined-only build/holdfast.so | awk '$3 != "RedisModule_OnLoad" { print $3 }'
    fi
}

# Calls of the server that the module makes, and those that module/server/api.c binds; a call that is not bound ends the server.
calls_made() {
    grep -rhoE 'RedisModule_[A-Za-z0-9]+ *\(' module --include='*.[ch]' | sed 's/RedisModule_//; s/ *(//' |
        grep -vxE 'OnLoad|IsAOFClient' | sort -u
}

calls_bound() {
    sed -n '/#define REQUIRED_CALLS/,/clang-format on/p' module/server/api.c | grep -oE 'X\([A-Za-z0-9]+\)' | sed 's/X(//; s/)//' |
        grep -vx X | sort -u
}

mapfile -t sources < <(find module tests -name '*.[ch]' | sort)

{
    diff <(printf '%s\n' LICENSE Makefile README.md deploy module tests) <(LC_ALL=C ls -1 | grep -v '^build$')
} | grep '^[<>]' | sed 's/^</missing:/; s/^>/not expected:/' | rule 'the top level is as announced'

{
    includes_outside core module/core/*.[ch]
    includes_of_redis module/core/*.[ch]
} | rule 'core knows nothing but core'

{
    includes_outside 'core change' module/change/*.[ch]
    includes_of_redis module/change/*.[ch]
} | rule 'the engine of changes knows nothing but core'

includes_outside 'core change server' module/server/*.[ch] | rule 'server knows no family'

family_words module/server/*.[ch] module/change/*.[ch] | rule 'the code of server and change has no word of a family'

for family in "${families[@]}"; do
    files=(module/"$family"/*.[ch] module/"$family"/redis/*.[ch])
    [ ${#files[@]} -gt 0 ] || continue
    includes_outside "core change server lease $family" "${files[@]}" | rule "$family knows no other family but lease"
done

pure_sources_that_know_redis | rule 'pure sources know nothing of Redis'

for source in "${sources[@]}"; do
    lines=$(wc -l <"$source")
    [ "$lines" -le 600 ] || echo "$source: $lines lines"
done | rule 'no file is longer than 600 lines'

long_functions module/*.c module/*/*.c module/*/redis/*.c | rule 'no function of the module is longer than 60 lines'

static_names_shared module/*.c module/*/*.c module/*/redis/*.c | rule 'no two files have a static function of the same name'

diff <(calls_made) <(calls_bound) | sed -n 's/^</not bound:/p; s/^>/bound, but never called:/p' | rule 'the calls that are bound are those that are made'

grep -l 'RedisModule_SubscribeToServerEvent(' module/*.c module/*/*.c module/*/redis/*.c | grep -v '^module/server/events.c$' |
    rule 'who listens to an event of the server does not displace others'

exported_names | rule 'the module exports nothing but its entry'

echo "1..$count"
