/* Which way a query goes. */
#include "table/query.h"

enum {
    COMPARED_MAX = 20000,   /* plans are compared by so many entities at most */
    ESTIMATED_MAX = 200000, /* and told by so many */
    INDEX_EFFORT = 3,       /* what an entity costs that an index leads to, by one of a walk */
};

struct range plan_span(const struct plan *plan) {
    const struct ranges *keys = &plan->keys;
    if (!keys->count) return (struct range){{"", 0}, {"", 0}, false};
    return (struct range){keys->items[0].from, keys->items[keys->count - 1].to, false};
}

struct bytes plan_mark(const struct range *value, struct bytes key, struct record_writer *room) {
    room->length = 0;
    record_put_raw(room, value->from);
    record_put_raw(room, key);
    return bytes_of(room->data, room->length);
}

static size_t count_keys(const struct table *table, const struct plan *plan, size_t max) {
    size_t count = 0;
    for (unsigned i = 0; i < plan->keys.count && count < max; i++)
        count += order_index_count(&table->entities.by_order, plan->keys.items[i].from,
                                   plan->keys.items[i].to, max - count);
    return count;
}

/* The marks of a single value stand in the order of keys, so those of the keys' span can be told from the rest. */
static size_t count_value(const struct table_index *index, const struct range *value, struct range span,
                          size_t max) {
    struct record_writer from, to;
    if (!value->single) return order_index_count(&index->marks, value->from, value->to, max);
    record_start(&from);
    record_start(&to);
    struct bytes end = span.to.data ? plan_mark(value, span.to, &to) : value->to;
    size_t count = order_index_count(&index->marks, plan_mark(value, span.from, &from), end, max);
    record_end(&from);
    record_end(&to);
    return count;
}

static size_t count_values(const struct table_index *index, const struct ranges *values, struct range span,
                           size_t max) {
    size_t count = 0;
    for (unsigned i = 0; i < values->count && count < max; i++)
        count += count_value(index, &values->items[i], span, max - count);
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
static size_t effort_with(const struct table_index *index, const struct filter *filter, struct range span) {
    struct ranges values;
    if (!index->complete || !filter_index_ranges(filter, index->name, &values)) return SIZE_MAX;
    size_t effort = count_values(index, &values, span, COMPARED_MAX);
    if (!all_single(&values) && effort > QUERY_GATHERED_MAX) effort = SIZE_MAX;
    ranges_end(&values);
    return effort;
}

/* Where all plans look at a great many, an index of single values still leads to less than the whole. */
static const struct table_index *best_index(const struct table *table, const struct filter *filter,
                                            const struct plan *plan) {
    const struct table_index *best = NULL;
    size_t walked = count_keys(table, plan, COMPARED_MAX);
    size_t min = walked < COMPARED_MAX ? walked / INDEX_EFFORT : COMPARED_MAX - (plan->kind != PLAN_SCAN);
    for (unsigned i = 0; i < table->index_count; i++) {
        size_t effort = effort_with(&table->indexes[i], filter, plan_span(plan));
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
    return plan->index ? count_values(plan->index, &plan->values, plan_span(plan), ESTIMATED_MAX)
                       : count_keys(table, plan, ESTIMATED_MAX);
}
