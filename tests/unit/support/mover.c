#include "mover.h"

#include "allocations.h"
#include "core/memory.h"

static void *move(void *context, void *memory) {
    if (dice_percent(context, 30)) return NULL;
    size_t size = memory_size(memory);
    void *moved = memory_alloc(size);
    bool same_size = memory_size(moved) == size;
    if (same_size) memcpy(moved, memory, size);
    memory_free(same_size ? memory : moved);
    return same_size ? moved : NULL;
}

/* Owner and bytes each move or stay, whatever the other does; the answer tells of the owner alone. */
static void *move_owner(void *context, void *owner, struct bytes *bytes) {
    void *moved = move(context, owner);
    void *whole = moved ? moved : owner;
    char **place = owner_place_of_bytes(whole);
    void *moved_bytes = move(context, *place);
    if (moved_bytes) *place = moved_bytes;
    *bytes = owner_bytes(whole);
    return moved;
}

struct relocation mover(struct dice *dice) {
    return (struct relocation){move, move_owner, dice};
}

struct container *container_relocate_all(struct container *container, const struct relocation *relocation) {
    container = container_relocate(container, relocation);
    for (size_t place = 0; place < container->blobs.by_hash.buckets; place++)
        container_relocate_place(container, place, relocation);
    return container;
}
