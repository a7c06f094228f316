#include "queue/time_index.h"

#include "core/memory.h"

#include <string.h>

enum {
    LEAF_MIN = 4, /* the only leaf of a time index grows by doubling */
    LEAF_MAX = 60,
    INNER_MAX = 50,
    HEIGHT_MAX = 16,
    SPARSE_SHARE = 4, /* a node that is used to less than a fourth … */
    JOINED_SHARE = 2, /* … joins a neighbour, if half a node then stays free for what comes */
};

struct time_index_leaf {
    struct time_index_leaf *previous, *next;
    uint32_t count, capacity;
    struct time_entry *moments[];
};

struct key {
    int64_t at_ms;
    uint64_t place; /* among equal instants */
};

/* The key is not above those of the entries below the child, and above all those before it. */
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

/* The way from the root to a leaf. */
struct path {
    struct {
        struct inner *inner;
        unsigned at;
    } steps[HEIGHT_MAX];
    struct time_index_leaf *leaf;
};

static struct key time_entry_key(const struct time_index *time_index, const struct time_entry *time_entry) {
    if (time_index->key == BY_SHOWING)
        return (struct key){time_entry->shows_ms, (uint64_t)time_entry->turn << 52 | time_entry->order};
    return (struct key){time_index->key == BY_ARRIVAL ? 0 : time_entry->ends_ms, time_entry->order};
}

static bool key_above(struct key a, struct key b) {
    return a.at_ms != b.at_ms ? a.at_ms > b.at_ms : a.place > b.place;
}

/* The last branch that is not above the key; the first one stands for everything below it, too. */
static unsigned branch_place(const struct inner *inner, struct key key) {
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

/* The first entry above the key. Most come in rising order, so the end is tried first. */
static unsigned leaf_place(const struct time_index *time_index, const struct time_index_leaf *leaf,
                           struct key key) {
    unsigned low = 0, high = leaf->count;
    if (high && !key_above(time_entry_key(time_index, leaf->moments[high - 1]), key)) return high;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (key_above(time_entry_key(time_index, leaf->moments[middle]), key))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void descend(const struct time_index *time_index, struct key key, struct path *path) {
    void *node = time_index->root;
    for (unsigned level = 0; level < time_index->height; level++) {
        struct inner *inner = node;
        unsigned at = branch_place(inner, key);
        path->steps[level].inner = inner;
        path->steps[level].at = at;
        node = inner->branches[at].child;
    }
    path->leaf = node;
}

static struct branch *branch_at(const struct path *path, unsigned level) {
    return &path->steps[level].inner->branches[path->steps[level].at];
}

/* Behind all of this instant. */
static struct key key_behind(int64_t instant_ms) {
    return (struct key){instant_ms, UINT64_MAX};
}

/* --- Nodes --- */

static void *time_index_node_new(struct time_index *time_index, size_t size) {
    void *node = memory_alloc(size);
    time_index->held += memory_size(node);
    return node;
}

static void time_index_node_free(struct time_index *time_index, void *node) {
    time_index->held -= memory_size(node);
    memory_free(node);
}

static struct time_index_leaf *leaf_new(struct time_index *time_index, uint32_t capacity) {
    struct time_index_leaf *leaf =
        time_index_node_new(time_index, sizeof(*leaf) + capacity * sizeof(leaf->moments[0]));
    leaf->previous = leaf->next = NULL;
    leaf->count = 0;
    leaf->capacity = capacity;
    return leaf;
}

static void leaf_unlink(struct time_index *time_index, struct time_index_leaf *leaf) {
    *(leaf->previous ? &leaf->previous->next : &time_index->first) = leaf->next;
    *(leaf->next ? &leaf->next->previous : &time_index->last) = leaf->previous;
    time_index_node_free(time_index, leaf);
}

static void leaf_link_behind(struct time_index *time_index, struct time_index_leaf *leaf,
                             struct time_index_leaf *fresh) {
    fresh->previous = leaf;
    fresh->next = leaf->next;
    *(leaf->next ? &leaf->next->previous : &time_index->last) = fresh;
    leaf->next = fresh;
}

/* Only the latest ends are followed, and only where somebody asks for them. */
static int64_t leaf_latest_end(const struct time_index *time_index, const struct time_index_leaf *leaf,
                               int64_t enough_ms) {
    int64_t latest_ms = INT64_MIN;
    if (!time_index->follows_ends) return latest_ms;
    for (unsigned i = leaf->count; i-- > 0 && latest_ms < enough_ms;)
        if (leaf->moments[i]->ends_ms > latest_ms) latest_ms = leaf->moments[i]->ends_ms;
    return latest_ms;
}

static int64_t inner_latest_end(const struct inner *inner) {
    int64_t latest_ms = INT64_MIN;
    for (unsigned i = 0; i < inner->count; i++)
        if (inner->branches[i].latest_end_ms > latest_ms) latest_ms = inner->branches[i].latest_end_ms;
    return latest_ms;
}

static struct branch branch_to_leaf(const struct time_index *time_index, struct time_index_leaf *leaf) {
    return (struct branch){
        .key = time_entry_key(time_index, leaf->moments[0]),
        .latest_end_ms = leaf_latest_end(time_index, leaf, INT64_MAX),
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

/* The branch says of its child what is true now; its key stays, since what was below it may come again. */
static void time_index_refresh(struct branch *branch, struct branch now) {
    branch->count = now.count;
    branch->latest_end_ms = now.latest_end_ms;
}

/* --- To add --- */

static void leaf_insert(struct time_index_leaf *leaf, unsigned place, struct time_entry *time_entry) {
    memmove(&leaf->moments[place + 1], &leaf->moments[place], (leaf->count - place) * sizeof(time_entry));
    leaf->moments[place] = time_entry;
    leaf->count++;
}

static void inner_insert(struct inner *inner, unsigned place, const struct branch *branch) {
    memmove(&inner->branches[place + 1], &inner->branches[place], (inner->count - place) * sizeof(*branch));
    inner->branches[place] = *branch;
    inner->count++;
}

/* Where a full node is cut: what comes at its end leaves it full. */
static unsigned cut_at(unsigned place, unsigned count) {
    return place == count ? count : count / 2;
}

/* What comes right behind the one before it is most likely followed by the next one: that is where to cut. */
static unsigned cut_leaf_at(const struct time_index *time_index, const struct time_index_leaf *leaf,
                            unsigned place) {
    bool follows = place && leaf->moments[place - 1] == time_index->latest;
    return follows ? place : cut_at(place, leaf->count);
}

/* The entry goes into a full leaf; answers the new leaf behind it. */
static struct time_index_leaf *leaf_split(struct time_index *time_index, struct time_index_leaf *leaf,
                                          unsigned place, struct time_entry *time_entry) {
    struct time_index_leaf *right = leaf_new(time_index, LEAF_MAX);
    unsigned kept = cut_leaf_at(time_index, leaf, place);
    right->count = leaf->count - kept;
    memcpy(right->moments, &leaf->moments[kept], right->count * sizeof(time_entry));
    leaf->count = kept;
    leaf_link_behind(time_index, leaf, right);
    if (place > kept || kept == LEAF_MAX)
        leaf_insert(right, place - kept, time_entry);
    else
        leaf_insert(leaf, place, time_entry);
    return right;
}

static struct inner *inner_split(struct time_index *time_index, struct inner *inner, unsigned place,
                                 const struct branch *branch) {
    struct inner *right = time_index_node_new(time_index, sizeof(*right));
    unsigned kept = cut_at(place, inner->count);
    right->count = inner->count - kept;
    memcpy(right->branches, &inner->branches[kept], right->count * sizeof(*branch));
    inner->count = kept;
    if (place > kept || kept == INNER_MAX)
        inner_insert(right, place - kept, branch);
    else
        inner_insert(inner, place, branch);
    return right;
}

static void add_root(struct time_index *time_index, struct branch left, struct branch right) {
    struct inner *root = time_index_node_new(time_index, sizeof(*root));
    root->count = 2;
    root->branches[0] = left;
    root->branches[1] = right;
    time_index->root = root;
    time_index->height++;
}

/* The child that the path takes below `level` has been cut in two. */
static void add_branch(struct time_index *time_index, struct path *path, struct branch left,
                       struct branch right) {
    for (unsigned level = time_index->height; level-- > 0;) {
        struct inner *inner = path->steps[level].inner;
        unsigned at = path->steps[level].at;
        time_index_refresh(&inner->branches[at], left);
        if (inner->count < INNER_MAX) {
            inner_insert(inner, at + 1, &right);
            for (; level-- > 0;) {
                struct branch *branch = branch_at(path, level);
                branch->count++;
                if (branch->latest_end_ms < right.latest_end_ms) branch->latest_end_ms = right.latest_end_ms;
                if (branch->latest_end_ms < left.latest_end_ms) branch->latest_end_ms = left.latest_end_ms;
            }
            return;
        }
        struct inner *fresh = inner_split(time_index, inner, at + 1, &right);
        left = branch_to_inner(inner);
        right = branch_to_inner(fresh);
    }
    add_root(time_index, left, right);
}

static void grow_only_leaf(struct time_index *time_index) {
    struct time_index_leaf *leaf = time_index->root;
    uint32_t capacity = leaf->capacity * 2 > LEAF_MAX / 2 ? LEAF_MAX : leaf->capacity * 2;
    time_index->held -= memory_size(leaf);
    leaf = memory_resize(leaf, sizeof(*leaf) + capacity * sizeof(leaf->moments[0]));
    time_index->held += memory_size(leaf);
    leaf->capacity = capacity;
    time_index->root = time_index->first = time_index->last = leaf;
}

static void time_index_make_room(struct time_index *time_index) {
    if (!time_index->root) {
        time_index->root = time_index->first = time_index->last = leaf_new(time_index, LEAF_MIN);
    } else if (!time_index->height && time_index->first->count == time_index->first->capacity &&
               time_index->first->capacity < LEAF_MAX) {
        grow_only_leaf(time_index);
    }
}

void time_index_add(struct time_index *time_index, struct time_entry *time_entry) {
    struct path path;
    struct key key = time_entry_key(time_index, time_entry);
    time_index_make_room(time_index);
    descend(time_index, key, &path);
    unsigned place = leaf_place(time_index, path.leaf, key);
    time_index->count++;
    if (path.leaf->count == LEAF_MAX) {
        struct time_index_leaf *right = leaf_split(time_index, path.leaf, place, time_entry);
        time_index->latest = time_entry;
        add_branch(time_index, &path, branch_to_leaf(time_index, path.leaf),
                   branch_to_leaf(time_index, right));
        return;
    }
    time_index->latest = time_entry;
    leaf_insert(path.leaf, place, time_entry);
    for (unsigned level = 0; level < time_index->height; level++) {
        struct branch *branch = branch_at(&path, level);
        branch->count++;
        if (time_index->follows_ends && branch->latest_end_ms < time_entry->ends_ms)
            branch->latest_end_ms = time_entry->ends_ms;
    }
}

static const struct time_entry *last_until(const struct time_index *time_index, int64_t instant_ms) {
    const struct time_entry *last = time_index_last(time_index);
    struct path path;
    if (!last || last->shows_ms <= instant_ms) return last;
    descend(time_index, key_behind(instant_ms), &path);
    unsigned place = leaf_place(time_index, path.leaf, key_behind(instant_ms));
    if (place) return path.leaf->moments[place - 1];
    const struct time_index_leaf *previous = path.leaf->previous;
    return previous ? previous->moments[previous->count - 1] : NULL;
}

/* Thousands of turns at one instant are no order that anybody follows: the last ones share the last turn. */
void time_index_add_last(struct time_index *time_index, struct time_entry *time_entry) {
    const struct time_entry *before = last_until(time_index, time_entry->shows_ms);
    bool shares = before && before->shows_ms == time_entry->shows_ms;
    unsigned turn = shares ? (unsigned)before->turn + (before->order > time_entry->order) : 0;
    time_entry->turn = (turn > TIME_ENTRY_TURN_MAX ? TIME_ENTRY_TURN_MAX : turn) & TIME_ENTRY_TURN_MAX;
    time_index_add(time_index, time_entry);
}

/* --- To remove --- */

static void inner_remove(struct inner *inner, unsigned place) {
    inner->count--;
    memmove(&inner->branches[place], &inner->branches[place + 1],
            (inner->count - place) * sizeof(inner->branches[0]));
}

/* The leaf behind `left` gives all it has to it. */
static void join_leaves(struct time_index *time_index, struct time_index_leaf *left,
                        struct time_index_leaf *right) {
    memcpy(&left->moments[left->count], right->moments, right->count * sizeof(right->moments[0]));
    left->count += right->count;
    leaf_unlink(time_index, right);
}

static void join_inners(struct time_index *time_index, struct inner *left, struct inner *right) {
    memcpy(&left->branches[left->count], right->branches, right->count * sizeof(right->branches[0]));
    left->count += right->count;
    time_index_node_free(time_index, right);
}

/* What is below the branches `at` and `at + 1` of a node becomes one, if little is. */
static bool time_index_join(struct time_index *time_index, struct inner *inner, unsigned at, bool leaves) {
    if (at + 1 >= inner->count) return false;
    struct branch *left = &inner->branches[at], *right = left + 1;
    if (leaves) {
        struct time_index_leaf *one = left->child, *other = right->child;
        if (one->count + other->count > LEAF_MAX / JOINED_SHARE) return false;
        join_leaves(time_index, one, other);
    } else {
        struct inner *one = left->child, *other = right->child;
        if (one->count + other->count > INNER_MAX / JOINED_SHARE) return false;
        other->branches[0].key = right->key; /* its own may have been above what came to it later */
        join_inners(time_index, one, other);
    }
    left->count += right->count;
    if (left->latest_end_ms < right->latest_end_ms) left->latest_end_ms = right->latest_end_ms;
    inner_remove(inner, at + 1);
    return true;
}

static void time_index_join_neighbours(struct time_index *time_index, struct inner *inner, unsigned at,
                                       bool leaves) {
    if (!time_index_join(time_index, inner, at, leaves) && at)
        time_index_join(time_index, inner, at - 1, leaves);
}

/* From the leaf to the root: nodes that got empty go, sparse ones join a neighbour. */
static void time_index_tidy(struct time_index *time_index, struct path *path) {
    bool empty = path->leaf->count == 0, sparse = path->leaf->count < LEAF_MAX / SPARSE_SHARE;
    if (empty) leaf_unlink(time_index, path->leaf);
    for (unsigned level = time_index->height; level-- > 0 && (empty || sparse);) {
        struct inner *inner = path->steps[level].inner;
        unsigned at = path->steps[level].at;
        if (empty)
            inner_remove(inner, at);
        else
            time_index_join_neighbours(time_index, inner, at, level + 1 == time_index->height);
        empty = inner->count == 0;
        sparse = inner->count < INNER_MAX / SPARSE_SHARE;
        if (empty) time_index_node_free(time_index, inner);
    }
    if (empty) {
        time_index->root = NULL;
        time_index->height = 0;
    }
    while (time_index->height && ((struct inner *)time_index->root)->count == 1) {
        struct inner *root = time_index->root;
        time_index->root = root->branches[0].child;
        time_index->height--;
        time_index_node_free(time_index, root);
    }
}

/* What the branches on the way say of the latest end is true again after one entry has gone. */
static void forget_end(struct time_index *time_index, struct path *path, int64_t ends_ms) {
    for (unsigned level = time_index->height; level-- > 0;) {
        struct branch *branch = branch_at(path, level);
        if (branch->latest_end_ms != ends_ms) return;
        bool leaf = level + 1 == time_index->height;
        branch->latest_end_ms =
            leaf ? leaf_latest_end(time_index, branch->child, ends_ms) : inner_latest_end(branch->child);
    }
}

static unsigned time_entry_place(const struct time_index_leaf *leaf, const struct time_entry *time_entry) {
    unsigned place = 0;
    while (leaf->moments[place] != time_entry) place++;
    return place;
}

void time_index_remove(struct time_index *time_index, const struct time_entry *time_entry) {
    struct path path;
    descend(time_index, time_entry_key(time_index, time_entry), &path);
    struct time_index_leaf *leaf = path.leaf;
    unsigned place = time_entry_place(leaf, time_entry);
    leaf->count--;
    memmove(&leaf->moments[place], &leaf->moments[place + 1], (leaf->count - place) * sizeof(time_entry));
    time_index->count--;
    for (unsigned level = 0; level < time_index->height; level++) branch_at(&path, level)->count--;
    if (time_index->follows_ends) forget_end(time_index, &path, time_entry->ends_ms);
    if (leaf->count < LEAF_MAX / SPARSE_SHARE) time_index_tidy(time_index, &path);
}

struct time_entry **time_index_slot(const struct time_index *time_index,
                                    const struct time_entry *time_entry) {
    struct path path;
    descend(time_index, time_entry_key(time_index, time_entry), &path);
    return &path.leaf->moments[time_entry_place(path.leaf, time_entry)];
}

static void time_index_free_below(struct time_index *time_index, void *node, unsigned levels) {
    if (levels) {
        struct inner *inner = node;
        for (unsigned i = 0; i < inner->count; i++)
            time_index_free_below(time_index, inner->branches[i].child, levels - 1);
    }
    time_index_node_free(time_index, node);
}

void time_index_end(struct time_index *time_index) {
    if (time_index->root) time_index_free_below(time_index, time_index->root, time_index->height);
    time_index->root = NULL;
    time_index->first = time_index->last = NULL;
    time_index->count = 0;
    time_index->height = 0;
}

/* --- Queries --- */

struct time_entry *time_index_first(const struct time_index *time_index) {
    return time_index->first ? time_index->first->moments[0] : NULL;
}

struct time_entry *time_index_last(const struct time_index *time_index) {
    return time_index->last ? time_index->last->moments[time_index->last->count - 1] : NULL;
}

size_t time_index_rank(const struct time_index *time_index, int64_t instant_ms) {
    struct key key = key_behind(instant_ms);
    const void *node = time_index->root;
    size_t rank = 0;
    if (!node) return 0;
    for (unsigned level = 0; level < time_index->height; level++) {
        const struct inner *inner = node;
        unsigned at = branch_place(inner, key);
        for (unsigned i = 0; i < at; i++) rank += inner->branches[i].count;
        node = inner->branches[at].child;
    }
    return rank + leaf_place(time_index, node, key);
}

struct time_entry *time_index_behind(const struct time_index *time_index, int64_t instant_ms) {
    struct path path;
    if (!time_index->root) return NULL;
    descend(time_index, key_behind(instant_ms), &path);
    unsigned place = leaf_place(time_index, path.leaf, key_behind(instant_ms));
    if (place < path.leaf->count) return path.leaf->moments[place];
    return path.leaf->next ? path.leaf->next->moments[0] : NULL;
}

struct time_entry *time_index_next(const struct time_index *time_index, struct time_index_cursor *cursor) {
    if (!cursor->leaf) {
        cursor->leaf = time_index->first;
        cursor->at = 0;
    } else if (++cursor->at >= cursor->leaf->count) {
        if (!cursor->leaf->next) {
            cursor->at = cursor->leaf->count - 1;
            return NULL;
        }
        cursor->leaf = cursor->leaf->next;
        cursor->at = 0;
    }
    return cursor->leaf ? cursor->leaf->moments[cursor->at] : NULL;
}

/* The first below a node that lives and is not before `from` in its leaf, or is in a later one. */
static struct time_entry *living_below(const struct time_index *time_index, void *node, unsigned levels,
                                       const struct key *behind, int64_t now_ms,
                                       struct time_index_cursor *cursor) {
    if (!levels) {
        const struct time_index_leaf *leaf = node;
        for (unsigned i = behind ? leaf_place(time_index, leaf, *behind) : 0; i < leaf->count; i++) {
            if (leaf->moments[i]->ends_ms <= now_ms) continue;
            *cursor = (struct time_index_cursor){leaf, i};
            return leaf->moments[i];
        }
        return NULL;
    }
    const struct inner *inner = node;
    for (unsigned i = behind ? branch_place(inner, *behind) : 0; i < inner->count; i++, behind = NULL) {
        if (inner->branches[i].latest_end_ms <= now_ms) continue;
        struct time_entry *found =
            living_below(time_index, inner->branches[i].child, levels - 1, behind, now_ms, cursor);
        if (found) return found;
    }
    return NULL;
}

struct time_entry *time_index_living(const struct time_index *time_index, struct time_index_cursor *cursor,
                                     int64_t now_ms) {
    const struct time_index_leaf *leaf = cursor->leaf;
    if (!time_index->root) return NULL;
    if (!leaf) {
        struct time_entry *first = time_index->first->moments[0];
        *cursor = (struct time_index_cursor){time_index->first, 0};
        if (first->ends_ms > now_ms) return first;
        return living_below(time_index, time_index->root, time_index->height, NULL, now_ms, cursor);
    }
    while (cursor->at + 1 < leaf->count)
        if (leaf->moments[++cursor->at]->ends_ms > now_ms) return leaf->moments[cursor->at];
    struct key behind = time_entry_key(time_index, leaf->moments[cursor->at]);
    return living_below(time_index, time_index->root, time_index->height, &behind, now_ms, cursor);
}
