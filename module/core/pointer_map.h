/* A pointer map: a number for each of many pointers, for walks over values with shared parts. A zeroed
 * struct is an empty map. */
#ifndef HOLDFAST_POINTER_MAP_H
#define HOLDFAST_POINTER_MAP_H

#include <stddef.h>
#include <stdint.h>

struct pointer_slot;

struct pointer_map {
    struct pointer_slot *slots;
    size_t count;
    size_t capacity; /* a power of two, or 0 */
};

/* The pointer's number, initially 0. Valid until the next call. */
uintptr_t *pointer_map_at(struct pointer_map *map, const void *pointer);

void pointer_map_end(struct pointer_map *map);

#endif
