/* The unit tests' memory: core/memory.h on malloc, counted.
 *
 * A resize always moves, so that whoever keeps an old pointer is found out. */
#ifndef HOLDFAST_UNIT_ALLOCATIONS_H
#define HOLDFAST_UNIT_ALLOCATIONS_H

#include "core/chunk.h"

/* What is allocated at this moment. */
size_t allocations_count(void);
size_t allocations_bytes(void);

/* How many there have been, freed or not. */
size_t allocations_made(void);

/* Starts counting from zero. */
void allocations_forget(void);

/* An owner for a chunk: it points to a copy of the bytes, an allocation of its own. memory_drop_owner frees both. */
void *owner_new(struct bytes bytes);
struct bytes owner_bytes(const void *owner);
size_t owner_memory(const void *owner);

/* A chunk with such an owner. */
static inline struct chunk *chunk_with_owner(struct bytes bytes) {
    void *owner = owner_new(bytes);
    return chunk_adopt(owner, owner_bytes(owner), owner_memory(owner));
}

/* Where the owner points to its bytes, so that they can move without it. */
char **owner_place_of_bytes(void *owner);

#endif
