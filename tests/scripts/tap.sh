# What tests of scripts say, in TAP. Read by them with '.'.

# Texts that are not ASCII are shown and compiled in the same way on each machine.
export LC_ALL=C.UTF-8

tests_told=0

told() {
    tests_told=$((tests_told + 1))
    echo "$1 $tests_told - $2"
}

# same FOUND EXPECTED WHAT
same() {
    if [ "$1" = "$2" ]; then told ok "$3"; return; fi
    told 'not ok' "$3"
    diff <(echo "$2") <(echo "$1") | sed 's/^</#   missing:/; s/^>/#   not expected:/' | grep '^#'
}

# holds WHAT COMMAND...
holds() {
    local what=$1
    shift
    if "$@"; then told ok "$what"; else told 'not ok' "$what"; fi
}

# skip REASON WHAT
skip() {
    tests_told=$((tests_told + 1))
    echo "# skipped: $1"
    echo "ok $tests_told # SKIP $2"
}

# have TASK: whether the packages that it takes are there, or can be had (deploy/dev/packages.sh).
have() {
    deploy/dev/packages.sh --check "$1" >/dev/null 2>&1 || { [ "$(id -u)" -eq 0 ] && deploy/dev/packages.sh "$1" >/dev/null 2>&1; }
}

done_testing() {
    echo "1..$tests_told"
}
