/* The choice of a plan: by keys, or by the index that leads to the fewest entities. See query.h. */
#ifndef HOLDFAST_TABLE_QUERY_PLAN_H
#define HOLDFAST_TABLE_QUERY_PLAN_H

#include "table/filter_ranges.h"
#include "table/table.h"

enum { QUERY_GATHERED_MAX = 4096 }; /* index entries that are sorted */

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

#endif
