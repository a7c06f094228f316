#include "core/pointer_map.h"

#include "core/memory.h"

enum { FIRST_CAPACITY = 16 };

struct pointer_slot {
    const void *pointer;
    uintptr_t number;
};

/* Allocations differ in their middle bits. */
static size_t map_place(const struct pointer_map *map, const void *pointer) {
    return (size_t)(((uint64_t)(uintptr_t)pointer >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
           (map->capacity - 1);
}

static struct pointer_slot *map_slot(const struct pointer_map *map, const void *pointer) {
    size_t place = map_place(map, pointer);
    while (map->slots[place].pointer && map->slots[place].pointer != pointer)
        place = (place + 1) & (map->capacity - 1);
    return &map->slots[place];
}

static void pointer_map_grow(struct pointer_map *map) {
    struct pointer_map grown = {NULL, map->count, map->capacity ? map->capacity * 2 : FIRST_CAPACITY};
    grown.slots = memory_zeroed(grown.capacity * sizeof(*grown.slots));
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].pointer) *map_slot(&grown, map->slots[i].pointer) = map->slots[i];
    memory_free(map->slots);
    *map = grown;
}

uintptr_t *pointer_map_at(struct pointer_map *map, const void *pointer) {
    if (map->count * 2 >= map->capacity) pointer_map_grow(map);
    struct pointer_slot *slot = map_slot(map, pointer);
    if (!slot->pointer) {
        slot->pointer = pointer;
        map->count++;
    }
    return &slot->number;
}

void pointer_map_end(struct pointer_map *map) {
    memory_free(map->slots);
    *map = (struct pointer_map){0};
}
