#include "core/catalog.h"

#include "core/hash.h"

void catalog_end(struct catalog *catalog) {
    hash_index_end(&catalog->by_hash);
    order_index_end(&catalog->by_order);
}

struct catalog_search catalog_prefetch(const struct catalog *catalog, struct bytes name) {
    struct catalog_search search = {name, hash_bytes(name)};
    hash_index_prefetch(&catalog->by_hash, search.hash);
    return search;
}

struct entry *catalog_find(const struct catalog *catalog, struct bytes name) {
    struct catalog_search search = catalog_prefetch(catalog, name);
    return catalog_found(catalog, &search);
}

void catalog_prefetch_entry(const struct catalog *catalog, const struct catalog_search *search) {
    hash_index_prefetch_entry(&catalog->by_hash, search->hash);
}

struct entry *catalog_found(const struct catalog *catalog, const struct catalog_search *search) {
    return hash_index_find(&catalog->by_hash, search->hash, search->name);
}

void catalog_add(struct catalog *catalog, struct entry *entry) {
    entry->hash = hash_bytes(entry_name(entry));
    hash_index_add(&catalog->by_hash, entry);
    order_index_add(&catalog->by_order, entry);
}

void catalog_remove(struct catalog *catalog, const struct entry *entry) {
    hash_index_remove(&catalog->by_hash, entry);
    order_index_remove(&catalog->by_order, entry);
}

struct catalog_copying {
    struct catalog *catalog;
    struct entry *(*twin)(void *context, struct entry *entry);
    void *context;
};

/* The copied index has the entry until its twin takes its place. */
static struct entry *put_twin(void *context, struct entry *entry) {
    const struct catalog_copying *copying = context;
    struct entry *twin = copying->twin(copying->context, entry);
    if (twin == entry) return entry;
    twin->hash = entry->hash;
    *hash_index_slot(&copying->catalog->by_hash, entry) = twin;
    return twin;
}

void catalog_copy(struct catalog *catalog, const struct catalog *source,
                  struct entry *(*twin)(void *context, struct entry *entry), void *context) {
    struct catalog_copying copying = {catalog, twin, context};
    hash_index_copy(&catalog->by_hash, &source->by_hash);
    order_index_copy(&catalog->by_order, &source->by_order, put_twin, &copying);
}

void catalog_slots(const struct catalog *catalog, const struct entry *entry, struct entry_slots *slots) {
    order_index_slots(&catalog->by_order, entry, slots);
    entry_slots_add(slots, hash_index_slot(&catalog->by_hash, entry));
}
