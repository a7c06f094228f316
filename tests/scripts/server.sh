# A server of a test's own, for scripts that read this file.
# shellcheck shell=bash

# start_server FOLDER ARGUMENT...: runs it in FOLDER/PORT, with its output in log; its port is $port then, its process $server. A server that
# asks for a password is known by that of REDISCLI_AUTH.
start_server() {
    local folder=$1
    shift
    for _ in {1..20}; do
        port=$((20000 + RANDOM % 10000))
        mkdir -p "$folder/$port"
        "${HOLDFAST_SERVER:-redis-server}" --port "$port" --bind 127.0.0.1 --save '' --dir "$folder/$port" "$@" >"$folder/$port/log" 2>&1 &
        server=$!
        for _ in {1..100}; do
            if redis-cli -p "$port" INFO server 2>/dev/null | tr -d '\r' | grep -qx "process_id:$server"; then return 0; fi
            kill -0 "$server" 2>/dev/null || break
            sleep 0.05
        done
    done
    return 1
}
