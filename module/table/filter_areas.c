#include "table/filter_areas.h"

static int compare_bounds(const struct bound *a, const struct bound *b) {
    if (!a->text.data || !b->text.data) return !a->text.data - !b->text.data;
    int order = bytes_compare(a->text, b->text);
    return order ? order : a->after - b->after;
}

static const struct bound *lower_bound(const struct bound *a, const struct bound *b) {
    return compare_bounds(a, b) < 0 ? a : b;
}

static const struct bound *upper_bound(const struct bound *a, const struct bound *b) {
    return compare_bounds(a, b) > 0 ? a : b;
}

bool interval_is_single(const struct interval *interval) {
    const struct bound *from = &interval->from, *to = &interval->to;
    return to->text.data && to->after && !from->after && !from->truncated &&
           bytes_equal(from->text, to->text);
}

static struct interval interval_common(const struct interval *a, const struct interval *b) {
    return (struct interval){*upper_bound(&a->from, &b->from), *lower_bound(&a->to, &b->to)};
}

static struct interval interval_around(const struct interval *a, const struct interval *b) {
    return (struct interval){*lower_bound(&a->from, &b->from), *upper_bound(&a->to, &b->to)};
}

static bool interval_in(const struct interval *inner, const struct interval *outer) {
    return compare_bounds(&inner->from, &outer->from) >= 0 && compare_bounds(&inner->to, &outer->to) <= 0;
}

static bool interval_is_empty(const struct interval *interval) {
    return compare_bounds(&interval->from, &interval->to) >= 0;
}

/* Where there is no space for one more area, the last one grows. */
void areas_add(struct areas *areas, const struct area *area) {
    if (interval_is_empty(&area->partition) || interval_is_empty(&area->row)) return;
    for (unsigned i = 0; i < areas->count; i++)
        if (interval_in(&area->partition, &areas->items[i].partition) &&
            interval_in(&area->row, &areas->items[i].row))
            return;
    if (areas->count < AREAS_MAX) {
        areas->items[areas->count++] = *area;
        return;
    }
    struct area *last = &areas->items[AREAS_MAX - 1];
    last->partition = interval_around(&last->partition, &area->partition);
    last->row = interval_around(&last->row, &area->row);
}

void areas_unite(struct areas *areas, const struct areas *other) {
    for (unsigned i = 0; i < other->count; i++) areas_add(areas, &other->items[i]);
}

void areas_intersect(struct areas *areas, const struct areas *other) {
    struct areas both;
    both.count = 0;
    for (unsigned i = 0; i < areas->count; i++)
        for (unsigned j = 0; j < other->count; j++) {
            const struct area *a = &areas->items[i], *b = &other->items[j];
            struct area common = {interval_common(&a->partition, &b->partition),
                                  interval_common(&a->row, &b->row)};
            areas_add(&both, &common);
        }
    memcpy(areas->items, both.items, both.count * sizeof(both.items[0]));
    areas->count = both.count;
}
