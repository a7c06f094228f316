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

/* The first place that is not before the bound. */
static unsigned place_from(const struct axis *axis, const struct bound *bound) {
    unsigned place = 0;
    while (place < axis->count && compare_bounds(&axis->bounds[place], bound) < 0) place++;
    return place;
}

void axis_add(struct axis *axis, struct bound bound) {
    unsigned place = place_from(axis, &bound);
    if (place < axis->count && compare_bounds(&axis->bounds[place], &bound) == 0) return;
    memmove(&axis->bounds[place + 1], &axis->bounds[place], (axis->count - place) * sizeof(bound));
    axis->bounds[place] = bound;
    axis->count++;
}

uint8_t axis_place(const struct axis *axis, struct bound bound) {
    return (uint8_t)place_from(axis, &bound);
}

bool span_single(const struct axis *axis, struct span span) {
    if (span.to != span.from + 1 || span.to == axis->count) return false;
    const struct bound *from = &axis->bounds[span.from], *to = &axis->bounds[span.to];
    return to->after && !from->cut && bytes_equal(from->text, to->text);
}

/* --- Areas --- */

static uint8_t smaller(uint8_t a, uint8_t b) {
    return a < b ? a : b;
}

static uint8_t larger(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

static struct span common(struct span a, struct span b) {
    return (struct span){larger(a.from, b.from), smaller(a.to, b.to)};
}

static struct span around(struct span a, struct span b) {
    return (struct span){smaller(a.from, b.from), larger(a.to, b.to)};
}

static struct area area_around(struct area a, struct area b) {
    return (struct area){around(a.partition, b.partition), around(a.row, b.row)};
}

static bool span_in(struct span inner, struct span outer) {
    return inner.from >= outer.from && inner.to <= outer.to;
}

static bool area_in(struct area inner, struct area outer) {
    return span_in(inner.partition, outer.partition) && span_in(inner.row, outer.row);
}

static bool is_empty(struct area area) {
    return area.partition.from >= area.partition.to || area.row.from >= area.row.to;
}

static unsigned width(struct span span) {
    return (unsigned)(span.to - span.from);
}

/* The one that grows least when it takes the area in, first in partitions, since these cost more. */
static unsigned nearest(const struct areas *areas, struct area area) {
    unsigned best = 0, best_growth = UINT32_MAX;
    for (unsigned i = 0; i < areas->count; i++) {
        struct area item = areas->items[i], whole = area_around(item, area);
        unsigned growth =
            (width(whole.partition) - width(item.partition)) * AXIS_MAX + width(whole.row) - width(item.row);
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
            areas_add(&both, (struct area){common(a.partition, b.partition), common(a.row, b.row)});
        }
    memcpy(areas->items, both.items, both.count * sizeof(both.items[0]));
    areas->count = both.count;
}
