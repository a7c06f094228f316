#include "allocations.h"

#include "core/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Threads count here, too. That orders nothing between them: a sanitizer that looks for races would otherwise take
 * every allocation for an agreement between two threads, and see no race at all. */
static atomic_size_t live_count, live_bytes, made;

static void add(atomic_size_t *counter, size_t number) {
    atomic_fetch_add_explicit(counter, number, memory_order_relaxed);
}

static void subtract(atomic_size_t *counter, size_t number) {
    atomic_fetch_sub_explicit(counter, number, memory_order_relaxed);
}

size_t allocations_count(void) {
    return live_count;
}

size_t allocations_bytes(void) {
    return live_bytes;
}

size_t allocations_made(void) {
    return made;
}

void allocations_forget(void) {
    live_count = 0;
    live_bytes = 0;
}

/* Aligned to eight bytes and never to sixteen: more is not promised. */
enum { SHIFT = 8 };

size_t memory_size(const void *memory) {
    return malloc_usable_size((char *)memory - SHIFT) - SHIFT;
}

static void *shifted(char *begin) {
    if (!begin) abort();
    add(&live_count, 1);
    add(&made, 1);
    add(&live_bytes, memory_size(begin + SHIFT));
    return begin + SHIFT;
}

void *memory_alloc(size_t size) {
    return shifted(malloc(size + SHIFT));
}

void *memory_zeroed(size_t size) {
    return shifted(calloc(1, size + SHIFT));
}

void *memory_resize(void *memory, size_t size) {
    void *moved = memory_alloc(size);
    if (!memory) return moved;
    size_t before = memory_size(memory);
    memcpy(moved, memory, before < size ? before : size);
    memory_free(memory);
    return moved;
}

void memory_free(void *memory) {
    if (!memory) return;
    subtract(&live_count, 1);
    subtract(&live_bytes, memory_size(memory));
    free((char *)memory - SHIFT);
}

/* Two allocations, as a long string of the server is. */
struct owner {
    size_t length;
    char *data;
};

void *owner_new(struct bytes bytes) {
    struct owner *owner = memory_alloc(sizeof(*owner));
    owner->length = bytes.length;
    owner->data = memory_alloc(bytes.length);
    if (bytes.length) memcpy(owner->data, bytes.data, bytes.length);
    return owner;
}

struct bytes owner_bytes(const void *owner) {
    const struct owner *whole = owner;
    return bytes_of(whole->data, whole->length);
}

size_t owner_memory(const void *owner) {
    const struct owner *whole = owner;
    return memory_size(whole) + memory_size(whole->data);
}

char **owner_place_of_bytes(void *owner) {
    struct owner *whole = owner;
    return &whole->data;
}

void memory_drop_owner(void *owner) {
    struct owner *whole = owner;
    memory_free(whole->data);
    memory_free(whole);
}
