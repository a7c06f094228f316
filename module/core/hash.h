/* A keyed hash (SipHash-1-3) for names that come from outside: without the key nobody can choose names that
 * collide. */
#ifndef HOLDFAST_HASH_H
#define HOLDFAST_HASH_H

#include "core/bytes.h"

#include <stdint.h>

/* Once, at start, before anything is hashed. */
void hash_seed(const unsigned char seed[16]);

uint32_t hash_bytes(struct bytes bytes);

#endif
