/* Queries: a walk over the entities that a filter means, in the order of their keys, in bounded portions.
 *
 *   point   the keys are given            range   parts of the order of keys
 *   index   marks of one property         scan    the whole order of keys
 *
 * All plans answer the same entities in the same order; they differ in what has to be looked at. An index of single values is
 * walked like the order of keys, several values side by side, as far as the keys may lie; one of ranges is gathered first, and taken if it is
 * small. A portion ends with the rows that were asked for, or when it has looked at so much; `next` is the key at which the
 * next portion goes on, whatever is inserted and deleted meanwhile. */
#ifndef HOLDFAST_TABLE_QUERY_H
#define HOLDFAST_TABLE_QUERY_H

#include "table/filter_ranges.h"
#include "table/table.h"

enum {
    QUERY_ROWS_MAX = 1000,
    QUERY_BYTES_MAX =
        4 << 20, /* answered by one portion, in properties, too; unless the first row alone has more */
    QUERY_WORK_MAX = 100000,   /* see filter_matches; to fetch an entity is work, too */
    QUERY_GATHERED_MAX = 4096, /* marks of an index that has to be sorted */
};

enum plan_kind { PLAN_POINT, PLAN_RANGE, PLAN_INDEX, PLAN_SCAN, PLAN_KINDS };

struct plan {
    enum plan_kind kind;
    const struct table_index *index; /* PLAN_INDEX only */
    struct ranges keys;
    struct ranges values; /* PLAN_INDEX */
    bool sorted; /* PLAN_INDEX: each range has a single value, whose marks stand in the order of keys */
};

void plan_make(const struct table *table, const struct filter *filter, struct plan *plan);
void plan_end(struct plan *plan);

/* The range that contains all keys of the plan. */
struct range plan_span(const struct plan *plan);

/* Behind a single value, the first of its marks with this key or a greater one; written into the room. */
struct bytes plan_mark(const struct range *value, struct bytes key, struct record_writer *room);

/* The number of entities that the plan reads, counted up to a limit. */
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
    struct bytes
        next;        /* the stored key to go on with; data is NULL at the end. Valid until the next change. */
    size_t examined; /* entities */
    size_t work;
};

void query_run(const struct query *query, struct query_page *page);

#endif
