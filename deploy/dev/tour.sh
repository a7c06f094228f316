#!/bin/bash
# A short tour of Holdfast: real commands, sent to the server on 127.0.0.1:PORT, and its real replies.
#
# Colours where the output is a terminal, or FORCE_COLOR is set; never with NO_COLOR. It uses the keys tour:* alone and removes them.
set -euo pipefail
port=${PORT:-6379}
keys=(tour:docs tour:jobs tour:stock tour:drive)

title='' client_a='' client_b='' command='' good='' bad='' plain=''
if [ -z "${NO_COLOR:-}" ] && { [ -n "${FORCE_COLOR:-}" ] || [ -t 1 ]; }; then
    title=$'\e[1m' client_a=$'\e[36m' client_b=$'\e[35m' command=$'\e[1m' good=$'\e[32m' bad=$'\e[31m' plain=$'\e[0m'
fi

say() {
    printf '\n%s%s%s\n' "$title" "$1" "$plain"
}

# Shows a command as one would type it at the prompt, with quotes where needed.
as_typed() {
    local word line=''
    for word in "$@"; do
        case $word in
        '' | *[!A-Za-z0-9._:/*@+=-]*) line+=" \"${word//\"/\\\"}\"" ;;
        *) line+=" $word" ;;
        esac
    done
    printf '%s' "${line# }"
}

# A reply on one line, as far as it fits: its values in their order, without the numbers that redis-cli puts before them.
on_one_line() {
    tr -d '\r' | sed -E 's/^([ ]*[0-9]+[)#] ?)+//' | paste -sd '|' | sed -E 's/\|/, /g; s/^(.{117}).{4,}$/\1.../'
}

# who CLIENT COMMAND...: sends it and shows it with its reply, which is left in $reply as text, one line per value, for what comes next.
who() {
    local name=$1 colour=$client_a shown mark=$good
    shift
    if [ "$name" = bob ]; then colour=$client_b; fi
    printf '%s%s>%s %s%s%s\n' "$colour" "$name" "$plain" "$command" "$(as_typed "$@")" "$plain"
    shown=$(redis-cli -3 --no-raw -p "$port" "$@" 2>&1)
    reply=$(sed -nE 's/^[^"]*"(.*)"$/\1/p' <<<"$shown")
    case $shown in '(error)'*) mark=$bad ;; esac
    printf '  %s%s%s\n' "$mark" "$(on_one_line <<<"$shown")" "$plain"
}

first_value() {
    head -n 1 <<<"$reply"
}

# The value of a field in a map.
value_of() {
    sed -nE "s/^.*\"$1\" => \"(.*)$/\1/p; s/^$1\" => \"(.*)$/\1/p" <<<"$reply" | head -n 1
}

redis-cli -p "$port" DEL "${keys[@]}" >/dev/null

say 'A container holds blobs, and is one Redis key. Every write answers a new ETag.'
who alice CONTAINER.CREATE tour:docs
who alice BLOB.PUT tour:docs plan.txt 'ship on Friday'
etag=$(first_value)

say 'Both have read the plan. Bob is quicker, so that Alice is refused: she reads again instead of undoing his change.'
who bob BLOB.PUT tour:docs plan.txt 'ship on Monday' IFMATCH "$etag"
who alice BLOB.PUT tour:docs plan.txt 'ship on Thursday' IFMATCH "$etag"

say 'A lease: for 30 seconds nobody else writes. The second value is a fencing token.'
who alice LEASE.ACQUIRE tour:docs 30 BLOB plan.txt OWNER alice
who bob BLOB.PUT tour:docs plan.txt 'ship today'

say 'A queue: Bob takes a message and has 30 seconds for it. If he fails, it comes back; when he is done, he deletes it.'
who alice QUEUE.CREATE tour:jobs
who alice QUEUE.PUT tour:jobs 'resize cat.jpg'
who bob QUEUE.GET tour:jobs
who bob QUEUE.DELETE tour:jobs "$(value_of id)" "$(value_of receipt)"

say 'A table: entities with typed properties, changed on conditions, found by filters.'
who alice TABLE.CREATE tour:stock
who alice TABLE.INSERT tour:stock lamps red PROPS 1 count:int64 3
who bob TABLE.MERGE tour:stock lamps red IFMATCH '*' IF 'count gt 5' PROPS 1 count:int64 0
who bob TABLE.QUERY tour:stock FILTER 'count lt 5'

say 'A share: Alice opens a file and lets nobody else write to it until she closes it, or her session ends.'
who alice SHARE.CREATE tour:drive
who alice SHARE.CONNECT tour:drive 60 OWNER alice
who alice FILE.OPEN tour:drive "$(first_value)" report.txt ACCESS 1 WRITE SHARE 1 READ DISPOSITION OPENIF
who bob FILE.CREATE tour:drive report.txt 100

say 'What was refused is counted, in INFO holdfast:'
redis-cli -p "$port" INFO holdfast | tr -d '\r' | grep '^holdfast_refused' | grep -v _class_ | sed 's/^/  /'

redis-cli -p "$port" DEL "${keys[@]}" >/dev/null
