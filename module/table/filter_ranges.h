/* Ranges of a filter: which keys, and which values of an indexed property, all matching entities must have. What lies
 * inside may still not match; what lies outside cannot. So a query walks ranges, and asks the filter there.
 *
 * Ranges are half open, [from, to), sorted, and do not touch. They stand in an order of bytes: that of stored keys
 * (key.h), or of the keys of an index (index_key.h). */
#ifndef HOLDFAST_TABLE_FILTER_RANGES_H
#define HOLDFAST_TABLE_FILTER_RANGES_H

#include "table/filter.h"

enum { RANGES_MAX = 32 };

struct range {
    struct bytes from;
    struct bytes to; /* data is NULL where there is no end */
    bool single;     /* one key, or one value of the property */
};

struct ranges {
    unsigned count; /* 0: nothing can match */
    struct range items[RANGES_MAX];
    struct record_writer room; /* where the bounds stand */
};

/* Always answers; the whole table is one range from "" on. */
void filter_key_ranges(const struct filter *filter, struct ranges *ranges);

/* False, and nothing to end, when the filter does not confine the property, so that its index is of no use. */
bool filter_index_ranges(const struct filter *filter, struct bytes property, struct ranges *ranges);

void ranges_end(struct ranges *ranges);

#endif
