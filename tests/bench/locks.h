/*
 * Locks as client libraries build them of SET NX PX and scripts: what leases are measured against.
 */
#ifndef BENCH_LOCKS_H
#define BENCH_LOCKS_H

/* Who holds a lock or a lease: proposed by the client, so that the next command need not wait for a reply. */
extern const char holder_id[];

/* Nothing ends by itself while it is measured. */
enum { HOLD_SECONDS = 3600 };
#define HOLD_FOR_LONG "holdfast.lease-max-seconds 3600\n"

/* KEYS: the lock. ARGV: the id of the holder. */
extern const char release_script[];

#endif
