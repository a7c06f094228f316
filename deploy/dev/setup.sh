# Several servers as plain processes under build/, for the scripts up, down, status and try of deploy/sentinel and deploy/cluster, which
# read this file after they have set $kind. Each process has a folder of its own in $place, with its configuration, its log and its pid.
#
#   PORT              the first port; each kind says which others it needs
#   HOLDFAST_MODULE   the module (build/holdfast.so)        HOLDFAST_SERVER   the server program (redis-server)
#   HOLDFAST_PLACE    where everything lies (build/$kind)
# shellcheck shell=bash
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
place=$(realpath -m "${HOLDFAST_PLACE:-$top/build/$kind}")
server=${HOLDFAST_SERVER:-redis-server}
module=$(realpath -m "${HOLDFAST_MODULE:-$top/build/holdfast.so}")

die() {
    printf '%s\n' "$@" >&2
    exit 1
}

# --- Ports --------------------------------------------------------------------------------------------------------------------------------

port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

demand_free_ports() {
    local port taken=()
    for port in "$@"; do
        if port_is_taken "$port"; then taken+=("$port"); fi
    done
    [ ${#taken[@]} -eq 0 ] ||
        die "In use on 127.0.0.1: ${taken[*]}. Nothing was started. Others can be had by a first port: PORT=$((PORT + 200)) make $kind"
}

ask() {
    local port=$1
    shift
    timeout 5 redis-cli -p "$port" "$@" 2>/dev/null | tr -d '\r'
}

# The same for a node, whose port port_of knows.
ask_node() {
    local name=$1
    shift
    ask "$(port_of "$name")" "$@"
}

# Once a set-up runs, it has the ports with which it was started.
choose_port() {
    PORT=${PORT:-$1}
    if [ -s "$place/port" ]; then PORT=$(<"$place/port"); fi
}

# --- Processes ----------------------------------------------------------------------------------------------------------------------------

# The pid of a process of ours that runs, or nothing. Pids are used again; the folder in which a process works tells whose it is.
pid_of() {
    local pid
    [ -s "$place/$1/pid" ] || return 1
    pid=$(<"$place/$1/pid")
    [ "$(readlink "/proc/$pid/cwd")" = "$place/$1" ] && echo "$pid"
}

# NAME ARGUMENT...: runs the server on its configuration.
launch() {
    local name=$1
    shift
    (cd "$place/$name" && exec setsid "$server" ./own.conf "$@") </dev/null >>"$place/$name/output" 2>&1 &
    echo $! >"$place/$name/pid"
    disown
}

# NAME PORT: until it serves.
await_answer() {
    for _ in {1..300}; do
        if [ "$(ask "$2" PING)" = PONG ]; then return 0; fi
        kill -0 "$(<"$place/$1/pid")" 2>/dev/null || break
        sleep 0.05
    done
    echo "$1 did not start on port $2. It said:" >&2
    cat "$place/$1/output" "$place/$1/log" 2>/dev/null | grep -v '^$' | tail -n 15 >&2
    return 1
}

# WHAT SECONDS COMMAND...: until the command succeeds.
await() {
    local what=$1 until=$((SECONDS + $2))
    shift 2
    until "$@"; do
        if [ "$SECONDS" -ge "$until" ]; then
            echo "This did not come about in time: $what" >&2
            return 1
        fi
        sleep 0.1
    done
}

names_there() {
    local folder
    for folder in "$place"/*/pid; do
        if [ -e "$folder" ]; then basename "$(dirname "$folder")"; fi
    done
}

some_run() {
    local name
    for name in $(names_there); do
        if pid_of "$name" >/dev/null; then return 0; fi
    done
    return 1
}

# Ends all that runs, and removes what it wrote. Those who do not end when they are asked are killed.
end_all() {
    local name pid pids=()
    for name in $(names_there); do
        if pid=$(pid_of "$name"); then pids+=("$pid"); fi
    done
    if [ ${#pids[@]} -gt 0 ]; then
        kill -CONT "${pids[@]}" 2>/dev/null
        kill -TERM "${pids[@]}" 2>/dev/null
        for _ in {1..60}; do
            if ! some_run; then break; fi
            sleep 0.1
        done
        kill -KILL "${pids[@]}" 2>/dev/null
        for _ in {1..20}; do
            if ! some_run; then break; fi
            sleep 0.1
        done
    fi
    rm -rf "$place"
}

# What 'down' does.
take_down() {
    if ! [ -d "$place" ]; then
        echo "Nothing runs."
        return
    fi
    end_all
    echo "The servers have ended, and $place is removed."
}

# What a start that did not come to its end left behind goes again. 'started' says that it came there.
started=''
undo_unless_started() {
    [ -z "$started" ] || return 0
    trap '' INT TERM HUP
    end_all
    echo "What had been started is stopped and removed." >&2
}

# Before anything is started: what has to be there.
begin() {
    command -v "$server" >/dev/null || die "There is no program $server; 'make packages' installs it."
    command -v redis-cli >/dev/null || die "There is no program redis-cli; 'make packages' installs it."
    [ -e "$module" ] || die "There is no module $module; 'make build' compiles it."
    if some_run; then die "It runs already. deploy/$kind/status shows it, deploy/$kind/down ends it."; fi
    rm -rf "$place"
    mkdir -p "$place"
    trap undo_unless_started EXIT
    trap 'exit 130' INT TERM HUP
}

# NAME PORT: a folder with a configuration of its own, with this machine's folders in it. Servers write to it.
furnish_node() {
    mkdir -p "$place/$1"
    {
        "$top/deploy/dev/configuration.sh" "$kind/node.conf" | sed "s#^loadmodule .*#loadmodule \"$module\"#; s#^port .*#port $2#; s#^dir .*#dir \"$place/$1\"#"
        echo "logfile \"$place/$1/log\""
    } >"$place/$1/own.conf"
}

# --- Status -------------------------------------------------------------------------------------------------------------------------------

field() { sed -n "s/^$1://p"; }

row() { printf '  %-12s %-17s %-8s %-9s %s\n' "$@"; }

# NAME ROLE STATE
show() { row "$1" "127.0.0.1:$(port_of "$1")" "$(pid_of "$1" || echo ended)" "$2" "$3"; }

# NAME: a replica, or a primary, of which primary_state NAME says more.
show_node() {
    local info
    info=$(ask_node "$1" INFO replication)
    case $(field role <<<"$info") in
    master) show "$1" primary "$(primary_state "$1")" ;;
    slave) show "$1" replica "of $(field master_port <<<"$info"), connection $(field master_link_status <<<"$info"), $(field master_last_io_seconds_ago <<<"$info") s ago" ;;
    *) show "$1" - 'does not answer' ;;
    esac
}

# The end of 'status'.
tell_whether_well() {
    if all_is_well; then
        echo 'All is well.'
    else
        echo 'Not all is well: see above, and the logs in' "$place/*/log" >&2
        exit 1
    fi
}
