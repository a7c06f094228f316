#!/bin/bash
# The container's start, without a container: it asks strangers for a password or does not start. And what can be read off the
# Containerfile. Answers in TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
server='' port=''
trap 'stop; rm -rf "$place"' EXIT

make -s -o build/holdfast.so install DESTDIR='' PREFIX="$place/root" >/dev/null
sed -i "s#^dir .*#dir $place#" "$place/root/share/holdfast/redis.conf"
mkdir "$place/bin"
ln -s "$(command -v "${HOLDFAST_SERVER:-redis-server}")" "$place/bin/redis-server"
export PATH=$place/bin:$PATH HOLDFAST_CONFIGURATION=$place/root/share/holdfast/redis.conf
# An address that is not this machine's own loop: to that one, Redis's protected mode says no.
address=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 '\.')
address=${address:-127.0.0.1}

# start NAME=VALUE... [-- ARGUMENT...]
start() {
    local settings=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do settings+=("$1"); shift; done
    [ $# -eq 0 ] || shift
    for _ in {1..20}; do
        port=$((20000 + RANDOM % 20000))
        env "${settings[@]}" deploy/container-start.sh "$@" --port "$port" >"$place/log" 2>&1 &
        server=$!
        for _ in {1..200}; do
            if redis-cli -h "$address" -p "$port" PING >/dev/null 2>&1; then return 0; fi
            if ! kill -0 "$server" 2>/dev/null; then break; fi
            sleep 0.05
        done
        grep -q 'Address already in use' "$place/log" || return 1
    done
    return 1
}

stop() {
    [ -z "$server" ] || { kill "$server"; wait "$server"; } 2>/dev/null
    server=''
}

ask() { redis-cli -h "$address" -p "$port" "$@" 2>/dev/null; }

refuses() {
    local what=$1 says=$2
    shift 2
    if timeout 10 env "$@" deploy/container-start.sh --port 0 >"$place/log" 2>&1; then told 'not ok' "$what"; return; fi
    holds "$what" grep -q "^holdfast: .*$says" "$place/log"
}

refuses 'without a password it does not start' 'give a password' A=b
refuses 'an empty one is none' 'give a password' HOLDFAST_PASSWORD=
: >"$place/empty"
refuses 'an empty file has none' 'give a password' HOLDFAST_PASSWORD_FILE="$place/empty"
refuses 'a file that is not there is no password' 'cannot read' HOLDFAST_PASSWORD_FILE="$place/none" HOLDFAST_PASSWORD=x
refuses 'users that are not there are none' 'cannot read' HOLDFAST_USERS="$place/none" HOLDFAST_PASSWORD=x
refuses 'the passwords of the example are none' 'change them' HOLDFAST_USERS="$PWD/deploy/users.acl"
refuses 'a password is one line' 'control characters' HOLDFAST_PASSWORD=$'x\nrequirepass ""'

hard='a "quoted" \ password # with $HOME and '\''more'\'''
printf '%s\n' "$hard" >"$place/password"
start HOLDFAST_PASSWORD_FILE="$place/password"
same "$(ask PING)" 'NOAUTH Authentication required.' 'strangers are asked for the password'
same "$(ask -a x PING | head -n 1)" 'NOAUTH Authentication required.' 'and a wrong one does not help'
holds 'with it, from outside, one may write' grep -q '^0x' <(ask -a "$hard" CONTAINER.CREATE box)
same "$(ask -a "$hard" CONFIG GET appendonly | tail -n 1)" yes 'the sample configuration is read'
holds 'the password is not in the list of processes' test "$(tr '\0' '\n' <"/proc/$server/cmdline" | grep -c quoted)" -eq 0
stop

start HOLDFAST_PASSWORD=secret-of-the-environment -- --maxmemory 12345678
same "$(ask -a secret-of-the-environment CONFIG GET maxmemory | tail -n 1)" 12345678 'arguments are settings'
holds 'the password is not in the environment of the server' test "$(tr '\0' '\n' <"/proc/$server/environ" | grep -c secret-of)" -eq 0
stop

sed 's/change-this-//' deploy/users.acl >"$place/users.acl"
start HOLDFAST_USERS="$place/users.acl"
same "$(ask PING)" 'NOAUTH Authentication required.' 'with users, too, strangers are asked'
holds 'a user may do nothing to the keys of others' grep -q '^NOPERM' <(ask --user app -a app-password CONTAINER.CREATE other)
holds 'and may do what is its own' grep -q '^0x' <(ask --user app -a app-password CONTAINER.CREATE app:box)
stop

# --- The Containerfile, as text -----------------------------------------------------------------------------------------------------------

last_stage() { awk '/^FROM / { text = "" } { text = text $0 "\n" } END { printf "%s", text }' deploy/Containerfile; }
same "$(last_stage | awk '$1 == "USER" { user = $2 } END { print user }')" redis 'the server does not run as root'
same "$(last_stage | grep '^COPY' | grep -cv -- '--chown=root:root')" 0 'all that is copied belongs to root'
holds 'the image starts by the script that is tested here' \
    test "$(last_stage | grep -cE 'container-start.sh /usr/local/bin/holdfast-start$|^ENTRYPOINT \["holdfast-start"\]$')" -eq 2
same "$(last_stage | grep -c '^CMD')" 0 'and nothing is passed by'
done_testing
