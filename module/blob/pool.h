/* A pool: the chunks of a container that is being loaded, by their numbers in the file, so that shared chunks are
 * written once. Any other change of the container discards it. */
#ifndef HOLDFAST_POOL_H
#define HOLDFAST_POOL_H

#include "core/chunk.h"
#include "core/packed.h"

#include <stdint.h>

struct pool;

/* Adds the next chunk of `length` bytes, or the next piece of it: bytes, or a chunk with them, which the pool then
 * owns. False, and nothing taken, when it is not valid. */
bool pool_add(struct account *account, struct pool **pool, uint64_t length, struct bytes piece,
              struct chunk *chunk);

/* Numbers start at one. NULL if there is no such chunk, or it is not complete. */
struct chunk *pool_chunk(const struct pool *pool, uint64_t number);

void pool_drop(struct account *account, struct pool **pool);

#endif
