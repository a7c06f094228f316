/* What the module is measured against: locks as client libraries build them, and a large string. */
#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

/* Who holds a lock or a lease: proposed by the client, so that the next command need not wait for a reply. */
extern const char holder_id[];

/* Nothing ends by itself while it is measured. */
enum { HOLD_SECONDS = 3600 };
#define HOLD_FOR_LONG "holdfast.lease-max-seconds 3600\n"

/* KEYS: the lock. ARGV: the id of the holder. */
extern const char release_script[];

/* A string, as large as to matter and no larger. */
#define LARGE_STRING "string"
enum { LARGE_STRING_BYTES = 64 << 20 };

/* No multiple of what pieces of a blob have, so that ranges begin anywhere. */
enum { PLACES_APART = 1000 };

#endif
