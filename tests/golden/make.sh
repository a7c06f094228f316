#!/bin/bash
# Makes the golden files of a release: what it writes of every data type and every kind of change. They stay for ever, and every later
# module loads them: tests/server/test_golden.c compares what it then answers, tests/unit/test_golden.c reads each record.
#
#   tests/golden/make.sh MODULE FOLDER      FOLDER: tests/golden/VERSION
#
#   values.rdb      all data types as a snapshot
#   rewritten.aof   the same as an append-only file that was rewritten
#   effects.aof     the append-only file that led there
#   made            the module's clock when they were made: what they say of time is read at that time
set -euo pipefail
module=$(realpath "$1")
folder=$2
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
port=${PORT:-7399}
seconds=0

call() { redis-cli -p "$port" "$@"; }

# Time passes for the module alone.
pass() {
    seconds=$((seconds + $1))
    call config set holdfast.clock-offset-ms $((seconds * 1000)) >/dev/null
}

# The value of a field in a reply that redis-cli shows line by line.
field() { grep -xA1 "$1" | tail -n 1; }

# So that nothing is cleared away between them.
in_transaction() { printf '%s\n' multi "$@" exec | call; }

# A client that waits, and is lost in the very packet that serves it: lose WAITING SERVING
lose() {
    local id
    exec 3<>"/dev/tcp/127.0.0.1/$port" 4<>"/dev/tcp/127.0.0.1/$port"
    printf 'CLIENT ID\r\n' >&3
    read -r id <&3
    id=${id//[!0-9]/}
    printf '%s\r\n' "$1" >&3
    sleep 0.3
    printf '%s\r\nCLIENT KILL ID %s\r\n' "$2" "$id" >&4
    sleep 0.3
    exec 3>&- 4>&-
}

redis-server --port "$port" --dir "$scratch" --save '' --appendonly yes --aof-use-rdb-preamble no --auto-aof-rewrite-percentage 0 \
    --loadmodule "$module" --enable-debug-command yes >"$scratch/log" 2>&1 &
trap 'kill $! 2>/dev/null; wait; rm -rf "$scratch"' EXIT
until call ping >/dev/null 2>&1; do sleep 0.1; done

# shellcheck source=/dev/null
for commands in "$here"/commands/*.sh; do . "$commands" >"$scratch/told" || {
    echo "$commands fails" >&2
    exit 1
}; done

mkdir -p "$folder"
echo $(($(date +%s%3N) + seconds * 1000)) >"$folder/made"
cat "$scratch"/appendonlydir/*.incr.aof >"$folder/effects.aof"
call save >/dev/null
cp "$scratch/dump.rdb" "$folder/values.rdb"
call bgrewriteaof >/dev/null
while call info persistence | grep -qE 'aof_rewrite_(in_progress|scheduled):1'; do sleep 0.1; done
cat "$scratch"/appendonlydir/*.base.aof >"$folder/rewritten.aof"
ls -l "$folder"
