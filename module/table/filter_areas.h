/* Areas: the parts of one or two orders of bytes where matching entities can lie.
 *
 *      row │     ┌────┐          an area is a rectangle: a half-open interval of each order
 *          │     │    │
 *          │  ┌──┼────┼─┐        areas may overlap; a set of them is their union
 *          │  └──┴────┴─┘
 *          └─────────────── partition
 *
 * An index has one order only; then the second interval is always the same. A set that gets too large becomes coarser:
 * it may grow, and never loses anything. */
#ifndef HOLDFAST_TABLE_FILTER_AREAS_H
#define HOLDFAST_TABLE_FILTER_AREAS_H

#include "core/bytes.h"

/* A point in an order of bytes: right before a text, or right after it, and before all longer texts that
 * begin with it. */
struct bound {
    struct bytes text; /* data is NULL for the end of everything */
    bool after;
    bool truncated; /* the text is only the beginning of the values meant */
};

struct interval {
    struct bound from, to;
};

/* An initial value: from the beginning of everything, which is right before the empty text, to its end. */
#define INTERVAL_ALL                                                                                         \
    {                                                                                                        \
        .from = {.text = {"", 0}}, .to = {.text = {NULL, 0} }                                                \
    }

/* Whether a single text lies in the interval. */
bool interval_is_single(const struct interval *interval);

struct area {
    struct interval partition, row; /* for an index, the first one is of its values */
};

enum { AREAS_MAX = 64 };

struct areas {
    unsigned count;
    struct area items[AREAS_MAX];
};

/* An empty area adds nothing. */
void areas_add(struct areas *areas, const struct area *area);

/* Replace the set by its union or its intersection with another one. */
void areas_unite(struct areas *areas, const struct areas *other);
void areas_intersect(struct areas *areas, const struct areas *other);

#endif
