/* AVL trees sorted by offset, length and owner's number. Each node also knows how far the locks of its subtree reach,
 * and whether they all have the same owner: what cannot conflict is passed over. */
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

/* An empty range has the byte before it. The one at 0 overlaps nothing, however far it seems to reach. */
static uint64_t last_of(struct lock_range range) {
    return range.offset || range.length ? range.offset + range.length - 1 : 0;
}

/* --- The tree --- */

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int compare_locks(struct lock_range range, const struct lock_owner *owner,
                         const struct range_lock *lock) {
    int difference = compare_numbers(range.offset, lock->range.offset);
    if (!difference) difference = compare_numbers(range.length, lock->range.length);
    return difference ? difference : compare_numbers(owner->number, lock->owner->number);
}

static unsigned height_of(const struct range_lock *top) {
    return top ? top->height : 0;
}

/* Recomputes what a node knows of its subtree. */
static void refresh_lock(struct range_lock *top) {
    unsigned left = height_of(top->below[0]), right = height_of(top->below[1]);
    top->height = (uint8_t)((left > right ? left : right) + 1);
    top->last = last_of(top->range);
    top->sole_owner = top->owner;
    for (unsigned side = 0; side < 2; side++) {
        const struct range_lock *below = top->below[side];
        if (below && below->last > top->last) top->last = below->last;
        if (below && below->sole_owner != top->owner) top->sole_owner = NULL;
    }
}

/* Makes the child on this side the top. */
static struct range_lock *rotate_locks(struct range_lock *top, unsigned side) {
    struct range_lock *rising = top->below[side];
    top->below[side] = rising->below[!side];
    rising->below[!side] = top;
    refresh_lock(top);
    refresh_lock(rising);
    return rising;
}

static struct range_lock *balance_locks(struct range_lock *top) {
    unsigned heavy = height_of(top->below[1]) > height_of(top->below[0]);
    struct range_lock *child = top->below[heavy];
    if (height_of(child) <= height_of(top->below[!heavy]) + 1) {
        refresh_lock(top);
        return top;
    }
    if (height_of(child->below[!heavy]) > height_of(child->below[heavy]))
        top->below[heavy] = rotate_locks(child, !heavy);
    return rotate_locks(top, heavy);
}

static struct range_lock *lock_tree_add(struct range_lock *top, struct range_lock *lock) {
    if (!top) {
        refresh_lock(lock);
        return lock;
    }
    unsigned side = compare_locks(lock->range, lock->owner, top) > 0;
    top->below[side] = lock_tree_add(top->below[side], lock);
    return balance_locks(top);
}

static struct range_lock *locks_take_first(struct range_lock *top, struct range_lock **first) {
    if (!top->below[0]) {
        *first = top;
        return top->below[1];
    }
    top->below[0] = locks_take_first(top->below[0], first);
    return balance_locks(top);
}

static struct range_lock *lock_tree_remove(struct range_lock *top, const struct range_lock *lock) {
    if (top != lock) {
        unsigned side = compare_locks(lock->range, lock->owner, top) > 0;
        top->below[side] = lock_tree_remove(top->below[side], lock);
        return balance_locks(top);
    }
    if (!top->below[1]) return top->below[0];
    struct range_lock *heir;
    struct range_lock *right = locks_take_first(top->below[1], &heir);
    heir->below[0] = top->below[0];
    heir->below[1] = right;
    return balance_locks(heir);
}

static struct range_lock *lock_tree_find(struct range_lock *top, const struct lock_owner *owner,
                                         struct lock_range range) {
    while (top) {
        int difference = compare_locks(range, owner, top);
        if (!difference) break;
        top = top->below[difference > 0];
    }
    return top;
}

/* --- Queries --- */

struct lock_search {
    struct lock_range range;
    bool anywhere; /* every lock conflicts, wherever it lies */
    visit_lock *visit;
    void *context;
    const struct lock_owner *except; /* its locks do not conflict; NULL for none */
    const struct lock_owner *seen;   /* of the lock that was visited last */
};

/* Exclusive locks do not overlap. So below each node that is searched there is a conflicting one, except on the paths
 * to the two ends of the range. */
static bool is_searched(const struct lock_search *search, const struct range_lock *top) {
    if (top->sole_owner && (top->sole_owner == search->except || top->sole_owner == search->seen))
        return false;
    return search->anywhere || top->last >= search->range.offset;
}

static bool lock_conflicts(const struct lock_search *search, const struct range_lock *lock) {
    if (lock->owner == search->except || lock->owner == search->seen) return false;
    return search->anywhere || lock_ranges_overlap(lock->range, search->range);
}

/* False when the visitor has ended the visit. */
static bool visit_locks(struct lock_search *search, const struct range_lock *top) {
    if (!top || !is_searched(search, top)) return true;
    if (!visit_locks(search, top->below[0])) return false;
    if (!search->anywhere && !begins_before_end(top->range.offset, search->range)) return true;
    if (lock_conflicts(search, top)) {
        if (!search->visit(search->context, top)) return false;
        search->seen = top->owner;
    }
    return visit_locks(search, top->below[1]);
}

void range_locks_visit(const struct range_locks *locks, enum lock_test test, const struct lock_owner *owner,
                       struct lock_range range, visit_lock *visit, void *context) {
    bool reads = test == LOCK_TO_READ || test == LOCK_TO_SHARE;
    bool own = test == LOCK_TO_EXCLUDE || test == LOCK_ANYWHERE;
    struct lock_search search = {.range = range,
                                 .anywhere = test == LOCK_ANYWHERE,
                                 .visit = visit,
                                 .context = context,
                                 .except = own ? NULL : owner};
    if (!range.length && (test == LOCK_TO_READ || test == LOCK_TO_WRITE)) return;
    if (!visit_locks(&search, locks->trees[LOCK_EXCLUSIVE]) || reads) return;
    search.except = NULL;
    visit_locks(&search, locks->trees[LOCK_SHARED]);
}

static bool take_first_lock(void *context, const struct range_lock *lock) {
    *(const struct range_lock **)context = lock;
    return false;
}

const struct range_lock *range_locks_obstacle(const struct range_locks *locks, enum lock_test test,
                                              const struct lock_owner *owner, struct lock_range range) {
    const struct range_lock *first = NULL;
    range_locks_visit(locks, test, owner, range, take_first_lock, &first);
    return first;
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
    return lock_range_sound(request->range) &&
           !range_locks_obstacle(locks, lock_test_of(request->kind), request->owner, request->range);
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
