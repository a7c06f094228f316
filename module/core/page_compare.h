/* Where two states of pages differ. */
#ifndef HOLDFAST_PAGE_COMPARE_H
#define HOLDFAST_PAGE_COMPARE_H

#include "core/pages.h"

/* Called in order for each leaf that differs: its first page, the pages that are changed or new in the first one,
 * and those that only the second one has. False ends the comparison. */
typedef bool pages_differ(void *context, uint64_t page, uint64_t changed, uint64_t cleared);

/* Compares the pages of [from, to) that do not share memory. False if `differ` ended it, or if more than `max`
 * leaves had to be compared byte by byte. */
bool pages_compare(const struct pages *now, const struct pages *then, struct page_range window, size_t max,
                   pages_differ *differ, void *context);

#endif
