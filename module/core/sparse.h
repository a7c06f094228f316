/* Sparse bytes: pages with a length that need not be a multiple of a page, written and cleared at any place.
 *
 * The bytes between the end and the end of the last page are zeros, so growing never brings back old bytes. A zeroed
 * struct is empty. */
#ifndef HOLDFAST_SPARSE_H
#define HOLDFAST_SPARSE_H

#include "core/pages.h"

struct sparse_bytes {
    uint64_t length;
    struct pages pages; /* rounded up to whole pages */
};

/* Offsets and lengths lie within the length. */
void sparse_write(struct account *account, struct sparse_bytes *sparse, uint64_t offset, struct bytes bytes);

/* Whole pages (and the last one up to the end) are freed; the rest becomes zeros. */
void sparse_clear(struct account *account, struct sparse_bytes *sparse, uint64_t offset, uint64_t length);

void sparse_resize(struct account *account, struct sparse_bytes *sparse, uint64_t length);

/* The longest contiguous run of bytes from offset on, at most length. Empty only beyond the end. */
struct bytes sparse_view(const struct sparse_bytes *sparse, uint64_t offset, uint64_t length);

/* The whole pages around a range within the length. */
struct page_range sparse_window(struct page_range range);

#endif
