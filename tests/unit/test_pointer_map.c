/* Pointer maps: a number for each pointer, kept however many there are. */
#include "core/pointer_map.h"

#include "dice.h"
#include "unit.h"

#include <stdlib.h>

TEST(numbers_of_pointers_are_zero_at_first) {
    struct pointer_map map ENDS_BY(pointer_map_end) = {0};
    int places[3];
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        require_same(*pointer_map_at(&map, &places[i]), 0, "place %zu", i);
    require_same(map.count, ARRAY_SIZE(places), "pointers that were asked for");
    require_same(*pointer_map_at(&map, &places[0]), 0, "a place again");
    require_same(map.count, ARRAY_SIZE(places), "a pointer that was asked for twice");
}

TEST(an_ended_map_is_an_empty_one) {
    struct pointer_map map = {0};
    int place;
    pointer_map_end(&map);
    for (int round = 0; round < 3; round++) {
        uintptr_t *number = pointer_map_at(&map, &place);
        require_same(*number, 0, "round %d", round);
        *number = 7;
        require_same(*pointer_map_at(&map, &place), 7, "round %d", round);
        pointer_map_end(&map);
        require_same(map.count, 0, "round %d", round);
        require_same(allocations_count(), 0, "round %d", round);
    }
}

enum { POINTERS = 40000 };

/* Asks for the pointers in a random order; after each one that is new, for some of those before. */
static void require_numbers_kept(char *const *pointers, size_t count, struct dice *dice) {
    struct pointer_map map ENDS_BY(pointer_map_end) = {0};
    for (size_t i = 0; i < count; i++) {
        uintptr_t *number = pointer_map_at(&map, pointers[i]);
        require_same(*number, 0, "pointer %zu is new", i);
        *number = i + 1;
        require_same(map.count, i + 1, "pointer %zu is one more", i);
        for (int again = 0; again < 3; again++) {
            size_t before = dice_roll(dice, i + 1);
            require_same(*pointer_map_at(&map, pointers[before]), before + 1, "pointer %zu after %zu", before,
                         i);
        }
    }
    for (size_t i = 0; i < count; i++)
        require_same(*pointer_map_at(&map, pointers[i]), i + 1, "pointer %zu at the end", i);
    require_same(map.count, count, "at the end");
    require(map.capacity > count && map.capacity <= 8 * count + 16, "%zu pointers take %zu slots", count,
            map.capacity);
}

TEST(many_pointers_keep_their_numbers) {
    struct dice dice = {31};
    char **pointers = malloc(POINTERS * sizeof(*pointers));
    require(pointers, "there is memory");
    for (size_t i = 0; i < POINTERS; i++) pointers[i] = malloc(1 + dice_roll(&dice, 200));
    dice_shuffle(&dice, (void **)pointers, POINTERS);
    require_numbers_kept(pointers, POINTERS, &dice);
    for (size_t i = 0; i < POINTERS; i++) free(pointers[i]);
    free(pointers);
}

/* However far apart they are: next to each other, or on pages of their own. */
TEST(pointers_at_regular_distances_are_found) {
    enum { COUNT = 3000, FARTHEST = 4096 };
    struct dice dice = {32};
    char *room = malloc((size_t)COUNT * FARTHEST);
    char **pointers = malloc(COUNT * sizeof(*pointers));
    require(room && pointers, "there is memory");
    for (size_t distance = 1; distance <= FARTHEST; distance *= 2) {
        for (size_t i = 0; i < COUNT; i++) pointers[i] = room + i * distance;
        require_numbers_kept(pointers, COUNT, &dice);
    }
    free(pointers);
    free(room);
}
