#include "table/query_plan.h"

enum {
    COMPARED_MAX = 20000,   /* counting for the comparison of plans stops here */
    ESTIMATED_MAX = 200000, /* … and for plan_estimate here */
    INDEX_EFFORT = 3,       /* what an entity costs that an index leads to, relative to one of a walk */
};

struct range plan_key_range(const struct plan *plan) {
    const struct ranges *keys = &plan->keys;
    if (!keys->count) return (struct range){{"", 0}, {"", 0}, false};
    return (struct range){keys->items[0].from, keys->items[keys->count - 1].to, false};
}

struct bytes plan_index_key(const struct range *value, struct bytes key, struct record_writer *buffer) {
    buffer->length = 0;
    record_put_raw(buffer, value->from);
    record_put_raw(buffer, key);
    return record_written(buffer);
}

static size_t count_keys(const struct table *table, const struct plan *plan, size_t limit) {
    size_t count = 0;
    for (unsigned i = 0; i < plan->keys.count && count < limit; i++)
        count += order_index_count(&table->entities.by_order, plan->keys.items[i].from,
                                   plan->keys.items[i].to, limit - count);
    return count;
}

/* The entries of a single value are in the order of keys, so only those within the keys are counted. */
static size_t count_value(const struct table_index *index, const struct range *value, struct range keys,
                          size_t limit) {
    struct record_writer from, to;
    if (!value->single) return order_index_count(&index->entries, value->from, value->to, limit);
    record_start(&from);
    record_start(&to);
    struct bytes end = keys.to.data ? plan_index_key(value, keys.to, &to) : value->to;
    size_t count = order_index_count(&index->entries, plan_index_key(value, keys.from, &from), end, limit);
    record_end(&from);
    record_end(&to);
    return count;
}

static size_t count_values(const struct table_index *index, const struct ranges *values, struct range keys,
                           size_t limit) {
    size_t count = 0;
    for (unsigned i = 0; i < values->count && count < limit; i++)
        count += count_value(index, &values->items[i], keys, limit - count);
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

/* The number of entities that an index leads to; SIZE_MAX if it is of no use. */
static size_t effort_with(const struct table_index *index, const struct filter *filter, struct range keys) {
    struct ranges values;
    if (!index->complete || !filter_index_ranges(filter, index->name, &values)) return SIZE_MAX;
    size_t effort = count_values(index, &values, keys, COMPARED_MAX);
    if (!all_single(&values) && effort > QUERY_GATHERED_MAX) effort = SIZE_MAX;
    ranges_end(&values);
    return effort;
}

/* NULL when no index is better than the keys. When all counts reach COMPARED_MAX, an index still beats a scan. */
static const struct table_index *best_index(const struct table *table, const struct filter *filter,
                                            const struct plan *plan) {
    const struct table_index *best = NULL;
    size_t walked = count_keys(table, plan, COMPARED_MAX);
    size_t min = walked < COMPARED_MAX ? walked / INDEX_EFFORT : COMPARED_MAX - (plan->kind != PLAN_SCAN);
    for (unsigned i = 0; i < table->index_count; i++) {
        size_t effort = effort_with(&table->indexes[i], filter, plan_key_range(plan));
        if (effort > min || (effort == min && best)) continue;
        best = &table->indexes[i];
        min = effort;
    }
    return best;
}

static void use_index(const struct table_index *index, const struct filter *filter, struct plan *plan) {
    plan->kind = PLAN_INDEX;
    plan->index = index;
    filter_index_ranges(filter, index->name, &plan->values);
    plan->sorted = all_single(&plan->values);
}

void plan_make(const struct table *table, const struct filter *filter, struct plan *plan) {
    filter_key_ranges(filter, &plan->keys);
    plan->index = NULL;
    plan->sorted = true;
    plan->kind = all_single(&plan->keys) ? PLAN_POINT : is_everything(&plan->keys) ? PLAN_SCAN : PLAN_RANGE;
    if (plan->kind == PLAN_POINT || !table->index_count) return;
    const struct table_index *index = best_index(table, filter, plan);
    if (index) use_index(index, filter, plan);
}

void plan_end(struct plan *plan) {
    ranges_end(&plan->keys);
    if (plan->kind == PLAN_INDEX) ranges_end(&plan->values);
}

size_t plan_estimate(const struct table *table, const struct plan *plan) {
    if (plan->kind == PLAN_SCAN) return catalog_count(&table->entities);
    return plan->index ? count_values(plan->index, &plan->values, plan_key_range(plan), ESTIMATED_MAX)
                       : count_keys(table, plan, ESTIMATED_MAX);
}
