/* Areas as ranges: the keys that lie in a set of areas, as half-open ranges that can be walked. */
#ifndef HOLDFAST_TABLE_AREA_RANGES_H
#define HOLDFAST_TABLE_AREA_RANGES_H

#include "core/arena.h"
#include "table/filter_areas.h"

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

void ranges_of_all(struct ranges *ranges);

/* Of stored keys. */
void ranges_of_keys(const struct areas *areas, struct ranges *ranges);

/* Of the keys of an index; the bounds have a class and a value without their terminator. */
void ranges_of_index(const struct areas *areas, struct ranges *ranges);

void ranges_end(struct ranges *ranges);

#endif
