/* What the module is measured against: locks as client libraries build them, and a large string. */
#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

/* The holder of a lock or a lease. The client proposes it, so the next command need not wait for a reply. */
extern const char holder_id[];

/* Long enough that nothing expires while it is measured. */
enum { HOLD_SECONDS = 3600 };
#define HOLD_FOR_LONG "holdfast.lease-max-seconds 3600\n"

/* KEYS: the lock. ARGV: the id of the holder. */
extern const char release_script[];

/* A string that is large enough to matter. */
#define LARGE_STRING "string"
enum { LARGE_STRING_BYTES = 64 << 20 };

/* Not a multiple of the size of a blob's pieces, so that ranges begin anywhere. */
enum { OFFSETS_APART = 1000 };

#endif
