/* Areas: where in one or two orders of bytes something can lie. A filter names only a few places in an order, and every
 * bound that follows from it is one of them; so bounds are counted once, along an axis, and areas are small numbers.
 *
 *      row │     ┌────┐          an area is a rectangle: from one place to another one on either axis,
 *          │     │    │          half open; where one order is enough, the other axis has no places
 *          │  ┌──┼────┼─┐
 *          │  └──┴────┴─┘        areas may overlap: together they are where to look
 *          └─────────────── partition
 *
 * A set of areas that gets too large gets coarser: what should lie inside never lies outside. */
#ifndef HOLDFAST_TABLE_FILTER_AREAS_H
#define HOLDFAST_TABLE_FILTER_AREAS_H

#include "core/bytes.h"

#include <stdint.h>

/* Right before a text in its order, or right behind it, and before all that it begins. */
struct bound {
    struct bytes text;
    bool after;
    bool cut; /* the text is the beginning of many */
};

enum { AXIS_MAX = 112, AREAS_MAX = 64 };

/* In their order; the first one is the beginning of everything, behind the last one is its end. */
struct axis {
    unsigned count;
    struct bound bounds[AXIS_MAX];
};

void axis_start(struct axis *axis);
void axis_add(struct axis *axis, struct bound bound);

/* The place of a bound that was added. */
uint8_t axis_place(const struct axis *axis, struct bound bound);

static inline uint8_t axis_end(const struct axis *axis) {
    return (uint8_t)axis->count;
}

struct span {
    uint8_t from, to; /* places on an axis */
};

/* One text, and not more, lies in the span. */
bool span_single(const struct axis *axis, struct span span);

struct area {
    struct span partition, row; /* of keys; or of an index, which has no rows */
};

struct areas {
    unsigned count;
    struct area items[AREAS_MAX];
};

/* What is empty adds nothing. */
void areas_add(struct areas *areas, struct area area);

/* The set becomes what is in either, or in both. */
void areas_unite(struct areas *areas, const struct areas *other);
void areas_intersect(struct areas *areas, const struct areas *other);

#endif
