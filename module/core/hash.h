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

/* Called once at start, before anything is hashed. */
void hash_seed(const unsigned char seed[HASH_SEED_BYTES]);

__attribute__((pure)) uint32_t hash_bytes(struct bytes bytes);
/* For those who keep no names: those of two names are alike once in 2^64. */
__attribute__((pure)) uint64_t hash_wide(struct bytes bytes);

/* A hash without a key, the same on every server and for ever, for input that nobody gains from making collide.
 * `before` is the hash of the preceding bytes. */
uint64_t hash_stable(uint64_t before, struct bytes bytes);

#endif
