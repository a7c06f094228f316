/* Secondary indexes: for one property, which entities have which value of it.
 *
 *   mark ─▶ (value, stored key)       one small allocation for each entity that has the property, in order
 *
 * A mark knows its entity by its key only, so an entity may be written anew without the index hearing of it as long as
 * the property stays. An index that is declared on a table with entities is built in portions: until it is complete it
 * knows the entities up to a frontier, writes keep it so, and no query uses it. */
#ifndef HOLDFAST_TABLE_INDEX_H
#define HOLDFAST_TABLE_INDEX_H

#include "core/account.h"
#include "core/order_index.h"
#include "table/entity.h"
#include "table/index_key.h"

struct table_index {
    struct account account; /* of marks and texts */
    struct bytes name;      /* of the property; owned */
    struct order_index marks;
    size_t count; /* of marks */
    bool complete;
    struct bytes frontier; /* the last key that it knows while it is not complete; owned, empty for none */
};

void table_index_start(struct table_index *index, struct bytes name);
void table_index_end(struct table_index *index);

/* The entity of this key has other properties from now on; one that is not there has none. */
void table_index_follow(struct table_index *index, struct bytes key, struct packed_list before,
                        struct packed_list after);

/* While it is being built: the next entity behind the frontier is known now. */
void table_index_take(struct table_index *index, struct bytes key, struct packed_list properties);
void table_index_advance(struct table_index *index, struct bytes frontier);
void table_index_complete(struct table_index *index);

/* The stored key behind a mark's value. */
struct bytes mark_key(const struct entry *entry);

size_t table_index_held(const struct table_index *index);

/* --- What was dropped --- */

/* Takes the index over, to be freed in passing. */
void table_index_abandon(struct table_index *index);

/* So many marks at most. False when nothing is left. */
bool table_index_sweep(size_t max);

#endif
