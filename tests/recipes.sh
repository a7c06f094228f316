#!/bin/bash
# Runs the recipes of deploy/recipes against real servers, each language with each client that is there. Answers in TAP.
#
#   recipes.sh LANGUAGE...       LANGUAGE: c, python, node, go, java, csharp
#
# tests/languages.sh says which clients these are. TESTS is a pattern for the names of programs (lock, worker). Each client has a server of
# its own, on which its programs run one after the other.
set -uo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=tests/languages.sh
. tests/languages.sh
pattern=${TESTS:-*}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}

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
