#include "core/page_compare.h"

#include "core/page_node.h"

struct page_comparison {
    uint64_t from, to; /* pages */
    size_t max;
    pages_differ *differ;
    void *context;
};

/* A node with its own height, which may be less than the height of the comparison. */
struct side {
    const struct page_node *node;
    unsigned height;
};

static struct side child_of(struct side side, unsigned height, unsigned slot) {
    if (!side.node || side.height < height) return slot ? (struct side){NULL, 0} : side;
    if (!page_there(side.node, slot)) return (struct side){NULL, 0};
    return (struct side){side.node->below[page_place(side.node, slot)], height - 1};
}

static const char *page_at(const struct page_node *leaf, unsigned at) {
    return chunk_bytes(leaf->below[0]).data + (size_t)page_place(leaf, at) * PAGE_BYTES;
}

/* The pages that both have, with different bytes. */
static uint64_t rewritten_pages(const struct page_node *now, const struct page_node *then) {
    uint64_t changed = 0;
    if (now->below[0] == then->below[0] && now->present == then->present) return 0;
    for (uint64_t left = now->present & then->present; left; left &= left - 1) {
        unsigned at = (unsigned)__builtin_ctzll(left);
        if (memcmp(page_at(now, at), page_at(then, at), PAGE_BYTES) != 0) changed |= UINT64_C(1) << at;
    }
    return changed;
}

/* The pages of a leaf that lie in the window. */
static uint64_t in_window(const struct page_comparison *comparison, uint64_t page) {
    uint64_t bits = UINT64_MAX;
    if (page < comparison->from) bits &= UINT64_MAX << (comparison->from - page);
    if (page + LEAF_PAGES > comparison->to) bits &= UINT64_MAX >> (page + LEAF_PAGES - comparison->to);
    return bits;
}

static bool compare_leaves(struct page_comparison *comparison, const struct page_node *now,
                           const struct page_node *then, uint64_t page) {
    static const struct page_node nothing;
    bool both = now && then && now->below[0] != then->below[0];
    if (both && !comparison->max--) return false;
    uint64_t changed = now && then ? rewritten_pages(now, then) : 0;
    if (!now) now = &nothing;
    if (!then) then = &nothing;
    changed |= now->present & ~then->present;
    uint64_t bits = in_window(comparison, page), cleared = then->present & ~now->present;
    if (!((changed | cleared) & bits)) return true;
    return comparison->differ(comparison->context, page, changed & bits, cleared & bits);
}

static bool compare_nodes(struct page_comparison *comparison, struct side now, struct side then,
                          unsigned height, uint64_t page) {
    uint64_t covered = (uint64_t)LEAF_PAGES << (NODE_BITS * height);
    if (now.node == then.node || page >= comparison->to || page + covered <= comparison->from) return true;
    if (!height) return compare_leaves(comparison, now.node, then.node, page);
    for (unsigned slot = 0; slot < NODE_WAYS; slot++)
        if (!compare_nodes(comparison, child_of(now, height, slot), child_of(then, height, slot), height - 1,
                           page + slot * (covered / NODE_WAYS)))
            return false;
    return true;
}

bool pages_compare(const struct pages *now, const struct pages *then, struct page_range window, size_t max,
                   pages_differ *differ, void *context) {
    struct page_comparison comparison = {window.offset / PAGE_BYTES,
                                         (window.offset + window.length) / PAGE_BYTES, max, differ, context};
    unsigned height = now->height > then->height ? now->height : then->height;
    return compare_nodes(&comparison, (struct side){now->root, now->height},
                         (struct side){then->root, then->height}, height, 0);
}
