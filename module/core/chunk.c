#include "core/chunk.h"

#include "core/memory.h"

#include <stdatomic.h>
#include <stdint.h>

struct chunk {
    atomic_size_t references;
    const char *data;
    size_t length;
    size_t held;
    void *owner;
    char room[];
};

struct chunk *chunk_adopt(void *owner, struct bytes bytes, size_t held) {
    struct chunk *chunk = memory_alloc(sizeof(*chunk));
    atomic_init(&chunk->references, 1);
    chunk->data = bytes.data;
    chunk->length = bytes.length;
    chunk->held = memory_size(chunk) + held;
    chunk->owner = owner;
    return chunk;
}

struct chunk *chunk_copy(struct bytes bytes) {
    if (bytes.length > SIZE_MAX - sizeof(struct chunk)) return NULL;
    struct chunk *chunk = memory_try(sizeof(*chunk) + bytes.length);
    if (!chunk) return NULL;
    atomic_init(&chunk->references, 1);
    if (bytes.length) memcpy(chunk->room, bytes.data, bytes.length);
    chunk->data = chunk->room;
    chunk->length = bytes.length;
    chunk->held = memory_size(chunk);
    chunk->owner = NULL;
    return chunk;
}

struct chunk *chunk_share(struct chunk *chunk) {
    atomic_fetch_add_explicit(&chunk->references, 1, memory_order_relaxed);
    return chunk;
}

void chunk_release(struct chunk *chunk) {
    if (atomic_fetch_sub_explicit(&chunk->references, 1, memory_order_acq_rel) != 1) return;
    if (chunk->owner) memory_drop_owner(chunk->owner);
    memory_free(chunk);
}

struct bytes chunk_bytes(const struct chunk *chunk) {
    return bytes_of(chunk->data, chunk->length);
}

size_t chunk_held(const struct chunk *chunk) {
    return chunk->held;
}

struct chunk *chunk_relocate(struct chunk *chunk, const struct relocation *relocation) {
    if (atomic_load_explicit(&chunk->references, memory_order_acquire) != 1) return chunk;
    chunk = relocate(relocation, chunk);
    if (!chunk->owner) {
        chunk->data = chunk->room;
        return chunk;
    }
    struct bytes bytes = chunk_bytes(chunk);
    void *owner = relocation->move_owner(relocation->context, chunk->owner, &bytes);
    if (owner) {
        chunk->owner = owner;
        chunk->data = bytes.data;
    }
    return chunk;
}
