#!/bin/bash
# A short tour of Holdfast: real commands, sent to the server on 127.0.0.1:PORT, and its real replies.
#
# Colours where the output is a terminal, or FORCE_COLOR is set; never with NO_COLOR. It uses the key 'tour' alone and removes it.
set -euo pipefail
port=${PORT:-6379}
key=tour

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

# who CLIENT COMMAND...: sends it and shows it with its reply, which is left in $reply as text, one line per value, for what comes next.
# Counters that are zero are not shown.
who() {
    local name=$1 colour=$client_a shown line
    shift
    if [ "$name" = bob ]; then colour=$client_b; fi
    printf '%s%s>%s %s%s%s\n' "$colour" "$name" "$plain" "$command" "$(as_typed "$@")" "$plain"
    shown=$(redis-cli -3 --no-raw -p "$port" "$@" 2>&1)
    reply=$(sed -nE 's/^[^"]*"(.*)"$/\1/p' <<<"$shown")
    while IFS= read -r line; do
        case $line in
        '(error)'*) printf '  %s%s%s\n' "$bad" "$line" "$plain" ;;
        *) printf '  %s%s%s\n' "$good" "$line" "$plain" ;;
        esac
    done < <(grep -v ':0\r*$' <<<"$shown")
}

first_value() {
    head -n 1 <<<"$reply"
}

redis-cli -p "$port" DEL "$key" >/dev/null

say 'A container holds blobs. It is one Redis key.'
who alice CONTAINER.CREATE "$key" META 1 team docs
who alice BLOB.PUT "$key" plan.txt 'ship on Friday' PROPS 1 content-type text/plain

say 'Alice and Bob both read the plan. Each gets its ETag along with it.'
who alice BLOB.GET "$key" plan.txt
etag=$(first_value)
who bob BLOB.GET "$key" plan.txt

say 'Bob is quicker. His write says: only if nobody changed it since I read it.'
who bob BLOB.PUT "$key" plan.txt 'ship on Monday' IFMATCH "$etag"

say 'Alice says the same. Her write is refused, so that Bob'\''s is not lost.'
who alice BLOB.PUT "$key" plan.txt 'ship on Thursday' IFMATCH "$etag"

say 'She reads again, decides again, and writes again.'
who alice BLOB.GET "$key" plan.txt
etag=$(first_value)
who alice BLOB.PUT "$key" plan.txt 'ship on Monday, at noon' IFMATCH "$etag"

say 'Create, but never overwrite: one of many starters wins.'
who alice BLOB.PUT "$key" leader 'alice' IFNONEMATCH '*'
who bob BLOB.PUT "$key" leader 'bob' IFNONEMATCH '*'

say 'Metadata go along with a blob, and count as a change of it.'
who bob BLOB.SETMETA "$key" plan.txt META 2 status agreed by bob
who bob BLOB.GETMETA "$key" plan.txt

say 'Alice takes a lease: for 30 seconds nobody else can write. The second value is a fencing token.'
who alice LEASE.ACQUIRE "$key" 30 BLOB plan.txt OWNER alice
lease=$(first_value)
who bob BLOB.PUT "$key" plan.txt 'ship today'
who alice BLOB.PUT "$key" plan.txt 'ship on Tuesday' LEASE "$lease"

say 'Bob waits in line. When Alice gives the lease back, it is his in the same moment.'
coproc waiting { who bob LEASE.ACQUIRE "$key" 30 BLOB plan.txt OWNER bob BLOCK 10; }
exec {waiting_output}<&"${waiting[0]}"
waiting_process=$!
for _ in {1..100}; do
    if redis-cli -p "$port" LEASE.GET "$key" BLOB plan.txt | tail -n 1 | grep -q '^1$'; then break; fi
    sleep 0.02
done
who alice LEASE.GET "$key" BLOB plan.txt
who alice LEASE.RELEASE "$key" "$lease" BLOB plan.txt
wait "$waiting_process"
cat <&"$waiting_output"

say 'Names with a delimiter list like folders.'
for name in photos/cat.jpg photos/dog.jpg photos/2024/sea.jpg; do
    redis-cli -p "$port" BLOB.PUT "$key" "$name" 'bytes' >/dev/null
done
who alice BLOB.LIST "$key" DELIMITER /
who alice BLOB.LIST "$key" PREFIX photos/ DELIMITER / COUNT 2

say 'What the server has seen so far (what is zero is left out):'
who alice INFO holdfast

redis-cli -p "$port" CONTAINER.DELETE "$key" >/dev/null
