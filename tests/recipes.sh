#!/bin/bash
# Runs the recipes of deploy/recipes against real servers, each language with each client that is there. Answers in TAP.
#
#   recipes.sh LANGUAGE...       LANGUAGE: c, python, node, go, java
#
# CLIENTS names a folder that deploy/dev/clients.sh filled; without one the distribution's clients alone are taken. TESTS is a pattern for
# the names of programs (lock, worker). Each client has a server of its own, on which its programs run one after the other.
set -uo pipefail
cd "$(dirname "$0")/.."

recipes=$PWD/deploy/recipes
module=$PWD/build/holdfast.so
server_program=${HOLDFAST_SERVER:-redis-server}
clients=${CLIENTS:+$(realpath -m "$CLIENTS")}
pattern=${TESTS:-*}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
CC=${CC:-gcc}
place=$(mktemp -d)
trap 'stop_servers; rm -rf "$place"' EXIT

# Debian's clients belong to Debian's Python, whatever else is in the PATH.
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

stop_servers() {
    local file
    for file in "$place"/*/pid; do
        [ ! -s "$file" ] || kill "$(<"$file")" 2>/dev/null
    done
}

# Starts a server for one client and leaves its port in $port.
start_server() {
    local folder=$1
    mkdir -p "$folder"
    for _ in {1..20}; do
        port=$((20000 + RANDOM % 20000))
        "$server_program" --port "$port" --bind 127.0.0.1 --save '' --dir "$folder" --loadmodule "$module" >"$folder/server.log" 2>&1 &
        echo $! >"$folder/pid"
        for _ in {1..100}; do
            if redis-cli -p "$port" INFO server 2>/dev/null | tr -d '\r' | grep -qx "process_id:$(<"$folder/pid")"; then return 0; fi
            kill -0 "$(<"$folder/pid")" 2>/dev/null || break
            sleep 0.05
        done
    done
    return 1
}

version_from_list() {
    awk -v language="$1" -v name="$2" '$1 == language && $2 == name { print $3 }' "$clients/list" 2>/dev/null
}

# --- What each language has: 'client|what is set for it', and how one of its programs is run --------------------------------------------

clients_of_python() {
    local version
    version=$("$python" -c 'import redis; print(redis.__version__)' 2>/dev/null)
    if [ -n "$version" ]; then
        echo "redis-py $version, RESP2|"
        echo "redis-py $version, RESP2, decoding|DECODE=yes"
    fi
    version=$(version_from_list python redis-py)
    [ -n "$version" ] || return 0
    echo "redis-py $version, RESP2|PYTHONPATH=$clients/redis-py RESP=2"
    echo "redis-py $version, RESP3|PYTHONPATH=$clients/redis-py RESP=3"
    echo "redis-py $version, RESP3, decoding|PYTHONPATH=$clients/redis-py RESP=3 DECODE=yes"
}

run_python() { PYTHONDONTWRITEBYTECODE=1 "$python" "$recipes/python/try_$1.py"; }
programs_of_python() { (cd "$recipes/python" && printf '%s\n' try_*.py | sed 's/^try_//; s/\.py$//'); }

# One program has all of them here, too: it is compiled when its clients are asked for.
compile_c() {
    # shellcheck disable=SC2086 # several words
    "$CC" -std=gnu11 -O1 -Wall -Wextra -Wconversion -Werror $2 -o "$place/$1" "$recipes"/c/*.c $3 -lpthread >"$place/$1.log" 2>&1
}

clients_of_c() {
    local version include=$clients/hiredis/include
    version=$(printf '%s\n' '#include <hiredis/hiredis.h>' HIREDIS_MAJOR.HIREDIS_MINOR.HIREDIS_PATCH | "$CC" -E -P -x c - 2>/dev/null | tail -n 1 | tr -d ' ')
    case $version in
    *HIREDIS* | '') ;;
    *) if compile_c try-own '' -lhiredis; then echo "hiredis $version, RESP2|TRY=$place/try-own"; else not_compiled try-own; fi ;;
    esac
    version=$(version_from_list c hiredis)
    [ -n "$version" ] || return 0
    if compile_c try-newest "-isystem $include" "$clients/hiredis/libhiredis.a"; then
        printf '%s\n' "hiredis $version, RESP2|TRY=$place/try-newest RESP=2" "hiredis $version, RESP3|TRY=$place/try-newest RESP=3"
    else
        not_compiled try-newest
    fi
}

not_compiled() {
    echo "the recipes do not compile|TRY=false"
    sed 's/^/#   /' "$place/$1.log" | head -n 20 >&2
}

run_c() { "$TRY" "$1"; }
programs_of_c() { sed -nE 's/.*\{"([a-z_]+)", try_.*/\1/p; ' "$recipes/c/try.c"; }

clients_of_node() {
    local name version
    for name in redis redis5 redis4 ioredis glide; do
        version=$(version_from_list node "$name")
        [ -n "$version" ] || continue
        case $name in
        redis4 | ioredis) echo "$name $version|CLIENT=$name" ;;
        *) printf '%s\n' "$name $version, RESP2|CLIENT=$name RESP=2" "$name $version, RESP3|CLIENT=$name RESP=3" ;;
        esac
    done
}

run_node() { CLIENTS=$clients/node node "$recipes/node/try-$1.mjs"; }
programs_of_node() { (cd "$recipes/node" && printf '%s\n' try-*.mjs | sed 's/^try-//; s/\.mjs$//'); }

# One program has all of them: it is compiled when its clients are asked for.
clients_of_go() {
    local version
    version=$(version_from_list go go-redis)
    [ -n "$version" ] || return 0
    if (cd "$recipes/go" && GOPATH=$clients/go GO111MODULE=off go test -c -vet=off -o "$place/recipes.test" .) >"$place/go.log" 2>&1; then
        printf '%s\n' "go-redis $version, RESP2|RESP=2" "go-redis $version, RESP3|RESP=3"
    else
        echo "go-redis $version does not compile|"
        sed 's/^/#   /' "$place/go.log"
    fi
}

run_go() { "$place/recipes.test" -test.run "^$1\$" -test.v | grep -v '^=== '; }
programs_of_go() { sed -nE 's/^func (Test[A-Za-z]+)\(.*/\1/p' "$recipes/go/recipes_test.go"; }

# --- One client: its programs, one after the other ---------------------------------------------------------------------------------------

client() {
    local number=$1 language=$2 name=$3 settings=$4 folder=$place/$1 program log
    if ! start_server "$folder"; then echo "failed|$language, $name: no server|$folder/server.log"; return; fi >>"$folder.results"
    for program in $("programs_of_$language"); do
        # shellcheck disable=SC2053 # a pattern
        [[ $program == $pattern ]] || continue
        log=$folder/$program.log
        # shellcheck disable=SC2086 # several settings
        if (export PORT=$port $settings; timeout -k 5 60 bash -o pipefail -c "$(declare -f "run_$language"); run_$language $program") \
            >"$log" 2>&1 </dev/null; then
            echo "passed|$language, $name: $program|"
        else
            echo "failed|$language, $name: $program|$log"
        fi
    done >>"$folder.results"
    kill "$(<"$folder/pid")" 2>/dev/null
    : >"$folder/pid"
}

export recipes python clients place CC
number=0 running=0
for language in "$@"; do
    found=''
    while IFS='|' read -r name settings; do
        found=yes
        number=$((number + 1))
        if [ "$running" -ge "$jobs" ]; then wait -n; running=$((running - 1)); fi
        client "$number" "$language" "$name" "$settings" &
        running=$((running + 1))
    done < <("clients_of_$language")
    if [ -z "$found" ]; then
        number=$((number + 1))
        reason=$(sed -n "s/^$language //p" "$clients/missing" 2>/dev/null)
        echo "skipped|$language|${reason:-there is no client of it on this machine}" >"$place/$number.results"
    fi
done
wait

told=0 failed=0
for ((at = 1; at <= number; at++)); do
    while IFS='|' read -r how what more; do
        told=$((told + 1))
        case $how in
        passed) echo "ok $told - $what" ;;
        skipped) printf '# skipped: %s\nok %d # SKIP %s\n' "$more" "$told" "$what" ;;
        *)
            failed=$((failed + 1))
            echo "not ok $told - $what"
            tail -n 12 "$more" | cut -c 1-300 | sed 's/^/#   /'
            ;;
        esac
    done <"$place/$at.results"
done
echo "1..$told"
[ "$failed" -eq 0 ]
