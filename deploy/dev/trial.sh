# A failover under load, and what became of the data: for the script try of deploy/sentinel and deploy/cluster, which read this file after
# parts.sh. Those who read it provide
#
#   line_port KEY     the port of the server that takes writes of the key now
#   $replicas         how many replicas have to have a write before it counts as confirmed
#   ${tags[@]}        one hash tag for each writer; a writer's keys are 'try:{TAG}:counts' and 'try:{TAG}:jobs'
#
# A writer counts up, for as long as the load goes on: it puts a message with the number into a queue (DEDUP, so that it may put again
# what it is not sure of), writes the number into a blob under the ETag that it knows, and asks by WAIT how many replicas have both. What
# they have is confirmed. When the connection breaks it does what every client should: find the new primary, read, go on from there.
# shellcheck shell=bash
trial=$place/try
began=$EPOCHREALTIME

since_began_ms() { echo $(((${EPOCHREALTIME/[.,]/} - ${began/[.,]/}) / 1000)); }

tell() {
    local ms
    ms=$(since_began_ms)
    printf '%4d.%d s  %s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$*"
}

# --- A connection that stays open: commands go into one redis-cli ---------------------------------------------------------------------------

line_close() {
    [ -n "${LINE_PID:-}" ] || return 0
    kill "$LINE_PID"
    wait "$LINE_PID"
} 2>/dev/null

line_open() {
    local port
    line_close
    port=$(line_port "$1") && [ -n "$port" ] || return 1
    coproc LINE { exec redis-cli -p "$port" 2>&1; }
} 2>/dev/null

# COMMAND: fills ${answer[@]}, one line each. Fails when there is no answer, or an error.
say() {
    local line
    answer=()
    printf '%s\nECHO end-of-answer\n' "$1" >&"${LINE[1]}" || return 1
    while IFS= read -r -t 3 line <&"${LINE[0]}"; do
        case $line in
        end-of-answer) [[ ${answer[0]:-} != [A-Z][A-Z]*\ * ]]; return ;;
        'Could not connect'* | 'Error: '*) return 1 ;;
        esac
        answer+=("$line")
    done
    return 1
} 2>/dev/null

# --- A writer -----------------------------------------------------------------------------------------------------------------------------

# Where it stands after a connection was lost: $count and $etag as they are in the blob. What was answered or confirmed and is not there is
# written down.
pick_up() {
    line_open "$key" || return 1
    say "BLOB.GET $key:counts count" && [ ${#answer[@]} -eq 2 ] || return 1
    [[ ! ${answer[0]} < $newest ]] || [ "${answer[1]}" -lt "$answered" ] || echo "ETags fell: $newest, then ${answer[0]}" >>"$mine.faults"
    etag=${answer[0]} count=${answer[1]}
    if [ "$count" -lt "$confirmed" ]; then echo "$confirmed was confirmed, $count is there" >>"$mine.faults"; fi
    if [ "$count" -lt "$answered" ]; then echo $((answered - count)) >>"$mine.unconfirmed-lost"; fi
    answered=$count
}

# One number more.
count_up() {
    local next=$((count + 1))
    say "QUEUE.PUT $key:jobs $key-$next DEDUP $next WITHIN 600" || return 1
    say "BLOB.PUT $key:counts count $next IFMATCH $etag" || return 1
    [[ ${answer[0]} > $newest ]] || echo "ETags fell: $newest, then ${answer[0]}" >>"$mine.faults"
    etag=${answer[0]} newest=$etag count=$next answered=$next
    since_began_ms >>"$mine.answered"
    say "WAIT $replicas 1000" || return 1
    if [ "${answer[0]}" -ge "$replicas" ]; then confirmed=$count; fi
}

# NUMBER TAG
writer() {
    local mine=$trial/writer-$1 key="try:{$2}" etag='' newest='' count=0 answered=0 confirmed=0
    until line_open "$key" && say "CONTAINER.CREATE $key:counts" && say "QUEUE.CREATE $key:jobs" && say "BLOB.PUT $key:counts count 0"; do
        [ ! -e "$trial/stop" ] || return 1
        sleep 0.1
    done
    etag=${answer[0]}
    : >"$mine.answered"
    while [ ! -e "$trial/stop" ]; do
        count_up && continue
        until pick_up || [ -e "$trial/stop" ]; do sleep 0.05; done
    done
    line_close
    echo "$answered $confirmed" >"$mine.end"
}

forget_keys() {
    local tag
    for tag in "${tags[@]}"; do
        line_open "try:{$tag}" && say "DEL try:{$tag}:counts try:{$tag}:jobs try:{$tag}:lock"
        line_close
    done
}

# An earlier trial that was interrupted has left its keys.
load_begins() {
    local number=0 tag
    rm -rf "$trial"
    mkdir -p "$trial"
    forget_keys
    writers=()
    for tag in "${tags[@]}"; do
        number=$((number + 1))
        writer "$number" "$tag" 2>>"$trial/errors" &
        writers+=($!)
    done
}

# When the trial is broken off.
load_is_stopped() {
    line_close
    if [ -d "$trial" ]; then touch "$trial/stop"; fi
    wait
}

load_ends() {
    touch "$trial/stop"
    wait "${writers[@]}"
}

# The writers have gone on after the instant.
all_write_again() {
    local number last
    for ((number = 1; number <= ${#tags[@]}; number++)); do
        last=$(tail -n 1 "$trial/writer-$number.answered" 2>/dev/null)
        [ "${last:-0}" -gt "$1" ] || return 1
    done
}

# NUMBER: the longest time without an answered write, in ms.
longest_gap() {
    awk 'NR > 1 && $1 - last > longest { longest = $1 - last } { last = $1 } END { print longest + 0 }' "$trial/writer-$1.answered"
}

# --- A lease, and what became of it -------------------------------------------------------------------------------------------------------

# Of the container of the first writer's shard, confirmed by the replicas as well.
take_lease() {
    local key="try:{${tags[0]}}"
    line_open "$key" || return 1
    say "CONTAINER.CREATE $key:lock" # it may be there
    say "BLOB.PUT $key:lock it free" || return 1
    say "LEASE.ACQUIRE $key:lock 60 BLOB it OWNER holder" || return 1
    lease=${answer[0]}
    say "WAIT $replicas 1000" && [ "${answer[0]}" -ge "$replicas" ]
    local confirmed=$?
    line_close
    return $confirmed
}

check_lease() {
    local key="try:{${tags[0]}}"
    line_open "$key"
    if say "LEASE.ACQUIRE $key:lock 60 BLOB it OWNER intruder"; then
        fault 'a lease that was confirmed is forgotten: somebody else got it'
    elif say "BLOB.PUT $key:lock it theirs"; then
        fault 'a write without the lease passed'
    elif ! say "BLOB.PUT $key:lock it mine LEASE $lease"; then
        fault "the holder's write was refused: ${answer[*]}"
    else
        echo 'The lease that was held goes on: its holder writes, others are refused.'
    fi
    line_close
}

# --- The account --------------------------------------------------------------------------------------------------------------------------

faults=0
fault() {
    faults=$((faults + 1))
    echo "NOT AS PROMISED: $*"
}

# KEY: takes all messages, in portions, and prints what they say.
messages_of() {
    local messages
    messages=$(redis-cli -p "$(line_port "$1")" QUEUE.STAT "$1:jobs" | grep -A 1 -x messages | tail -n 1)
    for ((taken = 0; taken < messages; taken += 32)); do echo "QUEUE.GET $1:jobs COUNT 32 VISIBILITY 600"; done |
        redis-cli -p "$(line_port "$1")" | grep -F "$1-"
}

# NUMBER TAG: one line of the account, and its faults.
account_of() {
    local mine=$trial/writer-$1 key="try:{$2}" answered confirmed stored lost=0 missing twice line
    read -r answered confirmed <"$mine.end"
    stored=$(redis-cli -p "$(line_port "$key")" BLOB.GET "$key:counts" count | sed -n 2p)
    if [ -e "$mine.unconfirmed-lost" ]; then lost=$(awk '{ sum += $1 } END { print sum }' "$mine.unconfirmed-lost"); fi
    messages_of "$key" | sed 's/.*-//' | sort -n >"$mine.messages"
    missing=$(seq 1 "$confirmed" | sort | comm -23 - <(sort "$mine.messages") | wc -l)
    twice=$(uniq -d <"$mine.messages" | wc -l)
    printf '  %-8s %9d %10d %9d %9d %9d %10d ms\n' "$1" "$answered" "$confirmed" "$stored" "$lost" "$missing" "$(longest_gap "$1")"
    [ "$stored" -ge "$confirmed" ] || fault "writer $1: number $confirmed was confirmed, $stored is stored"
    [ "$missing" -eq 0 ] || fault "writer $1: $missing messages that were confirmed are gone"
    [ "$twice" -eq 0 ] || fault "writer $1: $twice messages are there twice"
    [ "$confirmed" -gt 100 ] || fault "writer $1 has only done $confirmed writes"
    [ ! -e "$mine.faults" ] || while IFS= read -r line; do fault "writer $1: $line"; done <"$mine.faults"
}

account() {
    local number=0 tag
    printf '  %-8s %9s %10s %9s %9s %9s %13s\n' writer answered confirmed stored 'lost (1)' 'lost (2)' 'longest pause'
    for tag in "${tags[@]}"; do
        number=$((number + 1))
        account_of "$number" "$tag"
    done
    cat <<END
  (1) answered, but not confirmed by the replicas: may be lost, and the writer was told when it came back with its ETag
  (2) messages that were confirmed and are not in the queue
END
}

verdict() {
    forget_keys
    echo
    if [ "$faults" -gt 0 ]; then
        echo "$faults promises were broken. What each writer saw is in $trial; please report it."
        exit 1
    fi
    rm -rf "$trial"
    echo 'Nothing that was promised is lost.'
}
