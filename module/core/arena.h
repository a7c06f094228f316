/* An arena: memory that lives as long as one call. Small amounts come from a buffer inside the struct, larger ones
 * from blocks; everything is freed at once. */
#ifndef HOLDFAST_ARENA_H
#define HOLDFAST_ARENA_H

#include "core/bytes.h"
#include "core/memory.h"

#include <stddef.h>

enum { ARENA_BUFFER_BYTES = 1024 };

struct arena_block;

struct arena {
    size_t used; /* bytes of the buffer */
    struct arena_block *blocks;
    _Alignas(MEMORY_ALIGNMENT) char buffer[ARENA_BUFFER_BYTES];
};

static inline void arena_start(struct arena *arena) {
    arena->used = 0;
    arena->blocks = NULL;
}

void arena_end(struct arena *arena);

/* Aligned as allocations are; never NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);
void *arena_zeroed(struct arena *arena, size_t bytes);
struct bytes arena_copy(struct arena *arena, struct bytes bytes);

#endif
