/* An arena: memory for what lives as long as one call does. Small amounts come from the room that the struct brings
 * along, larger ones from blocks; all of it goes at once. */
#ifndef HOLDFAST_ARENA_H
#define HOLDFAST_ARENA_H

#include <stddef.h>

enum { ARENA_ROOM_BYTES = 1024 };

struct arena_block;

struct arena {
    size_t used; /* of the room */
    struct arena_block *blocks;
    _Alignas(max_align_t) char room[ARENA_ROOM_BYTES];
};

static inline void arena_start(struct arena *arena) {
    arena->used = 0;
    arena->blocks = NULL;
}

void arena_end(struct arena *arena);

/* Aligned for anything; never NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);
void *arena_zeroed(struct arena *arena, size_t bytes);

#endif
