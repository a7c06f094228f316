#!/bin/bash
# The configurations that are installed start a server with the module. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
socket=$place/socket
server=''
trap 'stop; rm -rf "$place"' EXIT

# As installed, but for what a test cannot have: the data's folder, and a port that may be taken.
start() {
    "${HOLDFAST_SERVER:-redis-server}" "$place/root/share/holdfast/$1" --port 0 --unixsocket "$socket" \
        >"$place/log" 2>&1 &
    server=$!
    for _ in {1..200}; do
        if [ "$(ask PING)" = PONG ]; then return; fi
        sleep 0.05
    done
    sed 's/^/# /' "$place/log"
}

stop() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
    server=''
}

ask() { redis-cli -s "$socket" "$@" 2>/dev/null; }
setting() { ask CONFIG GET "$1" | tail -n 1; }

make -s -o build/holdfast.so install DESTDIR='' PREFIX="$place/root" >/dev/null
find "$place/root/share/holdfast" -name '*.conf' -exec sed -i "s#^dir .*#dir $place#" {} +

start redis.conf
holds 'with redis.conf a server of its own takes writes' grep -q '^0x' <(ask CONTAINER.CREATE box)
same "$(setting appendonly) $(setting maxmemory-policy)" 'yes noeviction' 'it keeps a file, and evicts nothing'
stop

start redis-replicated.conf
holds 'with redis-replicated.conf a primary without a replica grants no lease' \
    grep -q '^NOREPLICAS' <(ask LEASE.ACQUIRE box 60)
same "$(setting appendonly) $(setting maxmemory-policy) $(setting min-replicas-max-lag)" 'yes noeviction 10' 'and has the rest of redis.conf'
# Sentinel makes servers write to their configuration.
for configuration in redis.conf redis-replicated.conf sentinel/node.conf cluster/node.conf; do
    stop
    start "$configuration"
    ask CONFIG REWRITE >/dev/null
    stop
    start "$configuration"
    same "$(ask PING)" PONG "with $configuration a server starts again after it has rewritten it"
done
stop
done_testing
