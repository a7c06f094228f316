#include "queue/time_index.h"

#include "core/memory.h"

#include <string.h>

enum {
    LEAF_MIN = 4, /* capacity of the first leaf; it doubles as long as it is the only one */
    LEAF_MAX = 61,
    INNER_MAX = 51,
    HEIGHT_MAX = 16,
    SPARSE_SHARE = 4, /* a node that is less than a fourth full … */
    JOINED_SHARE = 2, /* … joins a neighbour if the two together are at most half full */
};

struct time_index_leaf {
    struct time_index_leaf *previous, *next;
    uint32_t count, capacity;
    struct time_entry *entries[];
};

struct key {
    int64_t at_ms;
    uint64_t order; /* of entries with the same instant */
};

/* The key is not above any key below the child, and above all keys before it. */
struct branch {
    struct key key;
    int64_t latest_end_ms;
    size_t count;
    void *child;
};

struct inner {
    uint32_t count;
    struct branch branches[INNER_MAX];
};

/* The path from the root to a leaf. */
struct path {
    struct {
        struct inner *inner;
        unsigned at;
    } steps[HEIGHT_MAX];
    struct time_index_leaf *leaf;
};

static struct key time_entry_key(const struct time_index *index, const struct time_entry *entry) {
    if (index->key == BY_VISIBLE)
        return (struct key){time_entry_visible_ms(entry), (uint64_t)entry->turn << 52 | entry->order};
    return (struct key){index->key == BY_ARRIVAL ? 0 : time_entry_ends_ms(entry), entry->order};
}

static bool key_above(struct key a, struct key b) {
    return a.at_ms != b.at_ms ? a.at_ms > b.at_ms : a.order > b.order;
}

/* The last branch whose key is not above this one, or the first branch. */
static unsigned branch_position(const struct inner *inner, struct key key) {
    unsigned low = 1, high = inner->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (key_above(inner->branches[middle].key, key))
            high = middle;
        else
            low = middle + 1;
    }
    return low - 1;
}

/* The position of the first entry above the key. Most keys belong at the end, so the end is tried first. */
static unsigned leaf_position(const struct time_index *index, const struct time_index_leaf *leaf,
                              struct key key) {
    unsigned low = 0, high = leaf->count;
    if (high && !key_above(time_entry_key(index, leaf->entries[high - 1]), key)) return high;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (key_above(time_entry_key(index, leaf->entries[middle]), key))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void descend_to_key(const struct time_index *index, struct key key, struct path *path) {
    void *node = index->root;
    for (unsigned level = 0; level < index->height; level++) {
        struct inner *inner = node;
        unsigned at = branch_position(inner, key);
        path->steps[level].inner = inner;
        path->steps[level].at = at;
        node = inner->branches[at].child;
    }
    path->leaf = node;
}

/* The path to the first or last leaf. */
static void descend_edge(const struct time_index *index, bool last, struct path *path) {
    void *node = index->root;
    for (unsigned level = 0; level < index->height; level++) {
        struct inner *inner = node;
        unsigned at = last ? inner->count - 1 : 0;
        path->steps[level].inner = inner;
        path->steps[level].at = at;
        node = inner->branches[at].child;
    }
    path->leaf = node;
}

/* Finds the position for a new entry with this key. Most entries are added last, so the end is tried first. */
static unsigned position_for(const struct time_index *index, struct key key, struct path *path) {
    const struct time_index_leaf *last = index->last;
    if (last->count && !key_above(time_entry_key(index, last->entries[last->count - 1]), key)) {
        descend_edge(index, true, path);
        return last->count;
    }
    descend_to_key(index, key, path);
    return leaf_position(index, path->leaf, key);
}

static unsigned entry_position(const struct time_index_leaf *leaf, const struct time_entry *entry) {
    unsigned place = 0;
    while (leaf->entries[place] != entry) place++;
    return place;
}

/* Finds an entry. Most entries are removed first, so the beginning is tried first. */
static unsigned position_of(const struct time_index *index, const struct time_entry *entry,
                            struct path *path) {
    if (index->first->entries[0] == entry)
        descend_edge(index, false, path);
    else
        descend_to_key(index, time_entry_key(index, entry), path);
    return entry_position(path->leaf, entry);
}

static struct branch *branch_at(const struct path *path, unsigned level) {
    return &path->steps[level].inner->branches[path->steps[level].at];
}

/* The key after all entries of this instant. */
static struct key key_after(int64_t instant_ms) {
    return (struct key){instant_ms, UINT64_MAX};
}

static unsigned position_after(const struct time_index *index, int64_t instant_ms, struct path *path) {
    descend_to_key(index, key_after(instant_ms), path);
    return leaf_position(index, path->leaf, key_after(instant_ms));
}

/* --- Nodes --- */

static void *time_index_node_new(struct time_index *index, size_t size) {
    void *node = memory_alloc(size);
    index->memory += memory_size(node);
    return node;
}

static void time_index_node_free(struct time_index *index, void *node) {
    index->memory -= memory_size(node);
    memory_free(node);
}

static struct time_index_leaf *leaf_new(struct time_index *index, uint32_t capacity) {
    struct time_index_leaf *leaf =
        time_index_node_new(index, sizeof(*leaf) + capacity * sizeof(leaf->entries[0]));
    leaf->previous = leaf->next = NULL;
    leaf->count = 0;
    leaf->capacity = capacity;
    return leaf;
}

static void leaf_free(struct time_index *index, struct time_index_leaf *leaf) {
    *(leaf->previous ? &leaf->previous->next : &index->first) = leaf->next;
    *(leaf->next ? &leaf->next->previous : &index->last) = leaf->previous;
    time_index_node_free(index, leaf);
}

static void leaf_link_after(struct time_index *index, struct time_index_leaf *leaf,
                            struct time_index_leaf *fresh) {
    fresh->previous = leaf;
    fresh->next = leaf->next;
    *(leaf->next ? &leaf->next->previous : &index->last) = fresh;
    leaf->next = fresh;
}

/* The latest end in the leaf. Stops at one that is not below `enough_ms`. */
static int64_t leaf_latest_end(const struct time_index *index, const struct time_index_leaf *leaf,
                               int64_t enough_ms) {
    int64_t latest_ms = INT64_MIN;
    if (!index->tracks_ends) return latest_ms;
    for (unsigned i = leaf->count; i-- > 0 && latest_ms < enough_ms;)
        if (time_entry_ends_ms(leaf->entries[i]) > latest_ms)
            latest_ms = time_entry_ends_ms(leaf->entries[i]);
    return latest_ms;
}

static int64_t inner_latest_end(const struct inner *inner) {
    int64_t latest_ms = INT64_MIN;
    for (unsigned i = 0; i < inner->count; i++)
        if (inner->branches[i].latest_end_ms > latest_ms) latest_ms = inner->branches[i].latest_end_ms;
    return latest_ms;
}

static struct branch branch_to_leaf(const struct time_index *index, struct time_index_leaf *leaf) {
    return (struct branch){
        .key = time_entry_key(index, leaf->entries[0]),
        .latest_end_ms = leaf_latest_end(index, leaf, INT64_MAX),
        .count = leaf->count,
        .child = leaf,
    };
}

static struct branch branch_to_inner(struct inner *inner) {
    struct branch branch = {
        .key = inner->branches[0].key, .latest_end_ms = inner_latest_end(inner), .child = inner};
    for (unsigned i = 0; i < inner->count; i++) branch.count += inner->branches[i].count;
    return branch;
}

/* Sets the numbers of a branch. Its key remains: it is still a lower bound. */
static void branch_update(struct branch *branch, struct branch now) {
    branch->count = now.count;
    branch->latest_end_ms = now.latest_end_ms;
}

/* --- Adding --- */

static void leaf_insert(struct time_index_leaf *leaf, unsigned place, struct time_entry *entry) {
    unsigned after = leaf->count++ - place;
    if (after) memmove(&leaf->entries[place + 1], &leaf->entries[place], after * sizeof(entry));
    leaf->entries[place] = entry;
}

static void inner_insert(struct inner *inner, unsigned place, const struct branch *branch) {
    memmove(&inner->branches[place + 1], &inner->branches[place], (inner->count - place) * sizeof(*branch));
    inner->branches[place] = *branch;
    inner->count++;
}

/* Where to split a full node. An addition at its end leaves it full. */
static unsigned split_position(unsigned place, unsigned count) {
    return place == count ? count : count / 2;
}

/* An entry that directly follows the one added before it is probably part of a run: the leaf is split there. */
static unsigned leaf_split_position(const struct time_index *index, const struct time_index_leaf *leaf,
                                    unsigned place) {
    bool in_run = place && leaf->entries[place - 1] == index->last_added;
    return in_run ? place : split_position(place, leaf->count);
}

/* Adds an entry to a full leaf; returns the new leaf on its right. */
static struct time_index_leaf *leaf_split(struct time_index *index, struct time_index_leaf *leaf,
                                          unsigned place, struct time_entry *entry) {
    struct time_index_leaf *right = leaf_new(index, LEAF_MAX);
    unsigned kept = leaf_split_position(index, leaf, place);
    right->count = leaf->count - kept;
    memcpy(right->entries, &leaf->entries[kept], right->count * sizeof(entry));
    leaf->count = kept;
    leaf_link_after(index, leaf, right);
    if (place > kept || kept == LEAF_MAX)
        leaf_insert(right, place - kept, entry);
    else
        leaf_insert(leaf, place, entry);
    return right;
}

static struct inner *inner_split(struct time_index *index, struct inner *inner, unsigned place,
                                 const struct branch *branch) {
    struct inner *right = time_index_node_new(index, sizeof(*right));
    unsigned kept = split_position(place, inner->count);
    right->count = inner->count - kept;
    memcpy(right->branches, &inner->branches[kept], right->count * sizeof(*branch));
    inner->count = kept;
    if (place > kept || kept == INNER_MAX)
        inner_insert(right, place - kept, branch);
    else
        inner_insert(inner, place, branch);
    return right;
}

static void add_root(struct time_index *index, struct branch left, struct branch right) {
    struct inner *root = time_index_node_new(index, sizeof(*root));
    root->count = 2;
    root->branches[0] = left;
    root->branches[1] = right;
    index->root = root;
    index->height++;
}

/* Counts a new entry in the branches of these levels, from the root on. */
static inline void count_added(const struct time_index *index, const struct path *path, unsigned levels,
                               const struct time_entry *entry) {
    for (unsigned level = 0; level < levels; level++) {
        struct branch *branch = branch_at(path, level);
        branch->count++;
        if (index->tracks_ends && branch->latest_end_ms < time_entry_ends_ms(entry))
            branch->latest_end_ms = time_entry_ends_ms(entry);
    }
}

/* The path's leaf has been split to add an entry: adds a branch for its right half, and splits full nodes above. */
static void add_branch_above(struct time_index *index, struct path *path, struct branch left,
                             struct branch right, const struct time_entry *entry) {
    for (unsigned level = index->height; level-- > 0;) {
        struct inner *inner = path->steps[level].inner;
        unsigned at = path->steps[level].at;
        branch_update(&inner->branches[at], left);
        if (inner->count < INNER_MAX) {
            inner_insert(inner, at + 1, &right);
            count_added(index, path, level, entry);
            return;
        }
        struct inner *fresh = inner_split(index, inner, at + 1, &right);
        left = branch_to_inner(inner);
        right = branch_to_inner(fresh);
    }
    add_root(index, left, right);
}

static void double_only_leaf(struct time_index *index) {
    struct time_index_leaf *leaf = index->root;
    uint32_t capacity = leaf->capacity * 2 > LEAF_MAX / 2 ? LEAF_MAX : leaf->capacity * 2;
    index->memory -= memory_size(leaf);
    leaf = memory_resize(leaf, sizeof(*leaf) + capacity * sizeof(leaf->entries[0]));
    index->memory += memory_size(leaf);
    leaf->capacity = capacity;
    index->root = index->first = index->last = leaf;
}

static void time_index_reserve(struct time_index *index) {
    if (!index->root) {
        index->root = index->first = index->last = leaf_new(index, LEAF_MIN);
    } else if (!index->height && index->first->count == index->first->capacity &&
               index->first->capacity < LEAF_MAX) {
        double_only_leaf(index);
    }
}

void time_index_add(struct time_index *index, struct time_entry *entry) {
    struct path path;
    struct key key = time_entry_key(index, entry);
    time_index_reserve(index);
    unsigned place = position_for(index, key, &path);
    index->count++;
    if (path.leaf->count == LEAF_MAX) {
        struct time_index_leaf *right = leaf_split(index, path.leaf, place, entry);
        struct branch left = branch_to_leaf(index, path.leaf);
        add_branch_above(index, &path, left, branch_to_leaf(index, right), entry);
    } else {
        leaf_insert(path.leaf, place, entry);
        count_added(index, &path, index->height, entry);
    }
    index->last_added = entry;
}

static const struct time_entry *last_not_after(const struct time_index *index, int64_t instant_ms) {
    const struct time_entry *last = time_index_last(index);
    struct path path;
    if (!last || time_entry_visible_ms(last) <= instant_ms) return last;
    unsigned place = position_after(index, instant_ms, &path);
    if (place) return path.leaf->entries[place - 1];
    const struct time_index_leaf *previous = path.leaf->previous;
    return previous ? previous->entries[previous->count - 1] : NULL;
}

/* Entries that exceed the maximum turn share it: nobody relies on the order of thousands within a millisecond. */
void time_index_add_last(struct time_index *index, struct time_entry *entry) {
    const struct time_entry *before = last_not_after(index, time_entry_visible_ms(entry));
    bool shares = before && time_entry_visible_ms(before) == time_entry_visible_ms(entry);
    unsigned turn = shares ? (unsigned)before->turn + (before->order > entry->order) : 0;
    entry->turn = (turn > TIME_ENTRY_TURN_MAX ? TIME_ENTRY_TURN_MAX : turn) & TIME_ENTRY_TURN_MAX;
    time_index_add(index, entry);
}

/* --- Removing --- */

static void inner_remove(struct inner *inner, unsigned place) {
    inner->count--;
    memmove(&inner->branches[place], &inner->branches[place + 1],
            (inner->count - place) * sizeof(inner->branches[0]));
}

/* Moves all entries of `right` to the leaf before it. */
static void join_leaves(struct time_index *index, struct time_index_leaf *left,
                        struct time_index_leaf *right) {
    memcpy(&left->entries[left->count], right->entries, right->count * sizeof(right->entries[0]));
    left->count += right->count;
    leaf_free(index, right);
}

static void join_inners(struct time_index *index, struct inner *left, struct inner *right) {
    memcpy(&left->branches[left->count], right->branches, right->count * sizeof(right->branches[0]));
    left->count += right->count;
    time_index_node_free(index, right);
}

/* Joins the children `at` and `at + 1` of a node if both are small enough. */
static bool time_index_join(struct time_index *index, struct inner *inner, unsigned at, bool leaves) {
    if (at + 1 >= inner->count) return false;
    struct branch *left = &inner->branches[at], *right = left + 1;
    if (leaves) {
        struct time_index_leaf *one = left->child, *other = right->child;
        if (one->count + other->count > LEAF_MAX / JOINED_SHARE) return false;
        join_leaves(index, one, other);
    } else {
        struct inner *one = left->child, *other = right->child;
        if (one->count + other->count > INNER_MAX / JOINED_SHARE) return false;
        other->branches[0].key = right->key; /* the node's own first key may be too high */
        join_inners(index, one, other);
    }
    left->count += right->count;
    if (left->latest_end_ms < right->latest_end_ms) left->latest_end_ms = right->latest_end_ms;
    inner_remove(inner, at + 1);
    return true;
}

static void time_index_join_neighbours(struct time_index *index, struct inner *inner, unsigned at,
                                       bool leaves) {
    if (!time_index_join(index, inner, at, leaves) && at) time_index_join(index, inner, at - 1, leaves);
}

/* From the leaf up to the root: frees empty nodes and joins sparse ones with a neighbour. */
static void time_index_tidy(struct time_index *index, struct path *path) {
    bool empty = path->leaf->count == 0, sparse = path->leaf->count < LEAF_MAX / SPARSE_SHARE;
    if (empty) leaf_free(index, path->leaf);
    for (unsigned level = index->height; level-- > 0 && (empty || sparse);) {
        struct inner *inner = path->steps[level].inner;
        unsigned at = path->steps[level].at;
        if (empty)
            inner_remove(inner, at);
        else
            time_index_join_neighbours(index, inner, at, level + 1 == index->height);
        empty = inner->count == 0;
        sparse = inner->count < INNER_MAX / SPARSE_SHARE;
        if (empty) time_index_node_free(index, inner);
    }
    if (empty) {
        index->root = NULL;
        index->height = 0;
    }
    while (index->height && ((struct inner *)index->root)->count == 1) {
        struct inner *root = index->root;
        index->root = root->branches[0].child;
        index->height--;
        time_index_node_free(index, root);
    }
}

/* Updates the latest ends on the path after an entry with this end was removed. */
static void update_latest_ends(struct time_index *index, struct path *path, int64_t ends_ms) {
    for (unsigned level = index->height; level-- > 0;) {
        struct branch *branch = branch_at(path, level);
        if (branch->latest_end_ms != ends_ms) return;
        bool leaf = level + 1 == index->height;
        branch->latest_end_ms =
            leaf ? leaf_latest_end(index, branch->child, ends_ms) : inner_latest_end(branch->child);
    }
}

void time_index_remove(struct time_index *index, const struct time_entry *entry) {
    struct path path;
    unsigned place = position_of(index, entry, &path);
    struct time_index_leaf *leaf = path.leaf;
    leaf->count--;
    memmove(&leaf->entries[place], &leaf->entries[place + 1], (leaf->count - place) * sizeof(entry));
    index->count--;
    for (unsigned level = 0; level < index->height; level++) branch_at(&path, level)->count--;
    if (index->tracks_ends) update_latest_ends(index, &path, time_entry_ends_ms(entry));
    if (leaf->count < LEAF_MAX / SPARSE_SHARE) time_index_tidy(index, &path);
}

struct time_entry **time_index_slot(const struct time_index *index, const struct time_entry *entry) {
    struct path path;
    unsigned place = position_of(index, entry, &path);
    return &path.leaf->entries[place];
}

static void time_index_free_below(struct time_index *index, void *node, unsigned levels) {
    if (levels) {
        struct inner *inner = node;
        for (unsigned i = 0; i < inner->count; i++)
            time_index_free_below(index, inner->branches[i].child, levels - 1);
    }
    time_index_node_free(index, node);
}

void time_index_clear(struct time_index *index) {
    if (index->root) time_index_free_below(index, index->root, index->height);
    index->root = NULL;
    index->first = index->last = NULL;
    index->count = 0;
    index->height = 0;
}

/* --- Queries and walks --- */

struct time_entry *time_index_first(const struct time_index *index) {
    return index->first ? index->first->entries[0] : NULL;
}

struct time_entry *time_index_last(const struct time_index *index) {
    return index->last ? index->last->entries[index->last->count - 1] : NULL;
}

size_t time_index_rank(const struct time_index *index, int64_t instant_ms) {
    struct key key = key_after(instant_ms);
    const void *node = index->root;
    size_t rank = 0;
    if (!node) return 0;
    for (unsigned level = 0; level < index->height; level++) {
        const struct inner *inner = node;
        unsigned at = branch_position(inner, key);
        for (unsigned i = 0; i < at; i++) rank += inner->branches[i].count;
        node = inner->branches[at].child;
    }
    return rank + leaf_position(index, node, key);
}

struct time_entry *time_index_after(const struct time_index *index, int64_t instant_ms) {
    struct path path;
    if (!index->root) return NULL;
    unsigned place = position_after(index, instant_ms, &path);
    if (place < path.leaf->count) return path.leaf->entries[place];
    return path.leaf->next ? path.leaf->next->entries[0] : NULL;
}

struct time_entry *time_index_next(const struct time_index *index, struct time_index_cursor *cursor) {
    if (!cursor->leaf) {
        cursor->leaf = index->first;
        cursor->at = 0;
    } else if (++cursor->at >= cursor->leaf->count) {
        if (!cursor->leaf->next) {
            cursor->at = cursor->leaf->count - 1;
            return NULL;
        }
        cursor->leaf = cursor->leaf->next;
        cursor->at = 0;
    }
    return cursor->leaf ? cursor->leaf->entries[cursor->at] : NULL;
}

/* The first living entry below a node, after the key if one is given. Sets the cursor. */
static struct time_entry *next_living_below(const struct time_index *index, void *node, unsigned levels,
                                            const struct key *after, int64_t now_ms,
                                            struct time_index_cursor *cursor) {
    if (!levels) {
        const struct time_index_leaf *leaf = node;
        for (unsigned i = after ? leaf_position(index, leaf, *after) : 0; i < leaf->count; i++) {
            if (time_entry_ends_ms(leaf->entries[i]) <= now_ms) continue;
            *cursor = (struct time_index_cursor){leaf, i};
            return leaf->entries[i];
        }
        return NULL;
    }
    const struct inner *inner = node;
    for (unsigned i = after ? branch_position(inner, *after) : 0; i < inner->count; i++, after = NULL) {
        if (inner->branches[i].latest_end_ms <= now_ms) continue;
        struct time_entry *found =
            next_living_below(index, inner->branches[i].child, levels - 1, after, now_ms, cursor);
        if (found) return found;
    }
    return NULL;
}

struct time_entry *time_index_next_living(const struct time_index *index, struct time_index_cursor *cursor,
                                          int64_t now_ms) {
    const struct time_index_leaf *leaf = cursor->leaf;
    if (!index->root) return NULL;
    if (!leaf) {
        struct time_entry *first = index->first->entries[0];
        *cursor = (struct time_index_cursor){index->first, 0};
        if (time_entry_ends_ms(first) > now_ms) return first;
        return next_living_below(index, index->root, index->height, NULL, now_ms, cursor);
    }
    while (cursor->at + 1 < leaf->count)
        if (time_entry_ends_ms(leaf->entries[++cursor->at]) > now_ms) return leaf->entries[cursor->at];
    struct key after = time_entry_key(index, leaf->entries[cursor->at]);
    return next_living_below(index, index->root, index->height, &after, now_ms, cursor);
}
