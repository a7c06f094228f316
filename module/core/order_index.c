#include "core/order_index.h"

#include "core/bisect.h"
#include "core/memory.h"
#include "core/prefetch.h"

#include "ccan/endian/endian.h"

enum {
    FANOUT = 83,         /* a leaf takes 1024 bytes */
    SPARSE = FANOUT / 4, /* a node with fewer items is joined with a neighbour */
    JOINED_MAX = FANOUT * 3 / 4,
};

enum { CACHE_LINE_BYTES = 64, TAKEN_AHEAD = 6 };

enum {
    HEAD_BYTES = 4,
    HEAD_STALE = 2, /* heads that begin with this many common bytes are computed anew */
};

/* first[i] is the entry itself in a leaf, and the first entry below children[i] in an inner node. All of
 * these names begin with the same `skip` bytes; heads[i] are the next ones, as a number that compares as they
 * do. So a search mostly stays within the node, and reads entries, which lie anywhere in memory, only where
 * heads are equal. */
struct order_node {
    uint16_t count;
    uint16_t skip;
    bool leaf;
    struct order_node *previous, *next; /* leaves only */
    uint32_t heads[FANOUT];
    void *first[FANOUT];
    struct order_node *children[]; /* inner nodes only */
};

struct step {
    struct order_node *node;
    unsigned at;
};

/* The path from the root to a leaf. */
struct descent {
    struct step steps[ORDER_INDEX_MAX_HEIGHT];
    unsigned length;
};

static struct order_node *order_node_new(struct order_index *index, bool leaf) {
    struct order_node *node =
        memory_alloc(sizeof(struct order_node) + (leaf ? 0 : FANOUT * sizeof(struct order_node *)));
    node->count = 0;
    node->skip = 0;
    node->leaf = leaf;
    node->previous = node->next = NULL;
    index->memory += memory_size(node);
    return node;
}

static void order_node_free(struct order_index *index, struct order_node *node) {
    if (node->previous) node->previous->next = node->next;
    if (node->next) node->next->previous = node->previous;
    index->memory -= memory_size(node);
    memory_free(node);
}

static void order_free_below(struct order_index *index, struct order_node *node) {
    if (!node->leaf)
        for (unsigned i = 0; i < node->count; i++) order_free_below(index, node->children[i]);
    order_node_free(index, node);
}

void order_index_end(struct order_index *index) {
    if (index->root) order_free_below(index, index->root);
    index->root = NULL;
}

/* --- Heads --- */

/* Short names are padded with zeros. Names that differ only in the padding have equal heads. */
static uint32_t head_of(struct bytes name, size_t skip) {
    uint32_t head = 0;
    size_t length = name.length > skip ? name.length - skip : 0;
    if (length) memcpy(&head, name.data + skip, length < HEAD_BYTES ? length : HEAD_BYTES);
    return be32_to_cpu(head);
}

/* The names are sorted, so all have in common what the first and the last one have. */
static size_t common_skip(const struct order_node *node) {
    return bytes_common_length(entry_name(node->first[0]), entry_name(node->first[node->count - 1]));
}

static void set_heads(struct order_node *node, size_t skip) {
    node->skip = (uint16_t)skip;
    for (unsigned i = 0; i < node->count; i++) node->heads[i] = head_of(entry_name(node->first[i]), skip);
}

/* Computes heads anew if they have become too much alike, or still are: those of a new node begin with all of its
 * first name. */
static void freshen_heads(struct order_node *node) {
    size_t skip = node->count > 1 ? common_skip(node) : node->skip;
    if (skip >= node->skip + (size_t)HEAD_STALE) set_heads(node, skip);
}

/* Sets a name of the node. A new first or last name may have less in common with the others; then
 * all heads change. */
static void set_first(struct order_node *node, unsigned at, void *first) {
    node->first[at] = first;
    if (node->count == 1) node->skip = 0;
    node->heads[at] = head_of(entry_name(first), node->skip);
    bool outermost = at == 0 || at + 1u == node->count;
    if (!outermost || !node->skip) return;
    size_t skip = common_skip(node);
    if (skip < node->skip) set_heads(node, skip);
}

/* --- Search --- */

/* Compares a name with the bytes that all names of the node begin with: 0 if it begins with them, too. */
static int compare_beginning(const struct order_node *node, struct bytes name) {
    if (!node->skip) return 0;
    size_t length = name.length < node->skip ? name.length : node->skip;
    int difference = memcmp(name.data, entry_name(node->first[0]).data, length);
    return difference ? difference : name.length < node->skip ? -1 : 0;
}

static unsigned heads_below(const struct order_node *node, uint32_t head) {
    unsigned low = 0, high = node->count;
    BISECT(low, high, node->heads[middle] < head)
    return low;
}

/* How many of the node's names are below this one. */
static unsigned count_below(const struct order_node *node, struct bytes name) {
    int side = node->count ? compare_beginning(node, name) : 0;
    if (side) return side < 0 ? 0 : node->count;
    uint32_t head = head_of(name, node->skip);
    unsigned low = heads_below(node, head), high = low;
    while (high < node->count && node->heads[high] == head) high++;
    BISECT(low, high, bytes_compare(entry_name(node->first[middle]), name) < 0)
    return low;
}

/* The child that has the name, or to which it would be added. */
static unsigned child_for(const struct order_node *node, struct bytes name) {
    unsigned below = count_below(node, name);
    if (below < node->count && bytes_equal(entry_name(node->first[below]), name)) return below;
    return below ? below - 1 : 0;
}

/* The path to the first entry whose name is not less than this one; it may end past the last entry
 * of a leaf. */
static void order_descend(const struct order_index *index, struct bytes name, struct descent *descent) {
    struct order_node *node = index->root;
    descent->length = 0;
    while (!node->leaf) {
        unsigned at = child_for(node, name);
        descent->steps[descent->length++] = (struct step){node, at};
        node = node->children[at];
    }
    descent->steps[descent->length++] = (struct step){node, count_below(node, name)};
}

static void open_gap(struct order_node *node, unsigned at) {
    size_t behind = node->count - at;
    memmove(&node->first[at + 1], &node->first[at], behind * sizeof(void *));
    memmove(&node->heads[at + 1], &node->heads[at], behind * sizeof(uint32_t));
    if (!node->leaf) memmove(&node->children[at + 1], &node->children[at], behind * sizeof(void *));
    node->count++;
}

static void close_gap(struct order_node *node, unsigned at) {
    node->count--;
    size_t behind = node->count - at;
    memmove(&node->first[at], &node->first[at + 1], behind * sizeof(void *));
    memmove(&node->heads[at], &node->heads[at + 1], behind * sizeof(uint32_t));
    if (!node->leaf) memmove(&node->children[at], &node->children[at + 1], behind * sizeof(void *));
}

static void move_items(struct order_node *to, struct order_node *from, unsigned from_at, unsigned count) {
    memcpy(&to->first[to->count], &from->first[from_at], count * sizeof(void *));
    memcpy(&to->heads[to->count], &from->heads[from_at], count * sizeof(uint32_t));
    if (!to->leaf) memcpy(&to->children[to->count], &from->children[from_at], count * sizeof(void *));
    to->count = (uint16_t)(to->count + count);
    from->count = (uint16_t)(from->count - count);
}

/* Splits a full node: its upper half moves to a new one on its right; nothing moves when the node grows at its end,
 * and a leaf is the last one, since more will most likely be added there. */
static struct order_node *order_split(struct order_index *index, struct order_node *node, unsigned at) {
    struct order_node *right = order_node_new(index, node->leaf);
    unsigned keep = at == FANOUT && !node->next ? FANOUT : FANOUT / 2;
    right->skip = node->skip;
    move_items(right, node, keep, FANOUT - keep);
    freshen_heads(node);
    freshen_heads(right);
    if (node->leaf) {
        right->previous = node;
        right->next = node->next;
        if (right->next) right->next->previous = right;
        node->next = right;
    }
    return right;
}

static void order_put(struct order_node *node, unsigned at, void *first, struct order_node *child) {
    open_gap(node, at);
    set_first(node, at, first);
    if (!node->leaf) node->children[at] = child;
    bool has_doubled = (node->count & (node->count - 1)) == 0;
    if (has_doubled) freshen_heads(node);
}

/* Updates the nodes above one whose first entry has changed. */
static void update_above(struct descent *descent, unsigned depth, void *first) {
    while (depth--) {
        set_first(descent->steps[depth].node, descent->steps[depth].at, first);
        if (descent->steps[depth].at) return;
    }
}

static void grow_root(struct order_index *index, struct order_node *right) {
    struct order_node *root = order_node_new(index, false);
    order_put(root, 0, index->root->first[0], index->root);
    order_put(root, 1, right->first[0], right);
    index->root = root;
}

void order_index_add(struct order_index *index, struct entry *entry) {
    struct descent descent;
    if (!index->root) index->root = order_node_new(index, true);
    order_descend(index, entry_name(entry), &descent);
    void *first = entry;
    struct order_node *child = NULL;
    unsigned depth = descent.length;
    do {
        struct order_node *node = descent.steps[--depth].node, *right = NULL;
        unsigned at = descent.steps[depth].at + (node->leaf ? 0 : 1);
        struct order_node *into = node;
        if (node->count == FANOUT) {
            right = order_split(index, node, at);
            if (at > node->count || (at == node->count && !right->count)) {
                at -= node->count;
                into = right;
            }
        }
        order_put(into, at, first, child);
        if (into == node && at == 0) update_above(&descent, depth, first);
        if (!right) return;
        first = right->first[0];
        child = right;
    } while (depth);
    grow_root(index, child);
}

/* Joins the child at this place with the one on its right, if both fit. */
static bool order_join(struct order_index *index, struct order_node *parent, unsigned at) {
    if (at + 1 >= parent->count) return false;
    struct order_node *left = parent->children[at], *right = parent->children[at + 1];
    if (left->count + right->count > JOINED_MAX) return false;
    move_items(left, right, 0, right->count);
    set_heads(left, common_skip(left));
    close_gap(parent, at + 1);
    order_node_free(index, right);
    return true;
}

/* After a removal: frees empty nodes and joins sparse ones, upwards from this depth. */
static void order_tidy(struct order_index *index, struct descent *descent, unsigned depth) {
    for (; depth; depth--) {
        struct order_node *node = descent->steps[depth].node, *parent = descent->steps[depth - 1].node;
        unsigned at = descent->steps[depth - 1].at;
        if (node->count >= SPARSE) return;
        if (node->count == 0) {
            close_gap(parent, at);
            order_node_free(index, node);
            if (at == 0 && parent->count) update_above(descent, depth - 1, parent->first[0]);
        } else if (!order_join(index, parent, at) && !(at && order_join(index, parent, at - 1))) {
            return;
        }
    }
}

void order_index_remove(struct order_index *index, const struct entry *entry) {
    struct descent descent;
    order_descend(index, entry_name(entry), &descent);
    unsigned depth = descent.length - 1;
    struct order_node *leaf = descent.steps[depth].node;
    close_gap(leaf, descent.steps[depth].at);
    if (descent.steps[depth].at == 0 && leaf->count) update_above(&descent, depth, leaf->first[0]);
    order_tidy(index, &descent, depth);
    while (!index->root->leaf && index->root->count == 1) {
        struct order_node *root = index->root;
        index->root = root->children[0];
        order_node_free(index, root);
    }
    if (!index->root->count) order_index_end(index);
}

/* --- Copies --- */

struct index_copying {
    struct order_index *index;
    struct order_node *last; /* leaf; NULL before the first one */
    struct entry *(*twin)(void *context, struct entry *entry);
    void *context;
};

enum { PREFETCHED_ENTRIES = 24, PREFETCHED_LINES = 2 };

static void prefetch_entry(const struct order_node *leaf, unsigned at) {
    if (at >= leaf->count) return;
    for (size_t line = 0; line < PREFETCHED_LINES; line++)
        prefetch_line((const char *)leaf->first[at] + line * CACHE_LINE_BYTES);
}

static void copy_leaf(struct index_copying *copying, struct order_node *leaf,
                      const struct order_node *source) {
    for (unsigned i = 0; i < PREFETCHED_ENTRIES; i++) prefetch_entry(source, i);
    for (unsigned i = 0; i < source->count; i++) {
        prefetch_entry(source, i + PREFETCHED_ENTRIES);
        leaf->first[i] = copying->twin(copying->context, source->first[i]);
    }
    leaf->previous = copying->last;
    if (copying->last) copying->last->next = leaf;
    copying->last = leaf;
}

static struct order_node *copy_below(struct index_copying *copying, const struct order_node *source) {
    struct order_node *node = order_node_new(copying->index, source->leaf);
    node->count = source->count;
    node->skip = source->skip;
    memcpy(node->heads, source->heads, source->count * sizeof(*node->heads));
    if (source->leaf) {
        copy_leaf(copying, node, source);
        return node;
    }
    for (unsigned i = 0; i < source->count; i++) {
        node->children[i] = copy_below(copying, source->children[i]);
        node->first[i] = node->children[i]->first[0];
    }
    return node;
}

void order_index_copy(struct order_index *index, const struct order_index *source,
                      struct entry *(*twin)(void *context, struct entry *entry), void *context) {
    struct index_copying copying = {.index = index, .twin = twin, .context = context};
    if (source->root) index->root = copy_below(&copying, source->root);
}

/* --- Reading --- */

void order_index_slots(const struct order_index *index, const struct entry *entry,
                       struct entry_slots *slots) {
    struct descent descent;
    order_descend(index, entry_name(entry), &descent);
    for (unsigned depth = 0; depth < descent.length; depth++) {
        void **slot = &descent.steps[depth].node->first[descent.steps[depth].at];
        if (*slot == entry) entry_slots_add(slots, slot);
    }
}

static void order_normalize(struct order_cursor *cursor) {
    while (cursor->leaf && cursor->at >= cursor->leaf->count) {
        cursor->leaf = cursor->leaf->next;
        cursor->at = 0;
    }
}

struct order_cursor order_index_seek(const struct order_index *index, struct bytes name) {
    struct descent descent;
    if (!index->root) return (struct order_cursor){NULL, 0};
    order_descend(index, name, &descent);
    struct order_cursor cursor = {descent.steps[descent.length - 1].node,
                                  descent.steps[descent.length - 1].at};
    order_normalize(&cursor);
    return cursor;
}

struct order_cursor order_index_seek_after(const struct order_index *index, struct bytes name) {
    struct order_cursor cursor = order_index_seek(index, name);
    const struct entry *entry = order_cursor_entry(&cursor);
    if (entry && bytes_equal(entry_name(entry), name)) order_cursor_next(&cursor);
    return cursor;
}

struct entry *order_cursor_entry(const struct order_cursor *cursor) {
    return cursor->leaf ? cursor->leaf->first[cursor->at] : NULL;
}

void order_cursor_next(struct order_cursor *cursor) {
    cursor->at++;
    order_normalize(cursor);
}

/* If it is in the same leaf. */
static void prefetch_later_entry(const struct order_cursor *cursor) {
    if (!cursor->leaf || cursor->at + TAKEN_AHEAD >= cursor->leaf->count) return;
    const char *entry = cursor->leaf->first[cursor->at + TAKEN_AHEAD];
    prefetch_line(entry);
    prefetch_line(entry + CACHE_LINE_BYTES);
}

struct entry *order_cursor_take(struct order_cursor *cursor) {
    struct entry *entry = order_cursor_entry(cursor);
    prefetch_later_entry(cursor);
    if (entry) order_cursor_next(cursor);
    return entry;
}

size_t order_index_count(const struct order_index *index, struct bytes from, struct bytes to, size_t max) {
    if (to.data && bytes_compare(from, to) >= 0) return 0;
    struct order_cursor cursor = order_index_seek(index, from), end = {NULL, 0};
    size_t count = 0;
    if (to.data) end = order_index_seek(index, to);
    for (; cursor.leaf && cursor.leaf != end.leaf && count < max;
         cursor = (struct order_cursor){cursor.leaf->next, 0})
        count += cursor.leaf->count - cursor.at;
    if (cursor.leaf && cursor.leaf == end.leaf && end.at > cursor.at) count += end.at - cursor.at;
    return count < max ? count : max;
}
