#!/bin/bash
# Shows what each client hands over for each shape of reply, and compares with tests/clients/matrix.txt. Answers in TAP, then prints the table.
#
#   clients.sh [--update] LANGUAGE...       LANGUAGE: c, python, node, go, php, ruby, perl
#
# The shapes, and the command that each is seen with:
#
#   status        QUEUE.CREATE made             int64         TABLE.GET t p r: the property n:int64, 2⁶³ - 1
#   pair          BLOB.GET c b                  double        TABLE.GET t p r: the property d:double, 0.5
#   bytes         BLOB.GET c raw: no UTF-8      bool          TABLE.GET t p r: the property f:bool, true
#   null          BLOB.GET c b IFNONEMATCH e    empty         QUEUE.PEEK e, where nothing is
#   map           CONTAINER.GET c               wait          QUEUE.GET e BLOCK 0.2, where nothing comes
#   map in map    BLOB.STAT c b: meta           error         BLOB.GET c none: the first word of the error's text
#   map in list   QUEUE.PEEK q                  hasty         QUEUE.GET h BLOCK 2 with a time-out of 0.3 s
#   null in list  BLOB.LIST c: the next marker
#
# A cell is the client's own name for the type. WRONG: the value was not what it should be after the recipe's decoding.
# tests/languages.sh says which clients there are. A client that is not in matrix.txt is told of, and is no failure.
set -uo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=tests/languages.sh
. tests/languages.sh
matrix=tests/clients/matrix.txt
shapes=(status pair bytes null map 'map in map' 'map in list' 'null in list' int64 double bool empty wait error hasty)

# Probes of C and Go are compiled with the recipes: once.
prepare_c() {
    local recipe="$recipes/c/holdfast.c" include=$clients/hiredis/include
    "$CC" -std=gnu11 -I"$recipes/c" -o "$place/probe-own" tests/clients/probe.c "$recipe" -lhiredis 2>/dev/null
    [ -z "$clients" ] || "$CC" -std=gnu11 -I"$recipes/c" -isystem "$include" -o "$place/probe-newest" tests/clients/probe.c "$recipe" \
        "$clients/hiredis/libhiredis.a" 2>/dev/null
}

prepare_go() {
    [ -n "$clients" ] && command -v go >/dev/null || return 0
    mkdir -p "$place/go"
    cp "$recipes/go/holdfast.go" "$place/go/"
    cp tests/clients/probe.go "$place/go/probe_test.go"
    (cd "$place/go" && GOPATH=$clients/go GO111MODULE=off go test -c -vet=off -o "$place/probe.test" .) >/dev/null 2>&1
}

patiently() { timeout -k 5 30 "$@"; }
probe_c() { patiently "${TRY/try-/probe-}"; }
probe_go() { patiently "$place/probe.test" -test.run '^TestProbe$'; }
probe_python() { PYTHONDONTWRITEBYTECODE=1 patiently "$python" tests/clients/probe.py; }
probe_node() { CLIENTS=$clients/node patiently node tests/clients/probe.mjs; }
probe_php() { patiently php tests/clients/probe.php; }
probe_ruby() { patiently ruby tests/clients/probe.rb; }
probe_perl() { patiently perl tests/clients/probe.pl; }

stage() {
    redis-cli -p "$port" >/dev/null <<'COMMANDS'
FLUSHALL
CONTAINER.CREATE c
BLOB.PUT c b text META 1 k v
BLOB.PUT c raw "\x00\r\n\xff"
QUEUE.CREATE q
QUEUE.PUT q hello
QUEUE.CREATE e
QUEUE.CREATE h
TABLE.CREATE t
TABLE.INSERT t p r PROPS 3 n:int64 9223372036854775807 d:double 0.5 f:bool true
COMMANDS
}

# One line: the client, then a cell for each shape. The newest versions come and go: a row is known by the major one.
row() {
    local language=$1 name=$2 settings=$3 shape line
    stage
    # shellcheck disable=SC2086,SC2163 # several settings
    (for setting in $settings; do export "$setting"; done; export PORT=$port; "probe_$language") >"$place/probed" 2>"$place/errors" </dev/null
    line=$(sed -E 's/([0-9]+)\.[0-9.]+/\1/' <<<"$name")
    for shape in "${shapes[@]}"; do
        line+="|$(awk -F '\t' -v shape="$shape" '$1 == shape { print $2; found = 1 } END { if (!found) print "-" }' "$place/probed")"
    done
    echo "$line"
}

update=''
if [ "${1:-}" = --update ]; then update=yes; shift; fi
start_server "$place/server" || { echo 'not ok 1 - no server'; echo 1..1; exit 1; }
told=0 failed=0
for language in "$@"; do
    ! declare -F "prepare_$language" >/dev/null || "prepare_$language"
    found=''
    while IFS='|' read -r name settings; do
        case $name in *decoding*) continue ;; esac
        found=yes
        told=$((told + 1))
        line=$(row "$language" "$name" "$settings")
        echo "$line" >>"$place/rows"
        expected=$(grep -F -- "${line%%|*}|" "$matrix" 2>/dev/null)
        case $line in
        *'|WRONG'* | *'|-'*) failed=$((failed + 1)); echo "not ok $told - $name: $line"; sed 's/^/#   /' "$place/errors" | head -n 5 ;;
        "$expected") echo "ok $told - $name" ;;
        *) if [ -z "$expected" ] || [ -n "$update" ]; then echo "ok $told - $name (new: $line)"; else
            failed=$((failed + 1)); echo "not ok $told - $name"; printf '#   expected %s\n#   found    %s\n' "$expected" "$line"; fi ;;
        esac
    done < <("clients_of_$language")
    if [ -z "$found" ]; then
        told=$((told + 1))
        reason=$(sed -n "s/^$language //p" "$clients/missing" 2>/dev/null)
        printf '# skipped: %s\nok %d # SKIP %s\n' "${reason:-there is no client of it on this machine}" "$told" "$language"
    fi
done
echo "1..$told"

table() { { (IFS='|'; echo "client|${shapes[*]}"); cat "$place/rows"; } | column -t -s '|'; }
[ -z "$update" ] || { (IFS='|'; echo "client|${shapes[*]}"); cat "$place/rows"; } >"$matrix"
table | sed 's/^/# /'
[ "$failed" -eq 0 ]
