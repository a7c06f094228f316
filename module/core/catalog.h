/* A catalog: a set of named entries that is found by name in constant time and listed in the order of names.
 *
 * The entries belong to the caller, who embeds `struct entry` at the head of a structure of his own; the catalog
 * keeps both indexes in step. Names are unique and at most 65535 bytes long. */
#ifndef HOLDFAST_CATALOG_H
#define HOLDFAST_CATALOG_H

#include "core/hash_index.h"
#include "core/order_index.h"

/* A zeroed struct is an empty catalog. */
struct catalog {
    struct hash_index by_hash;
    struct order_index by_order;
};

/* Frees the indexes. The caller frees the entries before this. */
void catalog_end(struct catalog *catalog);

/* A lookup in progress: the name is hashed and its bucket is being prefetched. The search stays
 * valid as long as the name does; a change only costs the prefetch. */
struct catalog_search {
    struct bytes name;
    uint32_t hash;
};

struct catalog_search catalog_prefetch(const struct catalog *catalog, struct bytes name);
struct entry *catalog_find(const struct catalog *catalog, struct bytes name);

/* Lookup in steps: prefetch the bucket, prefetch the entry, then find. The first two steps only save time. */
void catalog_prefetch_entry(const struct catalog *catalog, const struct catalog_search *search);
struct entry *catalog_found(const struct catalog *catalog, const struct catalog_search *search);

/* Adds an entry that has its name but no hash yet. */
void catalog_add(struct catalog *catalog, struct entry *entry);
void catalog_remove(struct catalog *catalog, const struct entry *entry);

/* Makes an empty catalog equal to another one. `twin` returns what takes an entry's place, by the same name; that may
 * be the entry itself. */
void catalog_copy(struct catalog *catalog, const struct catalog *source,
                  struct entry *(*twin)(void *context, struct entry *entry), void *context);

/* Adds the catalog's pointers to an entry. */
void catalog_slots(const struct catalog *catalog, const struct entry *entry, struct entry_slots *slots);

static inline size_t catalog_count(const struct catalog *catalog) {
    return catalog->by_hash.count;
}

/* Bytes used by the indexes, without the entries. */
static inline size_t catalog_memory(const struct catalog *catalog) {
    return catalog->by_hash.memory + catalog->by_order.memory;
}

static inline struct order_cursor catalog_seek(const struct catalog *catalog, struct bytes name) {
    return order_index_seek(&catalog->by_order, name);
}

#endif
