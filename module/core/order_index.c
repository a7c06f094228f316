#include "core/order_index.h"

#include "core/memory.h"

enum {
    FANOUT = 60,
    SPARSE = FANOUT / 4, /* below this a node looks for a neighbour to join */
    JOINED_MAX = FANOUT * 3 / 4,
};

/* first[i] is the entry itself in a leaf, and the first entry below children[i] in an inner node. */
struct order_node {
    uint16_t count;
    bool leaf;
    struct order_node *previous, *next; /* leaves only */
    void *first[FANOUT];
    struct order_node *children[]; /* inner nodes only */
};

struct step {
    struct order_node *node;
    unsigned at;
};

/* The way from the root to a leaf. */
struct path {
    struct step steps[ORDER_INDEX_MAX_HEIGHT];
    unsigned length;
};

static struct order_node *node_new(struct order_index *index, bool leaf) {
    struct order_node *node =
        memory_alloc(sizeof(struct order_node) + (leaf ? 0 : FANOUT * sizeof(struct order_node *)));
    node->count = 0;
    node->leaf = leaf;
    node->previous = node->next = NULL;
    index->held += memory_size(node);
    return node;
}

static void node_free(struct order_index *index, struct order_node *node) {
    if (node->previous) node->previous->next = node->next;
    if (node->next) node->next->previous = node->previous;
    index->held -= memory_size(node);
    memory_free(node);
}

void order_index_start(struct order_index *index) {
    index->held = 0;
    index->root = node_new(index, true);
}

static void free_below(struct order_index *index, struct order_node *node) {
    if (!node->leaf)
        for (unsigned i = 0; i < node->count; i++) free_below(index, node->children[i]);
    node_free(index, node);
}

void order_index_end(struct order_index *index) {
    free_below(index, index->root);
}

/* How many of the node's first entries have a name below this one. */
static unsigned count_below(const struct order_node *node, struct bytes name) {
    unsigned low = 0, high = node->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (bytes_compare(entry_name(node->first[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The child below which a name stands or would stand. */
static unsigned child_for(const struct order_node *node, struct bytes name) {
    unsigned below = count_below(node, name);
    if (below < node->count && bytes_equal(entry_name(node->first[below]), name)) return below;
    return below ? below - 1 : 0;
}

/* Ends at the place of the first entry whose name is not below this one; perhaps behind the end of its leaf. */
static void walk(const struct order_index *index, struct bytes name, struct path *path) {
    struct order_node *node = index->root;
    path->length = 0;
    while (!node->leaf) {
        unsigned at = child_for(node, name);
        path->steps[path->length++] = (struct step){node, at};
        node = node->children[at];
    }
    path->steps[path->length++] = (struct step){node, count_below(node, name)};
}

static void open_gap(struct order_node *node, unsigned at) {
    size_t behind = node->count - at;
    memmove(&node->first[at + 1], &node->first[at], behind * sizeof(void *));
    if (!node->leaf) memmove(&node->children[at + 1], &node->children[at], behind * sizeof(void *));
    node->count++;
}

static void close_gap(struct order_node *node, unsigned at) {
    node->count--;
    size_t behind = node->count - at;
    memmove(&node->first[at], &node->first[at + 1], behind * sizeof(void *));
    if (!node->leaf) memmove(&node->children[at], &node->children[at + 1], behind * sizeof(void *));
}

static void move_items(struct order_node *to, struct order_node *from, unsigned from_at, unsigned count) {
    memcpy(&to->first[to->count], &from->first[from_at], count * sizeof(void *));
    if (!to->leaf) memcpy(&to->children[to->count], &from->children[from_at], count * sizeof(void *));
    to->count = (uint16_t)(to->count + count);
    from->count = (uint16_t)(from->count - count);
}

/* Moves the upper part of a full node to a new one on its right: nothing at all when the tree grows at its
 * end. */
static struct order_node *split(struct order_index *index, struct order_node *node, unsigned at) {
    struct order_node *right = node_new(index, node->leaf);
    unsigned keep = at == FANOUT && !node->next ? FANOUT : FANOUT / 2;
    move_items(right, node, keep, FANOUT - keep);
    if (node->leaf) {
        right->previous = node;
        right->next = node->next;
        if (right->next) right->next->previous = right;
        node->next = right;
    }
    return right;
}

static void put(struct order_node *node, unsigned at, void *first, struct order_node *child) {
    open_gap(node, at);
    node->first[at] = first;
    if (!node->leaf) node->children[at] = child;
}

/* The first entry below the node at this depth of the path has become another one. */
static void tell_above(struct path *path, unsigned depth, void *first) {
    while (depth--) {
        path->steps[depth].node->first[path->steps[depth].at] = first;
        if (path->steps[depth].at) return;
    }
}

static void grow_root(struct order_index *index, struct order_node *right) {
    struct order_node *root = node_new(index, false);
    put(root, 0, index->root->first[0], index->root);
    put(root, 1, right->first[0], right);
    index->root = root;
}

void order_index_add(struct order_index *index, struct entry *entry) {
    struct path path;
    walk(index, entry_name(entry), &path);
    void *first = entry;
    struct order_node *child = NULL;
    unsigned depth = path.length;
    do {
        struct order_node *node = path.steps[--depth].node, *right = NULL;
        unsigned at = path.steps[depth].at + (node->leaf ? 0 : 1);
        struct order_node *into = node;
        if (node->count == FANOUT) {
            right = split(index, node, at);
            if (at > node->count || (at == node->count && !right->count)) {
                at -= node->count;
                into = right;
            }
        }
        put(into, at, first, child);
        if (into == node && at == 0) tell_above(&path, depth, first);
        if (!right) return;
        first = right->first[0];
        child = right;
    } while (depth);
    grow_root(index, child);
}

/* Joins the child at this place with the one on its right, if both fit. */
static bool join(struct order_index *index, struct order_node *parent, unsigned at) {
    if (at + 1 >= parent->count) return false;
    struct order_node *left = parent->children[at], *right = parent->children[at + 1];
    if (left->count + right->count > JOINED_MAX) return false;
    move_items(left, right, 0, right->count);
    close_gap(parent, at + 1);
    node_free(index, right);
    return true;
}

/* After a removal below: drops the empty, joins the sparse. */
static void tidy(struct order_index *index, struct path *path, unsigned depth) {
    for (; depth; depth--) {
        struct order_node *node = path->steps[depth].node, *parent = path->steps[depth - 1].node;
        unsigned at = path->steps[depth - 1].at;
        if (node->count >= SPARSE) return;
        if (node->count == 0) {
            close_gap(parent, at);
            node_free(index, node);
            if (at == 0 && parent->count) tell_above(path, depth - 1, parent->first[0]);
        } else if (!join(index, parent, at) && !(at && join(index, parent, at - 1))) {
            return;
        }
    }
}

void order_index_remove(struct order_index *index, const struct entry *entry) {
    struct path path;
    walk(index, entry_name(entry), &path);
    unsigned depth = path.length - 1;
    struct order_node *leaf = path.steps[depth].node;
    close_gap(leaf, path.steps[depth].at);
    if (path.steps[depth].at == 0 && leaf->count) tell_above(&path, depth, leaf->first[0]);
    tidy(index, &path, depth);
    while (!index->root->leaf && index->root->count == 1) {
        struct order_node *root = index->root;
        index->root = root->children[0];
        node_free(index, root);
    }
}

unsigned order_index_slots(const struct order_index *index, const struct entry *entry,
                           void **slots[ORDER_INDEX_MAX_HEIGHT]) {
    struct path path;
    unsigned count = 0;
    walk(index, entry_name(entry), &path);
    for (unsigned depth = 0; depth < path.length; depth++) {
        void **slot = &path.steps[depth].node->first[path.steps[depth].at];
        if (*slot == entry) slots[count++] = slot;
    }
    return count;
}

static void settle(struct order_cursor *cursor) {
    while (cursor->leaf && cursor->at >= cursor->leaf->count) {
        cursor->leaf = cursor->leaf->next;
        cursor->at = 0;
    }
}

struct order_cursor order_index_seek(const struct order_index *index, struct bytes name) {
    struct path path;
    walk(index, name, &path);
    struct order_cursor cursor = {path.steps[path.length - 1].node, path.steps[path.length - 1].at};
    settle(&cursor);
    return cursor;
}

struct entry *order_cursor_entry(const struct order_cursor *cursor) {
    return cursor->leaf ? cursor->leaf->first[cursor->at] : NULL;
}

void order_cursor_next(struct order_cursor *cursor) {
    cursor->at++;
    settle(cursor);
}
