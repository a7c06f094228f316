#include "core/page_ranges.h"

#include "core/memory.h"
#include "core/page_compare.h"

enum { FIRST_CAPACITY = 16 };

/* A range that follows the last one without a gap extends it. */
static bool add_range(struct range_list *list, struct page_range range) {
    struct page_range *last = list->count ? &list->ranges[list->count - 1] : NULL;
    if (last && last->offset + last->length == range.offset) {
        last->length += range.length;
        return true;
    }
    if (list->count == PAGE_RANGES_MAX) return false;
    if (!list->ranges || list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : FIRST_CAPACITY;
        list->ranges = memory_resize(list->ranges, list->capacity * sizeof(*list->ranges));
    }
    list->ranges[list->count++] = range;
    return true;
}

/* Adds the pages of a leaf whose bits are set. */
static bool add_bits(struct range_list *list, uint64_t page, uint64_t bits) {
    while (bits) {
        unsigned at = (unsigned)__builtin_ctzll(bits);
        uint64_t gaps = ~(bits >> at);
        unsigned run = gaps ? (unsigned)__builtin_ctzll(gaps) : LEAF_PAGES;
        if (!add_range(list, (struct page_range){(page + at) * PAGE_BYTES, (uint64_t)run * PAGE_BYTES}))
            return false;
        bits = at + run < LEAF_PAGES ? bits >> (at + run) << (at + run) : 0;
    }
    return true;
}

bool page_ranges_of(struct page_ranges *ranges, const struct pages *pages, struct page_range window) {
    struct page_range range = {window.offset, 0};
    while (pages_range(pages, range.offset + range.length, window.offset + window.length, &range))
        if (!add_range(&ranges->pages, range)) return false;
    return true;
}

static bool take_difference(void *context, uint64_t page, uint64_t changed, uint64_t cleared) {
    struct page_ranges *ranges = context;
    return add_bits(&ranges->pages, page, changed) && add_bits(&ranges->cleared, page, cleared);
}

bool page_ranges_between(struct page_ranges *ranges, const struct pages *now, const struct pages *then,
                         struct page_range window) {
    return pages_compare(now, then, window, PAGE_LEAVES_COMPARED_MAX, take_difference, ranges);
}

void page_ranges_end(struct page_ranges *ranges) {
    memory_free(ranges->pages.ranges);
    memory_free(ranges->cleared.ranges);
}
