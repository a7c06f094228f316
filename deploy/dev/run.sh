#!/bin/bash
# Starts a redis-server with the module on 127.0.0.1, plays the tour, and leaves the server running until Ctrl-C.
#
#   run.sh MODULE              PORT: the first port to try (6379); TOUR=no leaves the tour out
#
# What the server writes lies in build/run, and goes when the server goes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
module=$(realpath "$1")
server=${HOLDFAST_SERVER:-redis-server}
first_port=${PORT:-6379}
folder=$(realpath -m "$here/../../build/run")/$$
server_pid=''

port_is_taken() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

stop() {
    trap - EXIT
    trap '' INT TERM HUP
    if [ -n "$server_pid" ]; then
        kill -TERM "$server_pid" 2>/dev/null || true
        wait "$server_pid" 2>/dev/null || true
    fi
    rm -rf "$folder"
    rmdir --ignore-fail-on-non-empty "$(dirname "$folder")" 2>/dev/null || true
    exit "$1"
}

# Two who start at the same moment may choose the same port: only the answer of this very process counts.
answers() {
    redis-cli -p "$1" INFO server 2>/dev/null | tr -d '\r' | grep -qx "process_id:$server_pid"
}

# The server is put out of the terminal's reach, so that Ctrl-C comes to this script alone, which then ends it in good order. Should this
# script be killed outright, the server is told as well, where the system can do that.
start_on() {
    local leash=(setsid)
    if command -v setpriv >/dev/null; then leash+=(setpriv --pdeathsig TERM); fi
    "${leash[@]}" "$server" --port "$1" --bind 127.0.0.1 --dir "$folder" --save '' --daemonize no \
        --logfile "$folder/server.log" --loadmodule "$module" &
    server_pid=$!
    for _ in {1..100}; do
        if answers "$1"; then return 0; fi
        if ! kill -0 "$server_pid" 2>/dev/null; then server_pid=''; return 1; fi
        sleep 0.05
    done
    return 1
}

mkdir -p "$folder"
trap 'stop $?' EXIT
trap 'echo; echo "Stopping the server."; stop 0' INT TERM HUP

port=$first_port
while port_is_taken "$port" && [ "$port" -lt $((first_port + 100)) ]; do port=$((port + 1)); done
if ! start_on "$port"; then
    echo "The server did not start on port $port. It said:" >&2
    tail -n 20 "$folder/server.log" >&2
    exit 1
fi
[ "$port" = "$first_port" ] || echo "Port $first_port is taken, so this server listens on port $port."

if [ "${TOUR:-yes}" != no ]; then PORT=$port "$here/tour.sh" || echo "The tour stopped early; the server runs on." >&2; fi

echo
echo "Holdfast is running on 127.0.0.1:$port. In another terminal:  redis-cli -p $port"
echo "Nothing is kept on disk. Ctrl-C stops it."
wait "$server_pid" || true
server_pid=''
echo "The server has ended. Its last words:" >&2
tail -n 5 "$folder/server.log" >&2
exit 1
