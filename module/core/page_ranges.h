/* Page ranges: the pages that are written, or that differ from an earlier state, as a reply of bounded size
 * after bounded work. */
#ifndef HOLDFAST_PAGE_RANGES_H
#define HOLDFAST_PAGE_RANGES_H

#include "core/pages.h"

enum { PAGE_RANGES_MAX = 50000, PAGE_LEAVES_COMPARED_MAX = 4096 };

/* In order, merged. */
struct range_list {
    struct page_range *ranges;
    size_t count;
    size_t capacity;
};

/* A zeroed struct is empty. */
struct page_ranges {
    struct range_list pages; /* written pages, or pages that differ */
    struct range_list cleared;
};

/* Both return false if there are too many ranges. */
bool page_ranges_of(struct page_ranges *ranges, const struct pages *pages, struct page_range window);
bool page_ranges_between(struct page_ranges *ranges, const struct pages *now, const struct pages *then,
                         struct page_range window);

void page_ranges_end(struct page_ranges *ranges);

#endif
