/* Arenas: what they give is aligned, apart, and gone at the end. */
#include "core/arena.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

TEST(pieces_of_an_arena_are_aligned_and_apart) {
    struct arena arena ENDS_BY(arena_end);
    unsigned char *pieces[64];
    arena_start(&arena);
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        pieces[i] = arena_alloc(&arena, i + 1);
        require((uintptr_t)pieces[i] % MEMORY_ALIGNMENT == 0, "piece %zu is aligned", i);
        memset(pieces[i], (int)i, i + 1);
    }
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
        for (size_t at = 0; at <= i; at++) require(pieces[i][at] == i, "piece %zu is its own", i);
}

TEST(small_pieces_of_an_arena_take_no_memory) {
    struct arena arena;
    size_t before = allocations_count();
    arena_start(&arena);
    for (size_t left = ARENA_BUFFER_BYTES; left; left -= 64) arena_zeroed(&arena, 64);
    require_same(allocations_count(), before, "allocations while the room lasts");
    unsigned char *beyond = arena_zeroed(&arena, 64);
    require_same(allocations_count(), before + 1, "allocations beyond the room");
    for (size_t at = 0; at < 64; at++) require(!beyond[at], "byte %zu is zero", at);
    arena_end(&arena);
    require_same(allocations_count(), before, "allocations at the end");
}

TEST(an_arena_gives_pieces_larger_than_its_buffer) {
    struct arena arena ENDS_BY(arena_end);
    arena_start(&arena);
    char *large = arena_alloc(&arena, ARENA_BUFFER_BYTES + 1);
    memset(large, 1, ARENA_BUFFER_BYTES + 1);
    size_t before = allocations_count();
    arena_alloc(&arena, ARENA_BUFFER_BYTES);
    require_same(allocations_count(), before, "the room is left for small ones");
}
