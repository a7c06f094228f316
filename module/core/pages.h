/* Pages: sparse bytes in pages of 512, of which only written ones take memory.
 *
 *   root ─▶ node ─▶ … ─▶ leaf ─▶ chunk        a trie over the numbers of leaves, 64 ways at each step
 *
 *   node    a bit for each of its 64 children, and the children that exist
 *   leaf    a bit for each of its 64 pages, and one chunk with those that exist
 *
 * Nodes count their uses, and a node that is used more than once is copied before a change. So pages of the same
 * aggregate are shared in constant time, and two states differ only where their nodes do. Another aggregate gets
 * nodes of its own and twins of the chunks.
 *
 * A missing page reads as zeros. A zeroed struct is empty; length is a multiple of the page size. */
#ifndef HOLDFAST_PAGES_H
#define HOLDFAST_PAGES_H

#include "core/chunk.h"
#include "core/prefetch.h"

#include <stdint.h>

enum { PAGE_BYTES = 512, LEAF_PAGES = 64, LEAF_BYTES = PAGE_BYTES * LEAF_PAGES };

#define PAGES_MAX_BYTES (INT64_C(1) << 43)

struct page_node;

struct pages {
    uint64_t length;
    struct page_node *root;
    unsigned height; /* levels between the root and the leaves */
};

/* --- Changes: offsets and lengths are multiples of the page size, within the length --- */

void pages_write(struct account *account, struct pages *pages, uint64_t offset, struct bytes bytes);

/* Frees the memory of these pages. */
void pages_clear(struct account *account, struct pages *pages, uint64_t offset, uint64_t length);

/* Shrinking drops pages; growing adds empty ones. */
void pages_resize(struct account *account, struct pages *pages, uint64_t length);

/* Clears all pages and sets the length to 0. */
void pages_drop(struct account *account, struct pages *pages);

/* The same, but nothing is left to the background: false when the effort did not suffice for all. */
bool pages_free(struct account *account, struct pages *pages, size_t *effort);

/* Makes pages without a root equal to others, of the same aggregate or of another one. */
void pages_share(struct pages *pages, const struct pages *source);
void pages_twin(struct account *account, struct pages *pages, const struct pages *source);

/* --- Reading --- */

/* The longest contiguous run of bytes from offset on, at most length. Empty only beyond the end. */
struct bytes pages_view(const struct pages *pages, uint64_t offset, uint64_t length);

/* Two-step access: prefetches the root and then the first bytes of a small content. Use it when there is other work
 * before the read or write. */
static inline void pages_prefetch(const struct pages *pages) {
    prefetch_line(pages->root);
}
void pages_prefetch_bytes(const struct pages *pages);

struct page_range {
    uint64_t offset;
    uint64_t length;
};

/* The first maximal range of written pages between two offsets, which are multiples of the page size. */
bool pages_range(const struct pages *pages, uint64_t from, uint64_t to, struct page_range *range);

/* --- Leaves, for files --- */

struct page_leaf {
    uint64_t index;
    uint64_t present;
    struct chunk *chunk;
};

/* The first leaf from this index on. */
bool pages_leaf(const struct pages *pages, uint64_t index, struct page_leaf *leaf);

/* Whether its chunk has the pages that it says, and they are within the length. */
bool pages_leaf_is_sound(const struct pages *pages, const struct page_leaf *leaf);

/* Whether it is sound, and does not exist yet. */
bool pages_leaf_fits(const struct pages *pages, const struct page_leaf *leaf);

/* Adds a leaf that fits. */
void pages_add_leaf(struct account *account, struct pages *pages, const struct page_leaf *leaf);

/* Whether both share everything. True means equal; false means unknown. */
bool pages_same(const struct pages *pages, const struct pages *other);

void pages_relocate(struct pages *pages, const struct relocation *relocation);

#endif
