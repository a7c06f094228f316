/* Areas as ranges: what lies in a set of areas, as stretches of keys that somebody can walk. */
#ifndef HOLDFAST_TABLE_RANGES_H
#define HOLDFAST_TABLE_RANGES_H

#include "table/filter_areas.h"
#include "table/filter_ranges.h"

/* The whole of an order. */
void ranges_of_all(struct ranges *ranges);

/* In keys of entities: areas of partition keys and row keys. */
void ranges_of_keys(const struct areas *areas, const struct axis *partitions, const struct axis *rows,
                    struct ranges *ranges);

/* In keys of an index: areas of classes with values, without what ends these. */
void ranges_of_index(const struct areas *areas, const struct axis *values, struct ranges *ranges);

#endif
