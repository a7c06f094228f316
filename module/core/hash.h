/* A keyed hash for names that come from outside: fast, and without the key nobody can choose names that
 * collide.
 *
 * Sixteen bytes at a time are mixed by one wide multiplication, both of whose factors depend on the key and
 * on all that came before. */
#ifndef HOLDFAST_HASH_H
#define HOLDFAST_HASH_H

#include "core/bytes.h"

#include <stdint.h>

enum { HASH_SEED_BYTES = 32 };

/* Once, at start, before anything is hashed. */
void hash_seed(const unsigned char seed[HASH_SEED_BYTES]);

uint32_t hash_bytes(struct bytes bytes);

/* One that is the same on every server and for ever, without a key: for what nobody gains anything by making equal.
 * `before` is that of what comes before it. */
uint64_t hash_stable(uint64_t before, struct bytes bytes);

#endif
