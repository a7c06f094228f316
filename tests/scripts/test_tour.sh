#!/bin/bash
# The tour that 'make run' plays: it shows every family, nothing in it fails unless it should, and it leaves nothing behind. TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/scripts/tap.sh

place=$(mktemp -d)
trap 'kill "$runner" 2>/dev/null; wait "$runner" 2>/dev/null; rm -rf "$place"' EXIT

NO_COLOR=1 PORT=$((20000 + RANDOM % 20000)) deploy/dev/run.sh build/holdfast.so >"$place/output" 2>&1 &
runner=$!
for _ in {1..600}; do
    if grep -q '^Nothing is kept on disk' "$place/output"; then break; fi
    sleep 0.05
done
port=$(sed -nE 's/.*redis-cli -p ([0-9]+)$/\1/p' "$place/output")

for family in CONTAINER BLOB LEASE QUEUE TABLE SHARE FILE; do
    holds "it shows a command of $family" grep -qE "^(alice|bob)> $family\." "$place/output"
done
same "$(grep -oE '^  \(error\) [A-Z]+ [A-Za-z]+' "$place/output" | sed 's/^  (error) //')" \
    "$(printf '%s\n' 'PRECONDITION ConditionNotMet' 'PRECONDITION LeaseIdMissing' 'PRECONDITION UpdateConditionNotSatisfied' \
        'CONFLICT SharingViolation')" 'what is refused is what should be, and nothing else'
holds 'the message that was taken is deleted' \
    test "$(grep -A1 '^bob> QUEUE.DELETE' "$place/output" | tail -n 1)" = '  OK'
holds 'it shows no zeros' test "$(grep -cE ':0\b' "$place/output")" -eq 0
same "$(sed -nE 's/^  holdfast_refused_?//p' "$place/output")" \
    "$(printf '%s\n' ConditionNotMet:1 LeaseIdMissing:1 UpdateConditionNotSatisfied:1 SharingViolation:1 :4)" \
    'it shows the refusals that occurred'
lines=$(sed '/^Holdfast is running/,$d' "$place/output" | grep -c .)
holds "it has about forty lines ($lines)" test "$lines" -ge 30 -a "$lines" -le 48
holds 'no line is longer than a wide terminal' test "$(awk 'length > 130' "$place/output" | wc -l)" -eq 0
same "$(redis-cli -p "$port" DBSIZE)" 0 'it leaves no key behind'
done_testing
