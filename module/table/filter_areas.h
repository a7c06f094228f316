/* Areas: the parts of one or two orders of bytes where matching entities can lie.
 *
 *      row │     ┌────┐          an area is a rectangle: a half-open interval on each axis
 *          │     │    │
 *          │  ┌──┼────┼─┐        areas may overlap; a set of them is their union
 *          │  └──┴────┴─┘
 *          └─────────────── partition
 *
 * A filter has few bounds. They are sorted along an axis, so intervals are pairs of small numbers: indexes of bounds.
 * An index has one order only; then the second interval is always the same. A set that gets too large becomes coarser:
 * it may grow, and never loses anything. */
#ifndef HOLDFAST_TABLE_FILTER_AREAS_H
#define HOLDFAST_TABLE_FILTER_AREAS_H

#include "core/bytes.h"

#include <stdint.h>

/* A point in an order of bytes: right before a text, or right after it, and before all longer texts that
 * begin with it. */
struct bound {
    struct bytes text;
    bool after;
    bool truncated; /* the text is only the beginning of the values meant */
};

enum { AXIS_MAX = 112, AREAS_MAX = 64 };

/* Sorted bounds. The first one is the beginning of everything; the index behind the last one is the end. */
struct axis {
    unsigned count;
    struct bound bounds[AXIS_MAX];
};

void axis_start(struct axis *axis);
void axis_add(struct axis *axis, struct bound bound);

/* The index of a bound that was added. */
uint8_t axis_find(const struct axis *axis, struct bound bound);

static inline uint8_t axis_end(const struct axis *axis) {
    return (uint8_t)axis->count;
}

struct interval {
    uint8_t from, to; /* indexes of bounds */
};

/* Whether a single text lies in the interval. */
bool interval_is_single(const struct axis *axis, struct interval interval);

struct area {
    struct interval partition, row; /* for an index, the first one is of its values */
};

struct areas {
    unsigned count;
    struct area items[AREAS_MAX];
};

/* An empty area adds nothing. */
void areas_add(struct areas *areas, struct area area);

/* Replace the set by its union or its intersection with another one. */
void areas_unite(struct areas *areas, const struct areas *other);
void areas_intersect(struct areas *areas, const struct areas *other);

#endif
