#include "queue/timeline.h"

#include "core/memory.h"

#include <string.h>

enum {
    LEAF_MIN = 4, /* the only leaf of a timeline grows by doubling */
    LEAF_MAX = 60,
    INNER_MAX = 50,
    HEIGHT_MAX = 16,
    SPARSE_SHARE = 4, /* a node that is used to less than a fourth … */
    JOINED_SHARE = 2, /* … joins a neighbour, if half a node then stays free for what comes */
};

struct timeline_leaf {
    struct timeline_leaf *previous, *next;
    uint32_t count, capacity;
    struct moment *moments[];
};

struct key {
    int64_t at_ms;
    uint64_t place; /* among equal instants */
};

/* The key is not above those of the moments below the child, and above all those before it. */
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
    struct timeline_leaf *leaf;
};

static struct key moment_key(const struct timeline *timeline, const struct moment *moment) {
    if (timeline->key == BY_SHOWING)
        return (struct key){moment->shows_ms, (uint64_t)moment->turn << 52 | moment->order};
    return (struct key){timeline->key == BY_ARRIVAL ? 0 : moment->ends_ms, moment->order};
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

/* The first moment above the key. Most come in rising order, so the end is tried first. */
static unsigned leaf_place(const struct timeline *timeline, const struct timeline_leaf *leaf,
                           struct key key) {
    unsigned low = 0, high = leaf->count;
    if (high && !key_above(moment_key(timeline, leaf->moments[high - 1]), key)) return high;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (key_above(moment_key(timeline, leaf->moments[middle]), key))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void descend(const struct timeline *timeline, struct key key, struct path *path) {
    void *node = timeline->root;
    for (unsigned level = 0; level < timeline->height; level++) {
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

static void *timeline_node_new(struct timeline *timeline, size_t size) {
    void *node = memory_alloc(size);
    timeline->held += memory_size(node);
    return node;
}

static void timeline_node_free(struct timeline *timeline, void *node) {
    timeline->held -= memory_size(node);
    memory_free(node);
}

static struct timeline_leaf *leaf_new(struct timeline *timeline, uint32_t capacity) {
    struct timeline_leaf *leaf =
        timeline_node_new(timeline, sizeof(*leaf) + capacity * sizeof(leaf->moments[0]));
    leaf->previous = leaf->next = NULL;
    leaf->count = 0;
    leaf->capacity = capacity;
    return leaf;
}

static void leaf_unlink(struct timeline *timeline, struct timeline_leaf *leaf) {
    *(leaf->previous ? &leaf->previous->next : &timeline->first) = leaf->next;
    *(leaf->next ? &leaf->next->previous : &timeline->last) = leaf->previous;
    timeline_node_free(timeline, leaf);
}

static void leaf_link_behind(struct timeline *timeline, struct timeline_leaf *leaf,
                             struct timeline_leaf *fresh) {
    fresh->previous = leaf;
    fresh->next = leaf->next;
    *(leaf->next ? &leaf->next->previous : &timeline->last) = fresh;
    leaf->next = fresh;
}

/* Only the latest ends are followed, and only where somebody asks for them. */
static int64_t leaf_latest_end(const struct timeline *timeline, const struct timeline_leaf *leaf,
                               int64_t enough_ms) {
    int64_t latest_ms = INT64_MIN;
    if (!timeline->follows_ends) return latest_ms;
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

static struct branch branch_to_leaf(const struct timeline *timeline, struct timeline_leaf *leaf) {
    return (struct branch){
        .key = moment_key(timeline, leaf->moments[0]),
        .latest_end_ms = leaf_latest_end(timeline, leaf, INT64_MAX),
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
static void timeline_refresh(struct branch *branch, struct branch now) {
    branch->count = now.count;
    branch->latest_end_ms = now.latest_end_ms;
}

/* --- To add --- */

static void leaf_insert(struct timeline_leaf *leaf, unsigned place, struct moment *moment) {
    memmove(&leaf->moments[place + 1], &leaf->moments[place], (leaf->count - place) * sizeof(moment));
    leaf->moments[place] = moment;
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
static unsigned cut_leaf_at(const struct timeline *timeline, const struct timeline_leaf *leaf,
                            unsigned place) {
    bool follows = place && leaf->moments[place - 1] == timeline->latest;
    return follows ? place : cut_at(place, leaf->count);
}

/* The moment goes into a full leaf; answers the new leaf behind it. */
static struct timeline_leaf *leaf_split(struct timeline *timeline, struct timeline_leaf *leaf, unsigned place,
                                        struct moment *moment) {
    struct timeline_leaf *right = leaf_new(timeline, LEAF_MAX);
    unsigned kept = cut_leaf_at(timeline, leaf, place);
    right->count = leaf->count - kept;
    memcpy(right->moments, &leaf->moments[kept], right->count * sizeof(moment));
    leaf->count = kept;
    leaf_link_behind(timeline, leaf, right);
    if (place > kept || kept == LEAF_MAX)
        leaf_insert(right, place - kept, moment);
    else
        leaf_insert(leaf, place, moment);
    return right;
}

static struct inner *inner_split(struct timeline *timeline, struct inner *inner, unsigned place,
                                 const struct branch *branch) {
    struct inner *right = timeline_node_new(timeline, sizeof(*right));
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

static void add_root(struct timeline *timeline, struct branch left, struct branch right) {
    struct inner *root = timeline_node_new(timeline, sizeof(*root));
    root->count = 2;
    root->branches[0] = left;
    root->branches[1] = right;
    timeline->root = root;
    timeline->height++;
}

/* The child that the path takes below `level` has been cut in two. */
static void add_branch(struct timeline *timeline, struct path *path, struct branch left,
                       struct branch right) {
    for (unsigned level = timeline->height; level-- > 0;) {
        struct inner *inner = path->steps[level].inner;
        unsigned at = path->steps[level].at;
        timeline_refresh(&inner->branches[at], left);
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
        struct inner *fresh = inner_split(timeline, inner, at + 1, &right);
        left = branch_to_inner(inner);
        right = branch_to_inner(fresh);
    }
    add_root(timeline, left, right);
}

static void grow_only_leaf(struct timeline *timeline) {
    struct timeline_leaf *leaf = timeline->root;
    uint32_t capacity = leaf->capacity * 2 > LEAF_MAX / 2 ? LEAF_MAX : leaf->capacity * 2;
    timeline->held -= memory_size(leaf);
    leaf = memory_resize(leaf, sizeof(*leaf) + capacity * sizeof(leaf->moments[0]));
    timeline->held += memory_size(leaf);
    leaf->capacity = capacity;
    timeline->root = timeline->first = timeline->last = leaf;
}

static void timeline_make_room(struct timeline *timeline) {
    if (!timeline->root) {
        timeline->root = timeline->first = timeline->last = leaf_new(timeline, LEAF_MIN);
    } else if (!timeline->height && timeline->first->count == timeline->first->capacity &&
               timeline->first->capacity < LEAF_MAX) {
        grow_only_leaf(timeline);
    }
}

void timeline_add(struct timeline *timeline, struct moment *moment) {
    struct path path;
    struct key key = moment_key(timeline, moment);
    timeline_make_room(timeline);
    descend(timeline, key, &path);
    unsigned place = leaf_place(timeline, path.leaf, key);
    timeline->count++;
    if (path.leaf->count == LEAF_MAX) {
        struct timeline_leaf *right = leaf_split(timeline, path.leaf, place, moment);
        timeline->latest = moment;
        add_branch(timeline, &path, branch_to_leaf(timeline, path.leaf), branch_to_leaf(timeline, right));
        return;
    }
    timeline->latest = moment;
    leaf_insert(path.leaf, place, moment);
    for (unsigned level = 0; level < timeline->height; level++) {
        struct branch *branch = branch_at(&path, level);
        branch->count++;
        if (timeline->follows_ends && branch->latest_end_ms < moment->ends_ms)
            branch->latest_end_ms = moment->ends_ms;
    }
}

static const struct moment *last_until(const struct timeline *timeline, int64_t instant_ms) {
    const struct moment *last = timeline_last(timeline);
    struct path path;
    if (!last || last->shows_ms <= instant_ms) return last;
    descend(timeline, key_behind(instant_ms), &path);
    unsigned place = leaf_place(timeline, path.leaf, key_behind(instant_ms));
    if (place) return path.leaf->moments[place - 1];
    const struct timeline_leaf *previous = path.leaf->previous;
    return previous ? previous->moments[previous->count - 1] : NULL;
}

/* Thousands of turns at one instant are no order that anybody follows: the last ones share the last turn. */
void timeline_add_last(struct timeline *timeline, struct moment *moment) {
    const struct moment *before = last_until(timeline, moment->shows_ms);
    bool shares = before && before->shows_ms == moment->shows_ms;
    unsigned turn = shares ? (unsigned)before->turn + (before->order > moment->order) : 0;
    moment->turn = (turn > MOMENT_TURN_MAX ? MOMENT_TURN_MAX : turn) & MOMENT_TURN_MAX;
    timeline_add(timeline, moment);
}

/* --- To remove --- */

static void inner_remove(struct inner *inner, unsigned place) {
    inner->count--;
    memmove(&inner->branches[place], &inner->branches[place + 1],
            (inner->count - place) * sizeof(inner->branches[0]));
}

/* The leaf behind `left` gives all it has to it. */
static void join_leaves(struct timeline *timeline, struct timeline_leaf *left, struct timeline_leaf *right) {
    memcpy(&left->moments[left->count], right->moments, right->count * sizeof(right->moments[0]));
    left->count += right->count;
    leaf_unlink(timeline, right);
}

static void join_inners(struct timeline *timeline, struct inner *left, struct inner *right) {
    memcpy(&left->branches[left->count], right->branches, right->count * sizeof(right->branches[0]));
    left->count += right->count;
    timeline_node_free(timeline, right);
}

/* What is below the branches `at` and `at + 1` of a node becomes one, if little is. */
static bool timeline_join(struct timeline *timeline, struct inner *inner, unsigned at, bool leaves) {
    if (at + 1 >= inner->count) return false;
    struct branch *left = &inner->branches[at], *right = left + 1;
    if (leaves) {
        struct timeline_leaf *one = left->child, *other = right->child;
        if (one->count + other->count > LEAF_MAX / JOINED_SHARE) return false;
        join_leaves(timeline, one, other);
    } else {
        struct inner *one = left->child, *other = right->child;
        if (one->count + other->count > INNER_MAX / JOINED_SHARE) return false;
        other->branches[0].key = right->key; /* its own may have been above what came to it later */
        join_inners(timeline, one, other);
    }
    left->count += right->count;
    if (left->latest_end_ms < right->latest_end_ms) left->latest_end_ms = right->latest_end_ms;
    inner_remove(inner, at + 1);
    return true;
}

static void timeline_join_neighbours(struct timeline *timeline, struct inner *inner, unsigned at,
                                     bool leaves) {
    if (!timeline_join(timeline, inner, at, leaves) && at) timeline_join(timeline, inner, at - 1, leaves);
}

/* From the leaf to the root: nodes that got empty go, sparse ones join a neighbour. */
static void timeline_tidy(struct timeline *timeline, struct path *path) {
    bool empty = path->leaf->count == 0, sparse = path->leaf->count < LEAF_MAX / SPARSE_SHARE;
    if (empty) leaf_unlink(timeline, path->leaf);
    for (unsigned level = timeline->height; level-- > 0 && (empty || sparse);) {
        struct inner *inner = path->steps[level].inner;
        unsigned at = path->steps[level].at;
        if (empty)
            inner_remove(inner, at);
        else
            timeline_join_neighbours(timeline, inner, at, level + 1 == timeline->height);
        empty = inner->count == 0;
        sparse = inner->count < INNER_MAX / SPARSE_SHARE;
        if (empty) timeline_node_free(timeline, inner);
    }
    if (empty) {
        timeline->root = NULL;
        timeline->height = 0;
    }
    while (timeline->height && ((struct inner *)timeline->root)->count == 1) {
        struct inner *root = timeline->root;
        timeline->root = root->branches[0].child;
        timeline->height--;
        timeline_node_free(timeline, root);
    }
}

/* What the branches on the way say of the latest end is true again after one moment has gone. */
static void forget_end(struct timeline *timeline, struct path *path, int64_t ends_ms) {
    for (unsigned level = timeline->height; level-- > 0;) {
        struct branch *branch = branch_at(path, level);
        if (branch->latest_end_ms != ends_ms) return;
        bool leaf = level + 1 == timeline->height;
        branch->latest_end_ms =
            leaf ? leaf_latest_end(timeline, branch->child, ends_ms) : inner_latest_end(branch->child);
    }
}

static unsigned moment_place(const struct timeline_leaf *leaf, const struct moment *moment) {
    unsigned place = 0;
    while (leaf->moments[place] != moment) place++;
    return place;
}

void timeline_remove(struct timeline *timeline, const struct moment *moment) {
    struct path path;
    descend(timeline, moment_key(timeline, moment), &path);
    struct timeline_leaf *leaf = path.leaf;
    unsigned place = moment_place(leaf, moment);
    leaf->count--;
    memmove(&leaf->moments[place], &leaf->moments[place + 1], (leaf->count - place) * sizeof(moment));
    timeline->count--;
    for (unsigned level = 0; level < timeline->height; level++) branch_at(&path, level)->count--;
    if (timeline->follows_ends) forget_end(timeline, &path, moment->ends_ms);
    if (leaf->count < LEAF_MAX / SPARSE_SHARE) timeline_tidy(timeline, &path);
}

struct moment **timeline_slot(const struct timeline *timeline, const struct moment *moment) {
    struct path path;
    descend(timeline, moment_key(timeline, moment), &path);
    return &path.leaf->moments[moment_place(path.leaf, moment)];
}

static void timeline_free_below(struct timeline *timeline, void *node, unsigned levels) {
    if (levels) {
        struct inner *inner = node;
        for (unsigned i = 0; i < inner->count; i++)
            timeline_free_below(timeline, inner->branches[i].child, levels - 1);
    }
    timeline_node_free(timeline, node);
}

void timeline_end(struct timeline *timeline) {
    if (timeline->root) timeline_free_below(timeline, timeline->root, timeline->height);
    timeline->root = NULL;
    timeline->first = timeline->last = NULL;
    timeline->count = 0;
    timeline->height = 0;
}

/* --- Queries --- */

struct moment *timeline_first(const struct timeline *timeline) {
    return timeline->first ? timeline->first->moments[0] : NULL;
}

struct moment *timeline_last(const struct timeline *timeline) {
    return timeline->last ? timeline->last->moments[timeline->last->count - 1] : NULL;
}

size_t timeline_rank(const struct timeline *timeline, int64_t instant_ms) {
    struct key key = key_behind(instant_ms);
    const void *node = timeline->root;
    size_t rank = 0;
    if (!node) return 0;
    for (unsigned level = 0; level < timeline->height; level++) {
        const struct inner *inner = node;
        unsigned at = branch_place(inner, key);
        for (unsigned i = 0; i < at; i++) rank += inner->branches[i].count;
        node = inner->branches[at].child;
    }
    return rank + leaf_place(timeline, node, key);
}

struct moment *timeline_behind(const struct timeline *timeline, int64_t instant_ms) {
    struct path path;
    if (!timeline->root) return NULL;
    descend(timeline, key_behind(instant_ms), &path);
    unsigned place = leaf_place(timeline, path.leaf, key_behind(instant_ms));
    if (place < path.leaf->count) return path.leaf->moments[place];
    return path.leaf->next ? path.leaf->next->moments[0] : NULL;
}

struct moment *timeline_next(const struct timeline *timeline, struct timeline_cursor *cursor) {
    if (!cursor->leaf) {
        cursor->leaf = timeline->first;
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
static struct moment *living_below(const struct timeline *timeline, void *node, unsigned levels,
                                   const struct key *behind, int64_t now_ms, struct timeline_cursor *cursor) {
    if (!levels) {
        const struct timeline_leaf *leaf = node;
        for (unsigned i = behind ? leaf_place(timeline, leaf, *behind) : 0; i < leaf->count; i++) {
            if (leaf->moments[i]->ends_ms <= now_ms) continue;
            *cursor = (struct timeline_cursor){leaf, i};
            return leaf->moments[i];
        }
        return NULL;
    }
    const struct inner *inner = node;
    for (unsigned i = behind ? branch_place(inner, *behind) : 0; i < inner->count; i++, behind = NULL) {
        if (inner->branches[i].latest_end_ms <= now_ms) continue;
        struct moment *found =
            living_below(timeline, inner->branches[i].child, levels - 1, behind, now_ms, cursor);
        if (found) return found;
    }
    return NULL;
}

struct moment *timeline_living(const struct timeline *timeline, struct timeline_cursor *cursor,
                               int64_t now_ms) {
    const struct timeline_leaf *leaf = cursor->leaf;
    if (!timeline->root) return NULL;
    if (!leaf) {
        struct moment *first = timeline->first->moments[0];
        *cursor = (struct timeline_cursor){timeline->first, 0};
        if (first->ends_ms > now_ms) return first;
        return living_below(timeline, timeline->root, timeline->height, NULL, now_ms, cursor);
    }
    while (cursor->at + 1 < leaf->count)
        if (leaf->moments[++cursor->at]->ends_ms > now_ms) return leaf->moments[cursor->at];
    struct key behind = moment_key(timeline, leaf->moments[cursor->at]);
    return living_below(timeline, timeline->root, timeline->height, &behind, now_ms, cursor);
}
