/* Secondary indexes: the entities of a table by the value of one property.
 *
 *   index entry ─▶ (value, stored key)     one small allocation for each entity that has the property, sorted
 *
 * An index entry refers to its entity by key, so the index need not change while the property stays the same. An index
 * that is declared on a table with entities is built in portions: until it is complete it covers the entities up to a
 * frontier, writes keep it so, and no query uses it.
 *
 * What it allocates, but for the nodes of `entries`, is on the account of its table. */
#ifndef HOLDFAST_TABLE_INDEX_H
#define HOLDFAST_TABLE_INDEX_H

#include "core/account.h"
#include "core/order_index.h"
#include "table/entity.h"
#include "table/index_key.h"

struct table_index {
    struct bytes name; /* of the property; owned */
    struct order_index entries;
    size_t count;
    bool complete;
    bool untold; /* replicas may still be building what a file has brought here as a whole */
    /* The last key that it covers while it is not complete, or that replicas were told of; owned, empty for none. */
    struct bytes frontier;
};

static inline bool table_index_unfinished(const struct table_index *index) {
    return !index->complete || index->untold;
}

void table_index_start(struct account *account, struct table_index *index, struct bytes name);
void table_index_end(struct account *account, struct table_index *index);

/* Follows a write of an entity; an entity that is absent before or after has no properties. */
void table_index_update(struct account *account, struct table_index *index, struct bytes key,
                        struct packed_list before, struct packed_list after);

/* While the index is built: adds an entity, then moves the frontier, until it is complete. */
void table_index_add(struct account *account, struct table_index *index, struct bytes key,
                     struct packed_list properties);
void table_index_advance(struct account *account, struct table_index *index, struct bytes frontier);
void table_index_complete(struct account *account, struct table_index *index);

/* Gives an empty index the entries of one of another table. */
void table_index_share(struct account *account, struct table_index *index, const struct table_index *source);

/* The stored key of the entity. */
struct bytes index_entry_key(const struct entry *entry);

/* Takes the index over, and frees it in the background: see garbage.h. */
void table_index_drop(struct account *account, struct table_index *index);

#endif
