/* An entry: the head of every structure that lives in a catalog. It says where in the structure its name is stored. */
#ifndef HOLDFAST_ENTRY_H
#define HOLDFAST_ENTRY_H

#include "core/hash.h"

#include <stdint.h>

enum { ENTRY_SLOTS_MAX = 64 }; /* of three order indexes, a hash index and a feed */

struct entry {
    uint32_t hash;
    uint16_t name_length;
    uint16_t name_at; /* distance in bytes from the entry */
};

/* For an index by hash. The name is `at` bytes from the entry. */
static inline struct entry entry_hashed(struct bytes name, size_t at) {
    return (struct entry){hash_bytes(name), (uint16_t)name.length, (uint16_t)at};
}

static inline struct bytes entry_name(const struct entry *entry) {
    return bytes_of((const char *)entry + entry->name_at, entry->name_length);
}

/* The addresses of all pointers to an entry that is about to move in memory: they are added here, the entry moves, and
 * they are set. Nothing else may happen in between. */
struct entry_slots {
    unsigned count;
    void **at[ENTRY_SLOTS_MAX];
};

static inline void entry_slots_add(struct entry_slots *slots, void **slot) {
    slots->at[slots->count++] = slot;
}

static inline void entry_slots_set(const struct entry_slots *slots, struct entry *entry) {
    for (unsigned i = 0; i < slots->count; i++) *slots->at[i] = entry;
}

#endif
