#!/bin/bash
# A cluster of six nodes by one command: deploy/cluster. Answers in TAP.
set -uo pipefail
kind=cluster
. "$(dirname "$0")/setups.sh"

test_start 6
same "$(redis-cli -c -p "$PORT" BLOB.GET 'sample:{a}' blob-7 | tail -n 1)" content-of-7 'it has data, which every node finds'
holds 'a failover under load loses nothing that was promised' does try
holds 'it shows the failover' says 's  node-4 has taken over\.'
holds 'the lease is held over it' says '^The lease that was held goes on'
holds 'and what became of the data' says '^Nothing that was promised is lost\.$'
holds 'afterwards all is well again' well_soon

# A trial that cannot fail shows nothing: somebody puts an old state back under a writer.
# What took over in the first one grants leases again.
for port in $(seq "$PORT" $((PORT + 5))); do redis-cli -p "$port" HOLDFAST.GRACE END >/dev/null; done
does try 1 &
trial=$!
for _ in {1..300}; do
    if grep -q 'is killed' "$scratch/output"; then break; fi
    sleep 0.1
done
redis-cli -c -p "$((PORT + 1))" BLOB.PUT 'try:{c}:counts' count 5 >/dev/null
holds 'what is lost is told' wait "$trial"
holds 'with the writer to whom it was promised' says '^NOT AS PROMISED: writer 2: [0-9]+ was confirmed, 5 is there$'
test_end
done_testing
