/* Tables: one value of one key.
 *
 *   table ─▶ entities   by stored key, hashed and in order: see key.h, entity.h
 *         ─▶ indexes    of properties, for queries: see table_index.h
 *         ─▶ feed       which entities have changed, while the feed is on: see core/feed.h
 *         ─▶ policies                                               (a packed list, absent for most)
 *
 * The rules:
 *   - A change applies all of its steps, or none.
 *   - Every write gives the entity an ETag and a Timestamp greater than all that the table has given before.
 *   - Indexes can be derived from the entities; every step updates them. */
#ifndef HOLDFAST_TABLE_H
#define HOLDFAST_TABLE_H

#include "change/value_functions.h"
#include "change/value_head.h"
#include "core/account.h"
#include "core/catalog.h"
#include "core/feed.h"
#include "core/once_log.h"
#include "table/entity.h"
#include "table/table_change.h"
#include "table/table_index.h"

struct table {
    struct value_head head;
    struct catalog entities;
    struct account account; /* of the entities, the policies and the table itself */
    struct packed *policies;
    int64_t ticks;     /* the greatest Timestamp assigned so far */
    struct feed *feed; /* NULL while it is off */
    struct table_index *indexes;
    unsigned index_count;
};

VALUE_FUNCTIONS(table)

/* --- Queries --- */

struct entity *table_find(const struct table *table, struct bytes key);

/* NULL when there is no such index. */
struct table_index *table_index_of(const struct table *table, struct bytes name);

/* The first index that is still being built, here or on replicas; NULL when there is none. */
struct table_index *table_unfinished(const struct table *table);
/* The table has come from a file: see tell_again in server/base/data_type.h. */
void table_tell_again(void *value);

/* --- Decisions --- */

/* The last key of the next portion of at most this many entities; empty when no entity is left. */
struct bytes table_index_next(const struct table *table, const struct table_index *index, size_t max);

/* The next Timestamp: not before now_us, and greater than the last one. */
int64_t table_next_ticks(int64_t last, int64_t now_us);
/* These ticks, if they are greater than the last ones; else the next ones. The greatest that there are come again. */
int64_t table_ticks_after(int64_t last, int64_t ticks);

/* --- For table_apply.c: changes of the catalog, and of the list of indexes --- */

void table_add(struct table *table, struct entity *entity);
void table_remove(struct table *table, struct entity *entity);
/* Gives an empty table the entities of another one, and the entries of its indexes, which are complete and which it
 * has, too. */
void table_share(struct table *table, const struct table *source);
/* Those that are there already are skipped. */
void table_add_indexes(struct table *table, struct packed_list names);

/* All tables of the process. */
struct table_census {
    size_t tables, entities;
};

struct table_census table_census(void);

#endif
