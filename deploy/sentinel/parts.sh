# What up, down, status and try have in common: which processes there are, and who is the primary now.
# shellcheck shell=bash
kind=sentinel
. "$(dirname "${BASH_SOURCE[0]}")/../dev/setup.sh"
choose_port 7500

nodes=(node-1 node-2 node-3)
sentinels=(sentinel-1 sentinel-2 sentinel-3)
# shellcheck disable=SC2034 # read by those who read this file
replicas=2

port_of() {
    case $1 in
    node-*) echo $((PORT + ${1#node-} - 1)) ;;
    sentinel-*) echo $((PORT + 10 + ${1#sentinel-} - 1)) ;;
    esac
}

node_at() {
    local name
    for name in "${nodes[@]}"; do
        if [ "$(port_of "$name")" = "$1" ]; then echo "$name"; fi
    done
}

# The primary's port, as the first Sentinel that answers says. There is one primary for every key.
primary_port() {
    local name found
    for name in "${sentinels[@]}"; do
        found=$(ask_node "$name" SENTINEL GET-MASTER-ADDR-BY-NAME holdfast | sed -n 2p)
        if [ -n "$found" ]; then echo "$found"; return 0; fi
    done
    return 1
}

# How many replicas of the node are connected and have all that they were sent.
replicas_in_step() {
    ask_node "$1" INFO replication | awk -F: '
        $1 == "master_repl_offset" { sent = $2 }
        /^slave[0-9]+:.*state=online/ { split($0, part, "offset="); split(part[2], number, ","); offset[++count] = number[1] }
        END { for (i = 1; i <= count; i++) if (sent - offset[i] < 100000) in_step++; print in_step + 0 }'
}

role_of() { ask_node "$1" INFO replication | field role; }

all_is_well() {
    local primary name
    primary=$(node_at "$(primary_port)")
    [ -n "$primary" ] && [ "$(role_of "$primary")" = master ] && [ "$(replicas_in_step "$primary")" = 2 ] || return 1
    for name in "${sentinels[@]}"; do
        ask_node "$name" SENTINEL CKQUORUM holdfast | grep -q '^OK 3' || return 1
        [ "$(ask_node "$name" SENTINEL MASTER holdfast | grep -A 1 -x num-slaves | tail -n 1)" = 2 ] || return 1
    done
}
