/* Ranges of a filter: the keys, or the values of an indexed property, that matching entities can have. An entity inside
 * a range may still not match; one outside cannot. So a query walks ranges, and matches the filter there. */
#ifndef HOLDFAST_TABLE_FILTER_RANGES_H
#define HOLDFAST_TABLE_FILTER_RANGES_H

#include "table/area_ranges.h"
#include "table/filter.h"

/* The keys of entities that can match; a filter that does not confine them gives one range with everything. */
void filter_key_ranges(const struct filter *filter, struct ranges *ranges);

/* The values in the property's index. False, with nothing to end, when the filter does not confine the property, so
 * that its index is of no use. */
bool filter_index_ranges(const struct filter *filter, struct bytes property, struct ranges *ranges);

#endif
