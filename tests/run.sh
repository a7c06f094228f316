#!/bin/bash
# Runs what is built of the tests, says what failed and why, and ends with the line 'N passed, N failed', and ', N skipped' if any were.
#
# SUITES names the suites: unit, fuzz, house, scripts, server, asan (the server programs once more, on the module with sanitizers), matrix
# (the server programs on the installed server and on each one that deploy/dev/servers.sh built), faults (servers that die under load, for
# MINUTES, with SEED if it is given). TESTS holds patterns for the names of programs; without any program it is an error. The programs
# run next to each other, one per core, each with its own scratch folder; each leaves its whole output in build/tests/SUITE-PROGRAM.log.
# They answer in TAP, one line per test. A program that crashes, hangs, or stops before its last test counts as one failure more than it
# told of.
set -uo pipefail
cd "$(dirname "$0")/.."

SUITES=${SUITES:-unit fuzz house scripts server asan}
read -ra patterns <<<"${TESTS:-*}"
JOBS=${JOBS:-$(($(nproc 2>/dev/null || echo 2) + 1))} # programs with servers wait a third of their time
FUZZ_SECONDS=${FUZZ_SECONDS:-5}
TEST_TIMEOUT=${TEST_TIMEOUT:-300}
MINUTES=${MINUTES:-2}
CC=${CC:-gcc}

top=$PWD
results=$top/build/tests
reports=$top/build/asan
servers=$top/build/servers/list
installed_server=${HOLDFAST_SERVER:-redis-server}

# --- How each suite is run: these print nothing of their own; what they print is the program's log ----------------------------------------

run_unit() {
    ASAN_OPTIONS=detect_leaks=$leaks UBSAN_OPTIONS=print_stacktrace=1 CMOCKA_MESSAGE_OUTPUT=TAP \
        timeout -k 5 "$TEST_TIMEOUT" "build/unit/$1"
}

run_house() {
    timeout -k 5 "$TEST_TIMEOUT" tests/house.sh
}

run_scripts() {
    timeout -k 5 "$TEST_TIMEOUT" "tests/scripts/$1.sh"
}

run_server() {
    HOLDFAST_MODULE=$top/build/holdfast.so HOLDFAST_SOURCES=$top HOLDFAST_TMP=$scratch \
        HOLDFAST_SERVER=$installed_server CMOCKA_MESSAGE_OUTPUT=TAP \
        timeout -k 5 "$TEST_TIMEOUT" "build/server/$1"
}

run_faults() {
    HOLDFAST_MODULE=$top/build/holdfast.so HOLDFAST_TMP=$scratch HOLDFAST_SERVER=$installed_server \
        timeout -k 5 $((MINUTES * 60 + TEST_TIMEOUT)) "build/faults/$1" --minutes "$MINUTES" ${SEED:+--seed "$SEED"}
}

# The same on the server that a suite of the matrix, server@NAME, is about.
run_matrix() {
    local installed_server=${server_programs[$2]}
    run_server "$1"
}

# The sanitizers write into report files, since a server's own output may be anywhere.
run_asan() {
    ASAN_OPTIONS=log_path=$reports/report.$1:detect_leaks=$leaks:abort_on_error=0:exitcode=99 \
    UBSAN_OPTIONS=log_path=$reports/report.$1:print_stacktrace=1:halt_on_error=1 \
    HOLDFAST_PRELOAD=$("$CC" -print-file-name=libasan.so) \
    HOLDFAST_MODULE=$top/build/asan/holdfast.so HOLDFAST_SOURCES=$top HOLDFAST_TMP=$scratch \
        HOLDFAST_SERVER=$installed_server CMOCKA_MESSAGE_OUTPUT=TAP \
        timeout -k 5 $((TEST_TIMEOUT * 2)) "build/server/$1"
}

# What the fuzzer finds that is new stays in build/, and is tried first the next time. A crash leaves its input beside the log.
run_fuzz() {
    local corpus=$top/build/fuzz/corpus/$1 seeds=()
    mkdir -p "$corpus"
    if [ -d "tests/fuzz/seeds/$1" ]; then seeds=("tests/fuzz/seeds/$1"); fi
    ASAN_OPTIONS=detect_leaks=$leaks timeout -k 5 $((FUZZ_SECONDS + TEST_TIMEOUT)) \
        "build/fuzz/$1" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="$results/$1-" "$corpus" "${seeds[@]}"
}

# --- One job: run a program, read its log, write down the counts --------------------------------------------------------------------------

# TAP: '1..N' announces tests, 'ok' and 'not ok' tell of one each. A program may announce several groups.
tap_counts() {
    awk '/^1\.\.[0-9]+/ { planned += substr($0, 4) }
         /^(not )?ok [0-9]+ # SKIP/ { skipped++; next }
         /^ok [0-9]+/ { passed++ }
         /^not ok [0-9]+/ { failed++ }
         END { print passed + 0, failed + 0, skipped + 0, planned + 0 }' "$1"
}

job() {
    local suite=$1 program=$2 status=0 passed failed skipped planned began=$SECONDS reason=''
    local log=$results/$suite-$program.log
    scratch=$top/build/tmp/$suite-$program
    rm -rf "$scratch"
    mkdir -p "$scratch"
    case $suite in
    server@*) run_matrix "$program" "$suite" ;;
    *) "run_$suite" "$program" ;;
    esac >"$log" 2>&1 </dev/null || status=$?
    if [ "$suite" = fuzz ]; then
        passed=$((status == 0)) failed=$((status != 0)) skipped=0
        [ "$status" -eq 0 ] || reason='found something'
    else
        read -r passed failed skipped planned < <(tap_counts "$log")
        if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
            reason='took too long'
        elif [ "$status" -ge 128 ]; then
            reason="ended by signal $((status - 128))"
        elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
            reason="exit status $status"
        elif [ $((passed + failed + skipped)) -lt "$planned" ]; then
            reason="told of $((passed + failed + skipped)) tests only, of $planned"
        elif [ "$planned" -eq 0 ]; then
            reason='told of no test'
        fi
        [ -z "$reason" ] || failed=$((failed + 1))
    fi
    if [ "$suite" = asan ] && compgen -G "$reports/report.$program.*" >/dev/null; then
        failed=$((failed + 1))
        reason="${reason:+$reason; }a sanitizer reported"
    fi
    [ "$failed" -gt 0 ] || rm -rf "$scratch"
    echo "$passed $failed $skipped" >"$results/$suite-$program.counts"
    printf '%-*s %-28s %4d passed %3d failed %s%4ds%s\n' "$suite_width" "$suite" "$program" "$passed" "$failed" \
        "$([ "$skipped" -eq 0 ] || echo "$skipped skipped ")" $((SECONDS - began)) "${reason:+  ($reason)}"
}

# Shows of a log what a person needs to find the fault: the failed tests and what they said.
explain() {
    local suite=$1 program=$2 report
    echo
    echo "--- $suite $program, the whole of it is in build/tests/$suite-$program.log"
    if grep -q '^not ok' "$results/$suite-$program.log"; then
        grep -vE '^(ok|1\.\.|# skipped: |not ok [0-9]+ # SKIP)' "$results/$suite-$program.log" | head -n 80
    else
        tail -n 40 "$results/$suite-$program.log"
    fi
    for report in "$reports/report.$program".*; do
        if [ "$suite" = asan ] && [ -e "$report" ]; then echo "--- $report"; head -n 60 "$report"; fi
    done
}

# --- The matrix ---------------------------------------------------------------------------------------------------------------------------

# The servers' suites, and the program of each; '-' for a server that could not be built.
declare -A server_programs=()
matrix_suites=()
matrix_prepare() {
    local name program
    server_programs=([server@installed]=$installed_server)
    matrix_suites=(server@installed)
    [ -f "$servers" ] || return 0
    while read -r name program; do
        matrix_suites+=("server@$name")
        server_programs[server@$name]=$program
    done <"$servers"
}

# 'Redis server v=8.0.2 sha=...' gives 'Redis 8.0.2'.
version_of() {
    "$1" --version 2>/dev/null | sed -nE 's/^([A-Za-z]+) server v=([^ ]+).*/\1 \2/p'
}

matrix_counts() {
    cat "$results/$1"-*.counts 2>/dev/null |
        awk '{ passed += $1; failed += $2; skipped += $3 } END { print passed + 0, failed + 0, skipped + 0 }'
}

# The tests that were left out; each told why just before.
skips_of() {
    awk '/^# skipped: / { reason = substr($0, 12) }
         /^(not )?ok [0-9]+ # SKIP/ { print FILENAME " " $NF ": " reason }' "$results/$1"-*.log 2>/dev/null |
        sed -E "s#^$results/$1-([^ ]*)\.log #    skipped in \1: #"
}

# Whether a server of that family, and at least of that version, was among those that ran.
matrix_has() {
    local suite family version
    for suite in "${matrix_suites[@]}"; do
        read -r family version < <(version_of "${server_programs[$suite]}")
        if [ "$family" = "$1" ] && [ "${version%%.*}" -ge "$2" ]; then return 0; fi
    done
    return 1
}

matrix_line() {
    local version
    if [ "${server_programs[$1]}" = - ]; then
        printf '%-32s could not be built, which counts as a failure\n' "${1#server@}"
        failed=$((failed + 1))
        return
    fi
    version=$(version_of "${server_programs[$1]}")
    # shellcheck disable=SC2046 # three words
    printf '%-32s %6d %6d %7d\n' "${1#server@}${version:+ ($version)}" $(matrix_counts "$1")
    skips_of "$1"
}

# Whatever the distribution offers: without these two the matrix has not shown what it is there for.
matrix_table() {
    local suite least
    echo
    printf '%-32s %6s %6s %7s\n' server passed failed skipped
    for suite in "${matrix_suites[@]}"; do matrix_line "$suite"; done
    for least in 'Redis 8' 'Valkey 9'; do
        # shellcheck disable=SC2086 # two words
        matrix_has $least && continue
        echo "There was no $least or newer to test with, which counts as a failure: make servers"
        failed=$((failed + 1))
    done
}

# --- All jobs -----------------------------------------------------------------------------------------------------------------------------

# A leak check stops the process and walks its memory as a debugger does; where that is not allowed, only the other checks are made.
leak_check_works() {
    local trial=$results/leak-check
    echo 'int main(void) { return 0; }' | "$CC" -fsanitize=address -x c - -o "$trial" 2>/dev/null &&
        ASAN_OPTIONS=detect_leaks=1 "$trial" >/dev/null 2>&1
}

is_chosen() {
    local pattern
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2053 # it is a pattern
        if [[ $1 == $pattern ]]; then return 0; fi
    done
    return 1
}

programs_of() {
    case $1 in
    unit) set -- tests/unit/test_*.c ;;
    server | asan) set -- tests/server/test_*.c ;;
    fuzz) set -- tests/fuzz/fuzz_*.c ;;
    faults) set -- build/faults/holdfast-faults ;;
    house) set -- tests/house.sh ;;
    scripts) set -- tests/scripts/test_*.sh ;;
    *) echo "run.sh: no suite is called '$1'" >&2; set -- ;;
    esac
    local source name
    for source in "$@"; do
        name=$(basename "$source")
        name=${name%.*}
        if [ -e "$source" ] && is_chosen "$name"; then echo "$name"; fi
    done
}

rm -rf "$results" "$top/build/tmp"
mkdir -p "$results" "$reports"
rm -f "$reports"/report.*
leaks=0
if leak_check_works; then leaks=1; else echo 'Leaks are not looked for: this environment does not allow it.'; fi

suites=()
for suite in faults asan matrix server fuzz unit scripts house; do
    [[ " $SUITES " == *" $suite "* ]] || continue
    if [ "$suite" = matrix ]; then
        matrix_prepare
        suites+=("${matrix_suites[@]}")
    else
        suites+=("$suite")
    fi
done

# The slowest first, so that no core waits for one long program at the end.
passed=0 failed=0 skipped=0 suite_width=6
jobs_to_do=()
for suite in "${suites[@]}"; do
    [ "${server_programs[$suite]:-}" != - ] || continue
    [ ${#suite} -le "$suite_width" ] || suite_width=${#suite}
    for program in $(programs_of "${suite%%@*}"); do jobs_to_do+=("$suite $program"); done
done
if [ ${#jobs_to_do[@]} -eq 0 ]; then
    echo "run.sh: no program of '$SUITES' is called '${patterns[*]}'" >&2
    exit 1
fi

running=0
for next in "${jobs_to_do[@]}"; do
    if [ "$running" -ge "$JOBS" ]; then
        wait -n
        running=$((running - 1))
    fi
    # shellcheck disable=SC2086 # two words
    job $next &
    running=$((running + 1))
done
wait

# With AGAIN=1 a program with real servers that has failed beside others is run once more, alone: on a machine that stood still for a
# moment, what has to happen in time does not. It is told of, and the log of the first time stays. What a sanitizer or a fuzzer has
# found counts at once.
may_run_again() {
    local suite=$1 program=$2
    [ "${AGAIN:-}" = 1 ] || return 1
    case $suite in
    server | server@* | scripts | faults) ;;
    asan) ! compgen -G "$reports/report.$program.*" >/dev/null || return 1 ;;
    *) return 1 ;;
    esac
    [ "$(cut -d ' ' -f 2 "$results/$suite-$program.counts" 2>/dev/null)" != 0 ]
}

for next in "${jobs_to_do[@]}"; do
    suite=${next% *} program=${next#* }
    may_run_again "$suite" "$program" || continue
    echo "again, alone: $suite $program failed; its log is in build/tests/first-$suite-$program.log"
    mv "$results/$suite-$program.log" "$results/first-$suite-$program.log"
    # With the same random numbers: what they have found must not get lost.
    seed=$(grep -om1 'HOLDFAST_SEED=[0-9]*' "$results/first-$suite-$program.log")
    # shellcheck disable=SC2086 # two words
    HOLDFAST_SEED=${seed#*=} job $next
done

for next in "${jobs_to_do[@]}"; do
    suite=${next% *} program=${next#* }
    read -r program_passed program_failed program_skipped <"$results/$suite-$program.counts" ||
        { program_passed=0 program_failed=1 program_skipped=0; }
    passed=$((passed + program_passed)) failed=$((failed + program_failed)) skipped=$((skipped + program_skipped))
    [ "$program_failed" -eq 0 ] || explain "$suite" "$program"
done
[ ${#matrix_suites[@]} -eq 0 ] || matrix_table
echo
echo "$passed passed, $failed failed$([ "$skipped" -eq 0 ] || echo ", $skipped skipped")" | tee "$results/summary"
[ "$failed" -eq 0 ]
