/* The trie under the pages: nodes, and the ways to a leaf. For pages.c and page_walk.c alone. */
#ifndef HOLDFAST_PAGE_NODE_H
#define HOLDFAST_PAGE_NODE_H

#include "core/pages.h"

enum { NODE_WAYS = 64, NODE_BITS = 6 };

struct page_node {
    size_t uses;
    uint64_t present; /* children, or pages of a leaf */
    void *below[];    /* the children that there are; a leaf has its chunk here */
};

/* Without an instruction of its own, which not every processor has: pairs, nibbles, bytes, and the sum of the bytes. */
static inline unsigned page_count(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Where something stands among what is there. */
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

/* NULL if there is no such leaf. */
const struct page_node *page_leaf_find(const struct pages *pages, uint64_t index);

/* A leaf that may change; a new one has no pages and no chunk. */
struct page_node *page_leaf_need(struct account *account, struct pages *pages, uint64_t index);

/* A node that may change, in place of one that is shared. */
struct page_node *page_node_own(struct account *account, struct page_node *node, unsigned height);

/* Frees so many leaves at most, and answers how many more there may be. */
size_t page_node_drop(struct account *account, struct page_node *node, unsigned height, size_t leaves);

/* Takes the children out that have become NULL; NULL if none is left. */
struct page_node *page_node_compact(struct account *account, struct page_node *node);

#endif
