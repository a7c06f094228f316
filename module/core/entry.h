/* An entry: the head of every structure that lives in a catalog. It says where in the structure its name is stored.
 *
 * Several values may have an entry in common, as after COPY. Then none of them changes it: the one that is to change
 * it takes a copy of its own first. The count is atomic, since a value may be freed on a background thread. */
#ifndef HOLDFAST_ENTRY_H
#define HOLDFAST_ENTRY_H

#include "core/account.h"
#include "core/hash.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { ENTRY_SLOTS_MAX = 64 }; /* of three order indexes, a hash index and a feed */

struct entry {
    uint32_t hash;
    uint16_t name_length;
    uint8_t name_at;     /* distance in bytes from the entry */
    atomic_uchar others; /* how many other values have it in common */
};

/* For an index by hash. The name is `at` bytes from the entry. */
static inline struct entry entry_hashed(struct bytes name, size_t at) {
    return (struct entry){
        .hash = hash_bytes(name), .name_length = (uint16_t)name.length, .name_at = (uint8_t)at};
}

static inline struct bytes entry_name(const struct entry *entry) {
    return bytes_of((const char *)entry + entry->name_at, entry->name_length);
}

/* --- Entries in common --- */

static inline bool entry_is_common(const struct entry *entry) {
    return atomic_load_explicit(&entry->others, memory_order_acquire);
}

/* Puts an entry on the account of one more value. False, and nothing done, when too many have it already. */
bool entry_hold(struct account *account, struct entry *entry);

/* Takes it off the account of a value, and frees it if no other one has it. */
void entry_drop(struct account *account, struct entry *entry);

/* The same without an account. True when no other value has it: then the caller frees it. */
bool entry_let_go(struct entry *entry);

/* The head of a copy that one value has for itself. */
static inline struct entry entry_twin(const struct entry *entry) {
    return (struct entry){.hash = entry->hash, .name_length = entry->name_length, .name_at = entry->name_at};
}

/* --- Entries that move --- */

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
