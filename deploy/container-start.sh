#!/bin/bash
# Starts the server in a container, where everybody who reaches the port is a stranger: so it asks for a password, or does not start.
#
#   HOLDFAST_PASSWORD_FILE=FILE   a file with the password in its first line: a secret that is mounted
#   HOLDFAST_PASSWORD=PASSWORD    the password itself, which whoever may inspect the container can read
#   HOLDFAST_USERS=FILE           a file of users like users.acl, with passwords of its own, instead of one password for all
#
# Arguments are settings for redis-server: --maxmemory 2gb. If the first one is a file, it is the whole configuration, and nothing
# of the above is read.
set -euo pipefail
configuration=${HOLDFAST_CONFIGURATION:-/usr/local/share/holdfast/redis.conf}

fail() {
    echo "holdfast: $*" >&2
    exit 1
}

# As redis.conf takes it: in double quotes, with those and the backslash escaped.
quoted() {
    local text=${1//\\/\\\\}
    printf '"%s"' "${text//\"/\\\"}"
}

password() {
    local text=${HOLDFAST_PASSWORD:-}
    if [ -n "${HOLDFAST_PASSWORD_FILE:-}" ]; then
        [ -r "$HOLDFAST_PASSWORD_FILE" ] || fail "cannot read HOLDFAST_PASSWORD_FILE $HOLDFAST_PASSWORD_FILE"
        IFS= read -r text <"$HOLDFAST_PASSWORD_FILE" || true
    fi
    [ -n "$text" ] || fail 'give a password in HOLDFAST_PASSWORD_FILE or HOLDFAST_PASSWORD, or users in HOLDFAST_USERS: without one,' \
        'everybody who reaches this port could do everything'
    [[ $text != *[[:cntrl:]]* ]] || fail 'the password has control characters'
    printf '%s' "$text"
}

# Who may come, as lines of redis.conf.
admission() {
    local text
    if [ -n "${HOLDFAST_USERS:-}" ]; then
        [ -r "$HOLDFAST_USERS" ] || fail "cannot read HOLDFAST_USERS $HOLDFAST_USERS"
        ! grep -q '>change-this-' "$HOLDFAST_USERS" || fail "$HOLDFAST_USERS has the passwords of the example: change them"
        printf 'aclfile %s\n' "$(quoted "$HOLDFAST_USERS")"
    else
        text=$(password) || exit 1
        printf 'requirepass %s\nmasterauth %s\n' "$(quoted "$text")" "$(quoted "$text")"
    fi
}

if [ -f "${1:-}" ]; then exec redis-server "$@"; fi
lines=$(admission) || exit 1
unset HOLDFAST_PASSWORD
# The configuration goes in by standard input, so that the password stands neither in a file nor in the list of processes.
exec redis-server - --daemonize no "$@" < <(printf 'include %s\nbind * -::*\n%s\n' "$(quoted "$configuration")" "$lines")
