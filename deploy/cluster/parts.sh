# What up, down, status and try have in common: which nodes there are, and who serves what now.
# shellcheck shell=bash
kind=cluster
. "$(dirname "${BASH_SOURCE[0]}")/../dev/setup.sh"
choose_port 7100

nodes=(node-1 node-2 node-3 node-4 node-5 node-6)
# shellcheck disable=SC2034 # read by those who read this file
replicas=1
# Tags that lie in the first, the second and the last third of the slots.
tags=(b c a)

port_of() { echo $((PORT + ${1#node-} - 1)); }

node_at() { echo "node-$(($1 - PORT + 1))"; }

# As the first node that answers, and is not cut off, sees it: ID ADDRESS FLAGS PRIMARY ... one line for each node.
nodes_seen() {
    local name
    for name in "${nodes[@]}"; do
        if ask_node "$name" CLUSTER INFO | grep -qx cluster_state:ok; then
            ask_node "$name" CLUSTER NODES
            return
        fi
    done
    return 1
}

# The port of the primary that serves the key's slot.
line_port() {
    local name slot
    for name in "${nodes[@]}"; do
        slot=$(ask_node "$name" CLUSTER KEYSLOT "$1")
        if [ -n "$slot" ]; then break; fi
    done
    nodes_seen | awk -v slot="$slot" '
        $3 ~ /master/ && $3 !~ /fail/ {
            for (i = 9; i <= NF; i++) {
                split($i, range, "-")
                if (range[1] + 0 <= slot && slot <= (range[2] == "" ? range[1] : range[2]) + 0) { split($2, part, /[:@]/); print part[2]; exit }
            }
        }'
}

# Every node sees all slots served, and itself as one of three primaries or as a replica that is connected to its primary.
all_is_well() {
    local name
    for name in "${nodes[@]}"; do
        [ "$(ask_node "$name" CLUSTER INFO | grep -cxE 'cluster_(state:ok|slots_ok:16384|known_nodes:6|size:3)')" -eq 4 ] || return 1
        ask_node "$name" INFO replication | grep -qxE 'master_link_status:up|connected_slaves:1' || return 1
    done
    [ "$(nodes_seen | grep -c fail)" -eq 0 ]
}
