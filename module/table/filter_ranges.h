/* Ranges of a filter: the keys, or the values of an indexed property, that matching entities can have. An entity inside
 * a range may still not match; one outside cannot. So a query walks ranges, and matches the filter there. */
#ifndef HOLDFAST_TABLE_FILTER_RANGES_H
#define HOLDFAST_TABLE_FILTER_RANGES_H

#include "core/arena.h"
#include "table/filter.h"

enum { RANGES_MAX = 32 };

/* [from, to) in an order of bytes: that of stored keys (key.h), or of the keys of an index (index_key.h). */
struct range {
    struct bytes from;
    struct bytes to; /* data is NULL where there is no end */
    bool single;     /* one key, or one value of the property */
};

/* Sorted; ranges do not touch each other. */
struct ranges {
    unsigned count; /* 0: nothing can match */
    struct range items[RANGES_MAX];
    struct arena bounds; /* the bytes of all bounds */
};

/* The keys of entities that can match; a filter that does not confine them gives one range with everything. */
void filter_key_ranges(const struct filter *filter, struct ranges *ranges);

/* The values in the property's index. False, with nothing to end, when the filter does not confine the property, so
 * that its index is of no use. */
bool filter_index_ranges(const struct filter *filter, struct bytes property, struct ranges *ranges);

void ranges_end(struct ranges *ranges);

#endif
