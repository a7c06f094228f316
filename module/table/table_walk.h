/* Walks: the changes that rebuild a table, for files, digests and copies. */
#ifndef HOLDFAST_TABLE_WALK_H
#define HOLDFAST_TABLE_WALK_H

#include "table/table.h"

/* The table with the names of its indexes, its feed, then its entities in the order of their keys. */
void table_walk(const struct table *table, const struct change_walk *walk);

/* A copy with the same ETags. */
struct table *table_copy(const struct table *source);

#endif
