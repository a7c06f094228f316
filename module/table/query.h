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

#include "table/filter_ranges.h"
#include "table/table.h"

enum {
    QUERY_ROWS_MAX = 1000,
    QUERY_BYTES_MAX = 4 << 20, /* properties in one page, unless its first row alone has more */
    QUERY_WORK_MAX = 100000,   /* see filter_matches; fetching an entity counts, too */
    QUERY_GATHERED_MAX = 4096, /* index entries that are sorted */
};

enum plan_kind { PLAN_POINT, PLAN_RANGE, PLAN_INDEX, PLAN_SCAN, PLAN_KINDS };

struct plan {
    enum plan_kind kind;
    const struct table_index *index; /* PLAN_INDEX only */
    struct ranges keys;
    struct ranges values; /* PLAN_INDEX only */
    bool sorted; /* PLAN_INDEX: each range is a single value, so its entries are in the order of keys */
};

void plan_make(const struct table *table, const struct filter *filter, struct plan *plan);
void plan_end(struct plan *plan);

/* The range that contains all keys of the plan. */
struct range plan_key_range(const struct plan *plan);

/* The key in the index of a single value and a stored key, written to the buffer. */
struct bytes plan_index_key(const struct range *value, struct bytes key, struct record_writer *buffer);

/* The number of entities that the plan examines, counted up to a limit. */
size_t plan_estimate(const struct table *table, const struct plan *plan);

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
