#include "core/page_node.h"

#include "core/garbage.h"
#include "core/memory.h"

static size_t node_bytes(unsigned children) {
    return sizeof(struct page_node) + children * sizeof(void *);
}

static struct page_node *page_node_new(struct account *account, unsigned children) {
    struct page_node *node = account_add(account, memory_zeroed(node_bytes(children)));
    node->uses = 1;
    return node;
}

static unsigned children_of(const struct page_node *node, unsigned height) {
    return height ? page_count(node->present) : 1;
}

/* Frees children from the last one on; false when the effort did not suffice. */
static bool page_free_below(struct account *account, struct page_node *node, unsigned height, size_t *effort);

bool page_node_free(struct account *account, struct page_node *node, unsigned height, size_t *effort) {
    if (node->uses > 1) {
        node->uses--;
        return true;
    }
    if (!page_free_below(account, node, height, effort)) return false;
    account_discard(account, node);
    return true;
}

static bool page_free_below(struct account *account, struct page_node *node, unsigned height,
                            size_t *effort) {
    if (!height) {
        if (!*effort) return false;
        --*effort;
        if (node->below[0]) chunk_drop(account, node->below[0]);
        return true;
    }
    while (node->present) {
        if (!page_node_free(account, node->below[page_count(node->present) - 1], height - 1, effort))
            return false;
        node->present &= ~(UINT64_C(1) << (63 - __builtin_clzll(node->present)));
    }
    return true;
}

static bool trie_free(struct account *account, struct garbage_part *part, size_t *effort) {
    return page_node_free(account, part->root, part->height, effort);
}

size_t page_node_drop(struct account *account, struct page_node *node, unsigned height, size_t leaves) {
    return garbage_free(account, (struct garbage_part){trie_free, node, height}, leaves);
}

struct page_node *page_node_own(struct account *account, struct page_node *node, unsigned height) {
    if (node->uses == 1) return node;
    unsigned children = children_of(node, height);
    struct page_node *own = page_node_new(account, children);
    own->present = node->present;
    for (unsigned i = 0; i < children; i++) {
        own->below[i] = node->below[i];
        if (height)
            ((struct page_node *)node->below[i])->uses++;
        else
            chunk_use(account, node->below[i]);
    }
    node->uses--;
    return own;
}

struct page_node *page_node_compact(struct account *account, struct page_node *node) {
    unsigned kept = 0, place = 0;
    uint64_t present = 0;
    for (uint64_t left = node->present; left; left &= left - 1, place++) {
        if (!node->below[place]) continue;
        node->below[kept++] = node->below[place];
        present |= left & (~left + 1);
    }
    if (!kept) {
        account_discard(account, node);
        return NULL;
    }
    if (present == node->present) return node;
    node->present = present;
    return account_resize(account, node, node_bytes(kept));
}

const struct page_node *page_leaf_find(const struct page_node *root, unsigned height, uint64_t index) {
    const struct page_node *node = root;
    if (!node || index >> (NODE_BITS * height)) return NULL;
    for (; height; height--) {
        unsigned slot = index / page_span(height) % NODE_WAYS;
        if (!page_there(node, slot)) return NULL;
        node = node->below[page_place(node, slot)];
    }
    return node;
}

/* Adds levels until the root covers the leaf of this index. */
static void raise_root(struct account *account, struct page_node **root, unsigned *height, uint64_t index) {
    for (; index >> (NODE_BITS * *height); ++*height) {
        if (!*root) continue;
        struct page_node *raised = page_node_new(account, 1);
        raised->present = 1;
        raised->below[0] = *root;
        *root = raised;
    }
}

/* The pointer to a child, in its place: NULL for a new child. The node may move. */
static struct page_node **need_child(struct account *account, struct page_node **node, unsigned slot) {
    unsigned place = page_place(*node, slot), count = page_count((*node)->present);
    if (!page_there(*node, slot)) {
        *node = account_resize(account, *node, node_bytes(count + 1));
        memmove(&(*node)->below[place + 1], &(*node)->below[place], (count - place) * sizeof(void *));
        (*node)->below[place] = NULL;
        (*node)->present |= UINT64_C(1) << slot;
    }
    return (struct page_node **)&(*node)->below[place];
}

struct page_node *page_leaf_need(struct account *account, struct page_node **root, unsigned *height,
                                 uint64_t index) {
    raise_root(account, root, height, index);
    struct page_node **node = root;
    for (unsigned above = *height;; above--) {
        *node = *node ? page_node_own(account, *node, above) : page_node_new(account, above ? 0 : 1);
        if (!above) return *node;
        node = need_child(account, node, index / page_span(above) % NODE_WAYS);
    }
}

struct page_node *page_node_twin(struct account *account, const struct page_node *node, unsigned height) {
    unsigned children = children_of(node, height);
    struct page_node *twin = page_node_new(account, children);
    twin->present = node->present;
    for (unsigned i = 0; i < children; i++) {
        if (height) {
            twin->below[i] = page_node_twin(account, node->below[i], height - 1);
        } else {
            twin->below[i] = chunk_twin(node->below[i]);
            chunk_use(account, twin->below[i]);
        }
    }
    return twin;
}

struct page_node *page_node_relocate(struct page_node *node, unsigned height,
                                     const struct relocation *relocation) {
    if (node->uses > 1) return node;
    node = relocate(relocation, node);
    for (unsigned i = 0; i < children_of(node, height); i++) {
        if (height)
            node->below[i] = page_node_relocate(node->below[i], height - 1, relocation);
        else
            node->below[i] = chunk_relocate(node->below[i], relocation);
    }
    return node;
}
