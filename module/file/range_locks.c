/* AVL trees sorted by offset, length and owner's number. Each node also stores how far the locks of its subtree reach,
 * so the first overlapping lock, of any owner or of any but one, is found in one descent. */
#include "file/range_locks.h"

#include "core/memory.h"

/* --- Ranges --- */

bool lock_range_sound(struct lock_range range) {
    return !range.length || range.length - 1 <= UINT64_MAX - range.offset;
}

static bool begins_before_end(uint64_t offset, struct lock_range range) {
    return offset < range.offset || offset - range.offset < range.length;
}

bool lock_ranges_overlap(struct lock_range a, struct lock_range b) {
    return begins_before_end(a.offset, b) && begins_before_end(b.offset, a);
}

/* Whether the range has a last byte; an empty one has the byte before it. The empty range at 0 overlaps nothing. */
static bool has_last(struct lock_range range) {
    return range.offset || range.length;
}

static uint64_t last_of(struct lock_range range) {
    return range.offset + range.length - 1;
}

/* --- How far locks reach --- */

static void reach_of_others(struct lock_reach *reach, uint64_t last) {
    if (last > reach->others_last) reach->others_last = last;
    reach->owners = 2;
}

static void reach_of_owner(struct lock_reach *reach, uint64_t owner, uint64_t last) {
    if (!reach->owners) {
        *reach = (struct lock_reach){last, owner, 0, 1};
    } else if (owner == reach->owner) {
        if (last > reach->last) reach->last = last;
    } else if (last > reach->last) {
        reach_of_others(reach, reach->last);
        reach->last = last;
        reach->owner = owner;
    } else {
        reach_of_others(reach, last);
    }
}

/* The part's others may include the owner of `reach`. Then the part's own owner reaches at least as far as they do, and
 * counts among the others already. */
static void reach_of_part(struct lock_reach *reach, const struct range_lock *part) {
    if (!part || !part->reach.owners) return;
    reach_of_owner(reach, part->reach.owner, part->reach.last);
    if (part->reach.owners == 2) reach_of_others(reach, part->reach.others_last);
}

static bool is_of(uint64_t number, const struct lock_owner *owner) {
    return owner && number == owner->number;
}

/* Whether a lock of any owner but this one, which may be NULL, ends behind the offset. */
static bool reaches(const struct range_lock *top, uint64_t offset, const struct lock_owner *except) {
    if (!top || !top->reach.owners) return false;
    if (!is_of(top->reach.owner, except)) return top->reach.last >= offset;
    return top->reach.owners == 2 && top->reach.others_last >= offset;
}

/* --- The tree --- */

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int compare(struct lock_range range, const struct lock_owner *owner, const struct range_lock *lock) {
    int difference = compare_numbers(range.offset, lock->range.offset);
    if (!difference) difference = compare_numbers(range.length, lock->range.length);
    return difference ? difference : compare_numbers(owner->number, lock->owner->number);
}

static unsigned height_of(const struct range_lock *top) {
    return top ? top->height : 0;
}

/* Recomputes height and reach from the children. */
static void refresh_lock(struct range_lock *top) {
    unsigned left = height_of(top->below[0]), right = height_of(top->below[1]);
    top->height = (uint8_t)((left > right ? left : right) + 1);
    top->reach = (struct lock_reach){0};
    if (has_last(top->range)) reach_of_owner(&top->reach, top->owner->number, last_of(top->range));
    reach_of_part(&top->reach, top->below[0]);
    reach_of_part(&top->reach, top->below[1]);
}

/* Makes the child on this side the top. */
static struct range_lock *rotate(struct range_lock *top, unsigned side) {
    struct range_lock *rising = top->below[side];
    top->below[side] = rising->below[!side];
    rising->below[!side] = top;
    refresh_lock(top);
    refresh_lock(rising);
    return rising;
}

static struct range_lock *balance(struct range_lock *top) {
    unsigned heavy = height_of(top->below[1]) > height_of(top->below[0]);
    struct range_lock *child = top->below[heavy];
    if (height_of(child) <= height_of(top->below[!heavy]) + 1) {
        refresh_lock(top);
        return top;
    }
    if (height_of(child->below[!heavy]) > height_of(child->below[heavy]))
        top->below[heavy] = rotate(child, !heavy);
    return rotate(top, heavy);
}

static struct range_lock *lock_tree_add(struct range_lock *top, struct range_lock *lock) {
    if (!top) {
        refresh_lock(lock);
        return lock;
    }
    unsigned side = compare(lock->range, lock->owner, top) > 0;
    top->below[side] = lock_tree_add(top->below[side], lock);
    return balance(top);
}

static struct range_lock *locks_take_first(struct range_lock *top, struct range_lock **first) {
    if (!top->below[0]) {
        *first = top;
        return top->below[1];
    }
    top->below[0] = locks_take_first(top->below[0], first);
    return balance(top);
}

static struct range_lock *lock_tree_remove(struct range_lock *top, const struct range_lock *lock) {
    if (top != lock) {
        unsigned side = compare(lock->range, lock->owner, top) > 0;
        top->below[side] = lock_tree_remove(top->below[side], lock);
        return balance(top);
    }
    if (!top->below[1]) return top->below[0];
    struct range_lock *heir;
    struct range_lock *right = locks_take_first(top->below[1], &heir);
    heir->below[0] = top->below[0];
    heir->below[1] = right;
    return balance(heir);
}

static struct range_lock *lock_tree_find(struct range_lock *top, const struct lock_owner *owner,
                                         struct lock_range range) {
    while (top) {
        int difference = compare(range, owner, top);
        if (!difference) break;
        top = top->below[difference > 0];
    }
    return top;
}

/* If a lock on the left reaches the range, the first overlap is there, or there is none, since locks on the right
 * begin later. */
static const struct range_lock *first_overlap(const struct range_lock *top, struct lock_range range,
                                              const struct lock_owner *except) {
    while (top) {
        bool left = reaches(top->below[0], range.offset, except);
        bool here = !left && lock_ranges_overlap(top->range, range);
        if (here && !is_of(top->owner->number, except)) return top;
        top = top->below[!left];
    }
    return NULL;
}

/* --- Queries --- */

/* An exclusive lock of any other owner, then, if they count, a shared lock of any owner. */
static const struct range_lock *first_conflict(const struct range_locks *locks, struct lock_range range,
                                               const struct lock_owner *except, bool shared_too) {
    const struct range_lock *lock = first_overlap(locks->trees[LOCK_EXCLUSIVE], range, except);
    return lock || !shared_too ? lock : first_overlap(locks->trees[LOCK_SHARED], range, NULL);
}

const struct range_lock *range_locks_obstacle(const struct range_locks *locks,
                                              const struct lock_request *request) {
    bool exclusive = request->kind == LOCK_EXCLUSIVE;
    return first_conflict(locks, request->range, exclusive ? NULL : request->owner, exclusive);
}

const struct range_lock *range_locks_reading(const struct range_locks *locks, const struct lock_owner *owner,
                                             struct lock_range range) {
    return range.length ? first_conflict(locks, range, owner, false) : NULL;
}

const struct range_lock *range_locks_writing(const struct range_locks *locks, const struct lock_owner *owner,
                                             struct lock_range range) {
    return range.length ? first_conflict(locks, range, owner, true) : NULL;
}

const struct range_lock *range_locks_any(const struct range_locks *locks) {
    return range_locks_next(locks, NULL);
}

static struct range_lock *find_lock(const struct range_locks *locks, const struct lock_owner *owner,
                                    struct lock_range range) {
    struct range_lock *lock = lock_tree_find(locks->trees[LOCK_EXCLUSIVE], owner, range);
    return lock ? lock : lock_tree_find(locks->trees[LOCK_SHARED], owner, range);
}

const struct range_lock *range_locks_find(const struct range_locks *locks, const struct lock_owner *owner,
                                          struct lock_range range) {
    return find_lock(locks, owner, range);
}

struct collecting {
    struct lock_range range;
    const struct lock_owner *except;
    struct lock_obstacles *found;
    unsigned looks;
};

static bool is_known_lock(const struct collecting *collecting, uint64_t number) {
    const struct lock_obstacles *found = collecting->found;
    for (unsigned i = 0; i < found->count; i++)
        if (found->owners[i]->number == number) return true;
    return is_of(number, collecting->except);
}

static void add_obstacle(struct collecting *collecting, struct lock_owner *owner) {
    struct lock_obstacles *found = collecting->found;
    if (found->count == LOCK_OBSTACLES_MAX)
        found->cut = true;
    else
        found->owners[found->count++] = owner;
}

/* Skips subtrees in which only known owners reach the range. */
static void collect_locks(struct collecting *collecting, const struct range_lock *top) {
    if (!top || !reaches(top, collecting->range.offset, collecting->except)) return;
    if (top->reach.owners == 1 && is_known_lock(collecting, top->reach.owner)) return;
    if (collecting->looks++ == LOCK_OBSTACLES_LOOKED_AT) collecting->found->cut = true;
    if (collecting->found->cut) return;
    collect_locks(collecting, top->below[0]);
    if (!begins_before_end(top->range.offset, collecting->range)) return;
    if (lock_ranges_overlap(top->range, collecting->range) && !is_known_lock(collecting, top->owner->number))
        add_obstacle(collecting, top->owner);
    collect_locks(collecting, top->below[1]);
}

/* The owners of all locks of which first_conflict returns the first. */
void range_locks_obstacles(const struct range_locks *locks, const struct lock_request *request,
                           struct lock_obstacles *obstacles) {
    bool exclusive = request->kind == LOCK_EXCLUSIVE;
    struct collecting collecting = {request->range, exclusive ? NULL : request->owner, obstacles, 0};
    obstacles->count = 0;
    obstacles->cut = false;
    collect_locks(&collecting, locks->trees[LOCK_EXCLUSIVE]);
    collecting.except = NULL;
    if (exclusive) collect_locks(&collecting, locks->trees[LOCK_SHARED]);
}

/* --- Changes --- */

static void owner_add(struct lock_owner *owner, struct range_lock *lock) {
    lock->previous = owner->last;
    lock->next = NULL;
    *(owner->last ? &owner->last->next : &owner->first) = lock;
    owner->last = lock;
}

static void owner_remove(struct range_lock *lock) {
    *(lock->previous ? &lock->previous->next : &lock->owner->first) = lock->next;
    *(lock->next ? &lock->next->previous : &lock->owner->last) = lock->previous;
}

static struct range_lock *lock_new(struct account *account, const struct lock_request *request,
                                   uint64_t times) {
    struct range_lock *lock = account_add(account, memory_zeroed(sizeof(*lock)));
    lock->range = request->range;
    lock->owner = request->owner;
    lock->times = times;
    lock->kind = (uint8_t)request->kind;
    return lock;
}

static bool may_add(const struct range_locks *locks, const struct lock_request *request, uint64_t times) {
    bool once = request->kind == LOCK_EXCLUSIVE && lock_ranges_overlap(request->range, request->range);
    if (!times || (once && times > 1)) return false;
    return lock_range_sound(request->range) && !range_locks_obstacle(locks, request);
}

bool range_locks_add(struct account *account, struct range_locks *locks, const struct lock_request *request,
                     uint64_t times) {
    if (!may_add(locks, request, times)) return false;
    struct range_lock **tree = &locks->trees[request->kind];
    struct range_lock *lock = lock_tree_find(*tree, request->owner, request->range);
    if (lock) {
        if (times > UINT64_MAX - lock->times) return false;
        lock->times += times;
        return true;
    }
    lock = lock_new(account, request, times);
    *tree = lock_tree_add(*tree, lock);
    owner_add(request->owner, lock);
    locks->count++;
    return true;
}

static void drop_lock(struct account *account, struct range_locks *locks, struct range_lock *lock) {
    locks->trees[lock->kind] = lock_tree_remove(locks->trees[lock->kind], lock);
    owner_remove(lock);
    locks->count--;
    account_discard(account, lock);
}

bool range_locks_remove(struct account *account, struct range_locks *locks, struct lock_owner *owner,
                        struct lock_range range) {
    struct range_lock *lock = find_lock(locks, owner, range);
    if (!lock) return false;
    if (--lock->times == 0) drop_lock(account, locks, lock);
    return true;
}

bool range_locks_remove_owner(struct account *account, struct range_locks *locks, struct lock_owner *owner) {
    bool any = owner->first;
    while (owner->first) drop_lock(account, locks, owner->first);
    return any;
}

static void discard_tree(struct account *account, struct range_lock *top) {
    if (!top) return;
    discard_tree(account, top->below[0]);
    discard_tree(account, top->below[1]);
    account_discard(account, top);
}

void range_locks_end(struct account *account, struct range_locks *locks) {
    for (unsigned kind = 0; kind < LOCK_KINDS; kind++) discard_tree(account, locks->trees[kind]);
    *locks = (struct range_locks){0};
}

/* --- Walk --- */

static const struct range_lock *lock_tree_first(const struct range_lock *top) {
    while (top && top->below[0]) top = top->below[0];
    return top;
}

static const struct range_lock *lock_tree_behind(const struct range_lock *top,
                                                 const struct range_lock *lock) {
    const struct range_lock *behind = NULL;
    while (top) {
        bool before = compare(lock->range, lock->owner, top) < 0;
        if (before) behind = top;
        top = top->below[!before];
    }
    return behind;
}

const struct range_lock *range_locks_next(const struct range_locks *locks, const struct range_lock *lock) {
    const struct range_lock *next = NULL;
    unsigned kind = lock ? lock->kind : 0;
    if (lock) next = lock_tree_behind(locks->trees[kind++], lock);
    for (; !next && kind < LOCK_KINDS; kind++) next = lock_tree_first(locks->trees[kind]);
    return next;
}
