/* Queries: the entities that match a filter, in the order of their keys, in bounded pages.
 *
 *   point   the filter gives the keys     range   parts of the order of keys
 *   index   entries of one index          scan    the whole order of keys
 *
 * All plans return the same entities in the same order; they differ in how many they examine. Entries of single values
 * of an index are in the order of keys already, and several values are merged. Entries of a range of values are
 * gathered and sorted first; such a plan is made only if they are few.
 *
 * A page ends when it has all requested rows, or has done enough work. `next` is the key at which the next page begins,
 * whatever is inserted and deleted in between. */
#ifndef HOLDFAST_TABLE_QUERY_H
#define HOLDFAST_TABLE_QUERY_H

#include "table/query_plan.h"

enum {
    QUERY_ROWS_MAX = 1000,
    QUERY_BYTES_MAX = 4 << 20, /* properties in one page, unless its first row alone has more */
    QUERY_WORK_MAX = 100000,   /* see filter_matches; fetching an entity counts, too */
};

struct query {
    const struct table *table;
    const struct filter *filter;
    const struct plan *plan;
    struct bytes from; /* stored key; empty for the beginning */
    size_t rows_max, bytes_max;
};

struct query_page {
    size_t count;
    const struct entity *rows[QUERY_ROWS_MAX];
    struct bytes next; /* stored key, valid until the next change; data is NULL at the end */
    size_t examined;   /* entities */
    size_t work;
};

void query_run(const struct query *query, struct query_page *page);

#endif
