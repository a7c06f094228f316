#include "core/arena.h"

#include "core/inlining.h"

#include <string.h>

struct arena_block {
    struct arena_block *next;
    char bytes[];
};

static size_t align_bytes(size_t bytes) {
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

ASIDE static void *alloc_block(struct arena *arena, size_t bytes) {
    struct arena_block *block = memory_alloc(sizeof(*block) + bytes);
    block->next = arena->blocks;
    arena->blocks = block;
    return block->bytes;
}

void *arena_alloc(struct arena *arena, size_t bytes) {
    if (bytes <= ARENA_BUFFER_BYTES && align_bytes(bytes) <= ARENA_BUFFER_BYTES - arena->used) {
        void *at = arena->buffer + arena->used;
        arena->used += align_bytes(bytes);
        return at;
    }
    return alloc_block(arena, bytes);
}

void *arena_zeroed(struct arena *arena, size_t bytes) {
    return memset(arena_alloc(arena, bytes), 0, bytes);
}

struct bytes arena_copy(struct arena *arena, struct bytes bytes) {
    if (!bytes.length) return bytes_of("", 0);
    return bytes_of(memcpy(arena_alloc(arena, bytes.length), bytes.data, bytes.length), bytes.length);
}

void arena_end(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        memory_free(block);
    }
}
