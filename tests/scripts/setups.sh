# What the set-ups of several servers have in common, for test_sentinel.sh and test_cluster.sh, which set $kind and read this file.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. tests/scripts/tap.sh

scratch=$(mktemp -d)
# Below the ports that connections get by themselves, also with the 10,000 that nodes of a cluster add.
export HOLDFAST_PLACE=$scratch/place PORT=$((11000 + RANDOM % 10000))
trap 'deploy/$kind/down >/dev/null; rm -rf "$scratch"' EXIT

# What works in the folder.
processes_in() {
    local folder
    for folder in /proc/[0-9]*; do
        case $(readlink "$folder/cwd" 2>/dev/null) in
        "$1"/*) basename "$folder" ;;
        esac
    done
}

does() {
    "deploy/$kind/$1" >"$scratch/output" 2>&1
    local status=$?
    [ "$status" -eq "${2:-0}" ] || sed 's/^/# /' "$scratch/output"
    [ "$status" -eq "${2:-0}" ]
}
says() { grep -qE "$1" "$scratch/output"; }

# Replicas tell once a second how far they are.
well_soon() {
    for _ in {1..50}; do
        if does status >/dev/null; then return 0; fi
        sleep 0.1
    done
    does status
}

# Settings stand in paragraphs, each of which begins with its reason.
settings_without_reason() {
    awk -v RS= -F '\n' '$1 !~ /^#/ { print FILENAME ": " $1 }' "$@"
}

# PROCESSES: how many there are.
test_start() {
    same "$(settings_without_reason deploy/"$kind"/*.conf)" '' 'every setting has its reason'
    holds 'before it is started there is nothing to show' does status 1
    HOLDFAST_MODULE=/bin/true does up 1
    holds 'a module that does not load is shown' says '/bin/true'
    same "$(processes_in "$HOLDFAST_PLACE") $(ls "$scratch")" ' output' 'of a start that failed nothing is left'
    holds 'it starts' does up
    holds 'it says what may be done next' says "deploy/$kind/try"
    same "$(processes_in "$HOLDFAST_PLACE" | wc -l)" "$1" 'with as many processes as announced'
    holds 'all is well then' does status
    does up 1
    holds 'it is not started a second time' says 'runs already'
    HOLDFAST_PLACE=$scratch/second does up 1
    holds 'ports in use are named' says "In use on 127.0.0.1: $PORT $((PORT + 1)) "
    holds 'and nothing was started beside them' test ! -e "$scratch/second"
}

test_end() {
    kill -KILL "$(<"$HOLDFAST_PLACE/node-2/pid")"
    holds 'a process that has ended is shown' does status 1
    holds 'by its name' says '^  node-2 .* ended '
    pids=$(processes_in "$HOLDFAST_PLACE")
    kill -STOP "$(<"$HOLDFAST_PLACE/node-3/pid")"
    holds 'all ends, also what hangs' does down
    same "$(processes_in "$HOLDFAST_PLACE") $(ls "$scratch")" ' output' 'and nothing is left'
    holds 'to end nothing is no error' does down
}
