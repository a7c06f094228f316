/* A catalog: a set of named entries that is found by name in constant time and listed in the order of names.
 *
 * The entries belong to the caller, who embeds `struct entry` at the head of a structure of his own; the
 * catalog keeps both indexes in step. Names are at most 65535 bytes long and stand once. */
#ifndef HOLDFAST_CATALOG_H
#define HOLDFAST_CATALOG_H

#include "core/hash_index.h"
#include "core/order_index.h"

struct catalog {
    struct hash_index by_hash;
    struct order_index by_order;
};

/* The catalog's own pointers to one entry. */
struct catalog_slots {
    unsigned count;
    void **slots[ORDER_INDEX_MAX_HEIGHT + 1];
};

void catalog_start(struct catalog *catalog);
/* The entries are the caller's to free, before this. */
void catalog_end(struct catalog *catalog);

/* A name that is about to be looked for: hashed, and its bucket on the way. Valid until the next change. */
struct catalog_search {
    struct bytes name;
    uint32_t hash;
};

struct catalog_search catalog_expect(const struct catalog *catalog, struct bytes name);
struct entry *catalog_find(const struct catalog *catalog, struct bytes name);

/* A search in steps: the bucket is sent for, then the entry, then it is there. The first two only save time. */
void catalog_expect_entry(const struct catalog *catalog, const struct catalog_search *search);
struct entry *catalog_found(const struct catalog *catalog, const struct catalog_search *search);

/* The entry has its name and no hash yet. */
void catalog_add(struct catalog *catalog, struct entry *entry);
void catalog_remove(struct catalog *catalog, const struct entry *entry);

/* An entry moves in memory: ask for the slots, move it, then tell where it is now. Nothing else in between. */
void catalog_slots(const struct catalog *catalog, const struct entry *entry, struct catalog_slots *slots);
void catalog_slots_set(const struct catalog_slots *slots, struct entry *entry);

static inline size_t catalog_count(const struct catalog *catalog) {
    return catalog->by_hash.count;
}

/* Bytes of the indexes, without the entries. */
static inline size_t catalog_held(const struct catalog *catalog) {
    return catalog->by_hash.held + catalog->by_order.held;
}

static inline struct order_cursor catalog_seek(const struct catalog *catalog, struct bytes name) {
    return order_index_seek(&catalog->by_order, name);
}

#endif
