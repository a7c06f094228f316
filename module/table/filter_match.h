/* Matching: whether an entity satisfies a filter. The properties that the filter names are looked up in one pass, when
 * the first of them is needed. */
#ifndef HOLDFAST_TABLE_FILTER_MATCH_H
#define HOLDFAST_TABLE_FILTER_MATCH_H

#include "table/filter.h"

/* The data that filters are matched against. */
struct row {
    struct bytes partition, row; /* in stored form */
    int64_t ticks;
    struct bytes properties; /* packed and valid: see property.h */
};

/* Adds what matching cost to *work: one for each comparison, more for long values and skipped properties. */
bool filter_matches(const struct filter *filter, const struct row *row, size_t *work);

#endif
