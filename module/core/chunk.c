#include "core/chunk.h"

#include "core/memory.h"

#include <stdatomic.h>

struct chunk {
    atomic_size_t references; /* its aggregate, and its twins */
    size_t uses;              /* by contents of its aggregate */
    const char *data;
    size_t length;
    size_t memory;
    void *owner;          /* the argument that holds the bytes; NULL if they are in `own`, or shared */
    struct chunk *source; /* the chunk of another aggregate whose bytes these are */
    char own[];
};

static struct chunk *chunk_new(struct chunk *chunk, const char *data, size_t length) {
    atomic_init(&chunk->references, 1);
    chunk->uses = 0;
    chunk->data = data;
    chunk->length = length;
    chunk->memory = memory_size(chunk);
    chunk->owner = NULL;
    chunk->source = NULL;
    return chunk;
}

struct chunk *chunk_adopt(void *owner, struct bytes bytes, size_t memory) {
    struct chunk *chunk = chunk_new(memory_alloc(sizeof(*chunk)), bytes.data, bytes.length);
    chunk->memory += memory;
    chunk->owner = owner;
    return chunk;
}

struct chunk *chunk_empty(size_t capacity) {
    struct chunk *chunk = memory_alloc(sizeof(*chunk) + capacity);
    return chunk_new(chunk, chunk->own, 0);
}

struct chunk *chunk_copy(struct bytes bytes) {
    struct chunk *chunk = chunk_empty(bytes.length);
    chunk_extend(chunk, bytes);
    return chunk;
}

struct chunk *chunk_twin(struct chunk *chunk) {
    struct chunk *source = chunk->source ? chunk->source : chunk;
    atomic_fetch_add_explicit(&source->references, 1, memory_order_relaxed);
    struct chunk *twin = chunk_new(memory_alloc(sizeof(*twin)), source->data, source->length);
    twin->memory += source->memory;
    twin->source = source;
    return twin;
}

static void chunk_release(struct chunk *chunk) {
    if (atomic_fetch_sub_explicit(&chunk->references, 1, memory_order_acq_rel) != 1) return;
    if (chunk->owner) memory_drop_owner(chunk->owner);
    memory_free(chunk);
}

void chunk_discard(struct chunk *chunk) {
    if (chunk->source) chunk_release(chunk->source);
    chunk_release(chunk);
}

void chunk_use(struct account *account, struct chunk *chunk) {
    if (chunk->uses++) return;
    account->memory += chunk->memory;
    account->allocations += 2;
}

void chunk_drop(struct account *account, struct chunk *chunk) {
    if (--chunk->uses) return;
    account->memory -= chunk->memory;
    account->allocations -= 2;
    chunk_discard(chunk);
}

size_t chunk_uses(const struct chunk *chunk) {
    return chunk->uses;
}

struct bytes chunk_bytes(const struct chunk *chunk) {
    return bytes_of(chunk->data, chunk->length);
}

size_t chunk_memory(const struct chunk *chunk) {
    return chunk->memory;
}

static bool is_unshared(const struct chunk *chunk) {
    return chunk->uses <= 1 && atomic_load_explicit(&chunk->references, memory_order_acquire) == 1;
}

bool chunk_is_sole(const struct chunk *chunk) {
    return !chunk->owner && !chunk->source && is_unshared(chunk);
}

size_t chunk_spare(const struct chunk *chunk) {
    return memory_size(chunk) - sizeof(*chunk) - chunk->length;
}

void chunk_overwrite(struct chunk *chunk, size_t at, struct bytes bytes) {
    if (bytes.length) memcpy(chunk->own + at, bytes.data, bytes.length);
}

void chunk_extend(struct chunk *chunk, struct bytes bytes) {
    chunk_overwrite(chunk, chunk->length, bytes);
    chunk->length += bytes.length;
}

struct chunk *chunk_resize(struct account *account, struct chunk *chunk, size_t capacity) {
    if (chunk->uses) account->memory -= chunk->memory;
    chunk = memory_resize(chunk, sizeof(*chunk) + capacity);
    chunk->data = chunk->own;
    chunk->memory = memory_size(chunk);
    if (chunk->length > capacity) chunk->length = capacity;
    if (chunk->uses) account->memory += chunk->memory;
    return chunk;
}

void chunk_open_gap(struct chunk *chunk, size_t at, size_t length) {
    memmove(chunk->own + at + length, chunk->own + at, chunk->length - at);
    chunk->length += length;
}

void chunk_close_gap(struct chunk *chunk, size_t at, size_t length) {
    chunk->length -= length;
    memmove(chunk->own + at, chunk->own + at + length, chunk->length - at);
}

struct chunk *chunk_relocate(struct chunk *chunk, const struct relocation *relocation) {
    if (!is_unshared(chunk)) return chunk;
    bool own = !chunk->owner && !chunk->source;
    chunk = relocate(relocation, chunk);
    if (own) chunk->data = chunk->own;
    if (!chunk->owner) return chunk;
    struct bytes bytes = {0};
    void *owner = relocation->move_owner(relocation->context, chunk->owner, &bytes);
    if (owner) chunk->owner = owner;
    chunk->data = bytes.data;
    return chunk;
}
