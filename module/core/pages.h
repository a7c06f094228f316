/* Pages: sparse bytes in pages of 512, of which only those that were written take memory.
 *
 *   root ─▶ node ─▶ … ─▶ leaf ─▶ chunk        a trie over the numbers of leaves, 64 ways at each step
 *
 *   node    a bit for each of its 64 children, and only the children that there are
 *   leaf    a bit for each of its 64 pages, and one chunk with only the pages that there are
 *
 * Nodes count their uses, and what is used more than once is copied on the way to a change. So an equal of the same
 * aggregate costs nothing when it is made, and two of them differ only where their nodes do. Another aggregate gets
 * nodes of its own and twins of the chunks.
 *
 * A page that is not there reads as zeros. A struct of zeros has no bytes at all; length is a multiple of a page. */
#ifndef HOLDFAST_PAGES_H
#define HOLDFAST_PAGES_H

#include "core/chunk.h"

#include <stdint.h>

enum { PAGE_BYTES = 512, LEAF_PAGES = 64, LEAF_BYTES = PAGE_BYTES * LEAF_PAGES };

#define PAGES_MAX_BYTES (INT64_C(1) << 43)

struct page_node;

struct pages {
    uint64_t length;
    struct page_node *root;
    unsigned height; /* steps from the root to the leaves */
};

/* --- Change: offsets and lengths are multiples of a page and lie inside the length --- */

void pages_write(struct account *account, struct pages *pages, uint64_t offset, struct bytes bytes);

/* Gives the memory of the pages back. */
void pages_clear(struct account *account, struct pages *pages, uint64_t offset, uint64_t length);

/* What is cut off is gone; what is added is empty. */
void pages_resize(struct account *account, struct pages *pages, uint64_t length);

/* Clears all and makes the length 0. */
void pages_drop(struct account *account, struct pages *pages);

/* Makes pages without a root the equal of others of the same aggregate, or of another one. */
void pages_share(struct pages *pages, const struct pages *source);
void pages_twin(struct account *account, struct pages *pages, const struct pages *source);

/* --- Reading --- */

/* The longest run of bytes in one piece from offset on, at most length. Empty only beyond the end. */
struct bytes pages_view(const struct pages *pages, uint64_t offset, uint64_t length);

/* For who is about to read or write, and has something else to do before: sends for the root, and, once that has come, for
 * the first bytes of a content that is small. */
static inline void pages_expect(const struct pages *pages) {
    __builtin_prefetch(pages->root);
}
void pages_expect_bytes(const struct pages *pages);

struct page_range {
    uint64_t offset;
    uint64_t length;
};

/* The first longest range of written pages between two places, which are multiples of a page. */
bool pages_range(const struct pages *pages, uint64_t from, uint64_t to, struct page_range *range);

/* Receives, in their order, the leaves in which two differ: their first page, and what is other or new in the first
 * one, and what only the second one has. False ends the comparison. */
typedef bool pages_differ(void *context, uint64_t page, uint64_t changed, uint64_t cleared);

/* Compares the pages of [from, to) that do not share their memory. False if `differ` ended it, or if more than
 * `most` leaves had to be compared by their bytes. */
bool pages_compare(const struct pages *now, const struct pages *then, struct page_range window, size_t most,
                   pages_differ *differ, void *context);

/* --- Leaves, for files --- */

struct page_leaf {
    uint64_t index;
    uint64_t present;
    struct chunk *chunk;
};

/* The first leaf from this index on. */
bool pages_leaf(const struct pages *pages, uint64_t index, struct page_leaf *leaf);

/* Whether this can be a leaf, and is not there yet. */
bool pages_leaf_fits(const struct pages *pages, const struct page_leaf *leaf);

/* Adds a leaf that fits. */
void pages_add_leaf(struct account *account, struct pages *pages, const struct page_leaf *leaf);

/* Whether both are one and the same for sure, by what they share. */
bool pages_same(const struct pages *pages, const struct pages *other);

void pages_relocate(struct pages *pages, const struct relocation *relocation);

#endif
