#!/bin/bash
# One primary, two replicas and three Sentinels by one command: deploy/sentinel. Answers in TAP.
set -uo pipefail
kind=sentinel
. "$(dirname "$0")/setups.sh"

test_start 6
holds 'a failover under load loses nothing that was promised' does try
holds 'it shows the failover' says 's  The Sentinels have promoted node-[23]\.'
holds 'the lease is held over it' says '^The lease that was held goes on'
holds 'and what became of the data' says '^Nothing that was promised is lost\.$'
holds 'afterwards all is well again' well_soon
holds 'the server that was promoted and the one that came back can both be started again: what Sentinel wrote fits' \
    test "$(grep -c '^loadmodule' "$HOLDFAST_PLACE"/node-*/own.conf | sort -u -t: -k2 | sed 's/.*://')" = 1
test_end
done_testing
