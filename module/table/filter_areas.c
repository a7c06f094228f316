#include "table/filter_areas.h"

/* --- Axes --- */

static int compare_bounds(const struct bound *a, const struct bound *b) {
    int order = bytes_compare(a->text, b->text);
    return order ? order : a->after - b->after;
}

void axis_start(struct axis *axis) {
    axis->count = 1;
    axis->bounds[0] = (struct bound){.text = {"", 0}};
}

/* The index of the first bound that is not before this one. */
static unsigned bound_from(const struct axis *axis, const struct bound *bound) {
    unsigned index = 0;
    while (index < axis->count && compare_bounds(&axis->bounds[index], bound) < 0) index++;
    return index;
}

void axis_add(struct axis *axis, struct bound bound) {
    unsigned index = bound_from(axis, &bound);
    if (index < axis->count && compare_bounds(&axis->bounds[index], &bound) == 0) return;
    memmove(&axis->bounds[index + 1], &axis->bounds[index], (axis->count - index) * sizeof(bound));
    axis->bounds[index] = bound;
    axis->count++;
}

uint8_t axis_find(const struct axis *axis, struct bound bound) {
    return (uint8_t)bound_from(axis, &bound);
}

bool interval_is_single(const struct axis *axis, struct interval interval) {
    if (interval.to != interval.from + 1 || interval.to == axis->count) return false;
    const struct bound *from = &axis->bounds[interval.from], *to = &axis->bounds[interval.to];
    return to->after && !from->truncated && bytes_equal(from->text, to->text);
}

/* --- Areas --- */

static uint8_t min(uint8_t a, uint8_t b) {
    return a < b ? a : b;
}

static uint8_t max(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

static struct interval interval_common(struct interval a, struct interval b) {
    return (struct interval){max(a.from, b.from), min(a.to, b.to)};
}

static struct interval interval_around(struct interval a, struct interval b) {
    return (struct interval){min(a.from, b.from), max(a.to, b.to)};
}

static struct area area_around(struct area a, struct area b) {
    return (struct area){interval_around(a.partition, b.partition), interval_around(a.row, b.row)};
}

static bool interval_in(struct interval inner, struct interval outer) {
    return inner.from >= outer.from && inner.to <= outer.to;
}

static bool area_in(struct area inner, struct area outer) {
    return interval_in(inner.partition, outer.partition) && interval_in(inner.row, outer.row);
}

static bool is_empty(struct area area) {
    return area.partition.from >= area.partition.to || area.row.from >= area.row.to;
}

static unsigned interval_width(struct interval interval) {
    return (unsigned)(interval.to - interval.from);
}

/* The area that grows least when joined with this one; growth in partitions costs most. */
static unsigned nearest(const struct areas *areas, struct area area) {
    unsigned best = 0, best_growth = UINT32_MAX;
    for (unsigned i = 0; i < areas->count; i++) {
        struct area item = areas->items[i], whole = area_around(item, area);
        unsigned growth = (interval_width(whole.partition) - interval_width(item.partition)) * AXIS_MAX +
                          interval_width(whole.row) - interval_width(item.row);
        if (growth >= best_growth) continue;
        best_growth = growth;
        best = i;
    }
    return best;
}

void areas_add(struct areas *areas, struct area area) {
    if (is_empty(area)) return;
    for (unsigned i = 0; i < areas->count; i++)
        if (area_in(area, areas->items[i])) return;
    if (areas->count < AREAS_MAX) {
        areas->items[areas->count++] = area;
        return;
    }
    struct area *joined = &areas->items[nearest(areas, area)];
    *joined = area_around(*joined, area);
}

void areas_unite(struct areas *areas, const struct areas *other) {
    for (unsigned i = 0; i < other->count; i++) areas_add(areas, other->items[i]);
}

void areas_intersect(struct areas *areas, const struct areas *other) {
    struct areas both;
    both.count = 0;
    for (unsigned i = 0; i < areas->count; i++)
        for (unsigned j = 0; j < other->count; j++) {
            struct area a = areas->items[i], b = other->items[j];
            areas_add(&both, (struct area){interval_common(a.partition, b.partition),
                                           interval_common(a.row, b.row)});
        }
    memcpy(areas->items, both.items, both.count * sizeof(both.items[0]));
    areas->count = both.count;
}
