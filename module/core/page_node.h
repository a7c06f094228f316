/* The trie under the pages: nodes, and how to reach a leaf. Only for pages.c and page_compare.c. */
#ifndef HOLDFAST_PAGE_NODE_H
#define HOLDFAST_PAGE_NODE_H

#include "core/chunk.h"

#include <stdint.h>

enum { NODE_WAYS = 64, NODE_BITS = 6 };

struct page_node {
    size_t uses;
    uint64_t present; /* bitmap of children, or of a leaf's pages */
    void *below[];    /* only the children that are present; a leaf has its chunk here */
};

/* Counts bits without popcnt, which not every processor has: pairs, nibbles, bytes, then the sum of the bytes. */
static inline unsigned page_count(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The index of an item among those that are present. */
static inline unsigned page_place(const struct page_node *node, unsigned slot) {
    return page_count(node->present & ((UINT64_C(1) << slot) - 1));
}

static inline bool page_there(const struct page_node *node, unsigned slot) {
    return node->present >> slot & 1;
}

/* Leaves below one child of a node at this height. */
static inline uint64_t page_span(unsigned height) {
    return UINT64_C(1) << (NODE_BITS * (height - 1));
}

/* A trie is its root, NULL for an empty one, and the height of that. NULL if there is no such leaf. */
const struct page_node *page_leaf_find(const struct page_node *root, unsigned height, uint64_t index);

/* A leaf that may be modified; a new one has no pages and no chunk. */
struct page_node *page_leaf_need(struct account *account, struct page_node **root, unsigned *height,
                                 uint64_t index);

/* A node that may be modified: a shared one is copied. */
struct page_node *page_node_own(struct account *account, struct page_node *node, unsigned height);

/* Drops one use, and frees a node without any; a leaf costs one. False when the effort did not suffice. */
bool page_node_free(struct account *account, struct page_node *node, unsigned height, size_t *effort);

/* The same, but leaves the rest to the background: frees at most this many leaves; returns how much of that allowance
 * is left. */
size_t page_node_drop(struct account *account, struct page_node *node, unsigned height, size_t leaves);

/* Removes children that have become NULL. Returns NULL if none is left. */
struct page_node *page_node_compact(struct account *account, struct page_node *node);

/* Nodes of another aggregate's own, with twins of the chunks. */
struct page_node *page_node_twin(struct account *account, const struct page_node *node, unsigned height);

/* Moves what is below a node that is used once. */
struct page_node *page_node_relocate(struct page_node *node, unsigned height,
                                     const struct relocation *relocation);

#endif
