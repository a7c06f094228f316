/* A pool: the chunks of a container that a file is building, by the numbers that the file gives them, so that what is
 * shared is written once. It is gone as soon as anything else happens to the container. */
#ifndef HOLDFAST_POOL_H
#define HOLDFAST_POOL_H

#include "core/chunk.h"
#include "core/packed.h"

#include <stdint.h>

struct pool;

/* The next chunk of `length` bytes, or the next piece of it: bytes, or a chunk that holds them and is taken over.
 * False, and nothing taken, for what cannot be one. */
bool pool_add(struct account *account, struct pool **pool, uint64_t length, struct bytes piece,
              struct chunk *chunk);

/* Numbers count from one. NULL if there is no such chunk, or not all of it yet. */
struct chunk *pool_chunk(const struct pool *pool, uint64_t number);

void pool_drop(struct account *account, struct pool **pool);

#endif
