/* Which way a query goes. */
#include "table/query.h"

enum {
    COMPARED_MOST = 20000,    /* plans are compared by so many entities at most */
    ESTIMATED_MOST = 1000000, /* and told by so many */
    INDEX_EFFORT = 3,         /* what an entity costs that an index leads to, by one of a walk */
};

static size_t count_ranges(const struct order_index *index, const struct ranges *ranges, size_t most) {
    size_t count = 0;
    for (unsigned i = 0; i < ranges->count && count < most; i++)
        count += order_index_count(index, ranges->items[i].from, ranges->items[i].to, most - count);
    return count;
}

static bool all_single(const struct ranges *ranges) {
    for (unsigned i = 0; i < ranges->count; i++)
        if (!ranges->items[i].single) return false;
    return true;
}

static bool is_everything(const struct ranges *ranges) {
    return ranges->count == 1 && !ranges->items[0].from.length && !ranges->items[0].to.data;
}

/* How many entities an index would lead to; SIZE_MAX if it is of no use. */
static size_t effort_with(const struct table_index *index, const struct filter *filter) {
    struct ranges ranges;
    if (!index->complete || !filter_index_ranges(filter, index->name, &ranges)) return SIZE_MAX;
    size_t effort = count_ranges(&index->marks, &ranges, COMPARED_MOST);
    if (!all_single(&ranges) && effort > QUERY_GATHERED_MOST) effort = SIZE_MAX;
    ranges_end(&ranges);
    return effort;
}

/* Among plans that all look at a great many, an index of single values still leads to less than the rest. */
static const struct table_index *best_index(const struct table *table, const struct filter *filter,
                                            size_t walked) {
    const struct table_index *best = NULL;
    size_t least = walked == COMPARED_MOST ? COMPARED_MOST : walked / INDEX_EFFORT;
    for (unsigned i = 0; i < table->index_count; i++) {
        size_t effort = effort_with(&table->indexes[i], filter);
        if (effort > least || (effort == least && best)) continue;
        best = &table->indexes[i];
        least = effort;
    }
    return best;
}

static void use_index(const struct table_index *index, const struct filter *filter, struct plan *plan) {
    ranges_end(&plan->ranges);
    plan->kind = PLAN_INDEX;
    plan->index = index;
    filter_index_ranges(filter, index->name, &plan->ranges);
    plan->sorted = all_single(&plan->ranges);
}

void plan_make(const struct table *table, const struct filter *filter, struct plan *plan) {
    filter_key_ranges(filter, &plan->ranges);
    plan->index = NULL;
    plan->sorted = true;
    plan->kind = all_single(&plan->ranges)      ? PLAN_POINT
                 : is_everything(&plan->ranges) ? PLAN_SCAN
                                                : PLAN_RANGE;
    if (plan->kind == PLAN_POINT || !table->index_count) return;
    size_t walked = count_ranges(&table->entities.by_order, &plan->ranges, COMPARED_MOST);
    const struct table_index *index = best_index(table, filter, walked);
    if (index) use_index(index, filter, plan);
}

void plan_end(struct plan *plan) {
    ranges_end(&plan->ranges);
}

size_t plan_estimate(const struct table *table, const struct plan *plan) {
    const struct order_index *order = plan->index ? &plan->index->marks : &table->entities.by_order;
    return count_ranges(order, &plan->ranges, ESTIMATED_MOST);
}
