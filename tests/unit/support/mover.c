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

static void *move_owner(void *context, void *owner, struct bytes *bytes) {
    void *moved = move(context, owner);
    if (moved) *bytes = owner_bytes(moved);
    return moved;
}

struct relocation mover(struct dice *dice) {
    return (struct relocation){move, move_owner, dice};
}

struct container *container_relocate_all(struct container *container, const struct relocation *relocation) {
    container = container_relocate(container, relocation);
    for (size_t place = 0; place < container->blobs.by_hash.buckets; place++)
        container_relocate_blobs(container, place, relocation);
    return container;
}
