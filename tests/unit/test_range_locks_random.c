/* Range locks against a plain list of them, with ranges that like to meet at their ends; after each step the trees are
 * in order, in balance, and know how far they reach, each owner has its own, and the account is right. */
#include "file/range_locks.h"

#include "core/memory.h"
#include "dice.h"
#include "open_model.h"
#include "unit.h"

enum { OWNERS = 7, MAX = 400 };

/* In order of arrival. */
struct plain {
    size_t owner;
    enum lock_kind kind;
    struct lock_range range;
    uint64_t times;
};

struct trial {
    struct range_locks locks;
    struct account account;
    struct lock_owner *owners[OWNERS];
    struct plain plain[MAX];
    size_t count;
    struct dice dice;
    uint64_t spread; /* offsets are below this, or close to 2^64 */
};

static void trial_start(struct trial *trial, uint64_t seed, uint64_t spread) {
    *trial = (struct trial){.dice = {seed}, .spread = spread};
    for (size_t i = 0; i < OWNERS; i++) {
        trial->owners[i] = memory_zeroed(sizeof(*trial->owners[i]));
        trial->owners[i]->number = i * 7 % 10; /* in another order than places */
    }
}

static void trial_end(struct trial *trial) {
    for (size_t i = 0; i < OWNERS; i++)
        range_locks_remove_owner(&trial->account, &trial->locks, trial->owners[i]);
    require_same(trial->account.memory + trial->account.allocations, 0, "what is left on the account");
    for (size_t i = 0; i < OWNERS; i++) memory_free(trial->owners[i]);
}

/* --- The plain list -------------------------------------------------------------------------------------- */

/* Owner OWNERS is nobody. */
static bool plain_denies(const struct plain *lock, enum model_question question, size_t owner,
                         struct lock_range wanted) {
    struct model_range range = {lock->range.offset, lock->range.length};
    return open_model_locks(range, lock->kind == LOCK_EXCLUSIVE, lock->owner == owner, question,
                            (struct model_range){wanted.offset, wanted.length});
}

static bool same_range(struct lock_range a, struct lock_range b) {
    return a.offset == b.offset && a.length == b.length;
}

static bool plain_before(const struct trial *trial, const struct plain *a, const struct plain *b) {
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->range.offset != b->range.offset) return a->range.offset < b->range.offset;
    if (a->range.length != b->range.length) return a->range.length < b->range.length;
    return trial->owners[a->owner]->number < trial->owners[b->owner]->number;
}

/* The first one in the order of the locks, not of arrival. */
static const struct plain *plain_obstacle(const struct trial *trial, enum model_question question,
                                          size_t owner, struct lock_range range) {
    const struct plain *first = NULL;
    for (size_t i = 0; i < trial->count; i++) {
        const struct plain *lock = &trial->plain[i];
        if (!plain_denies(lock, question, owner, range)) continue;
        if (!first || plain_before(trial, lock, first)) first = lock;
    }
    return first;
}

static struct plain *plain_find(struct trial *trial, size_t owner, enum lock_kind kind,
                                struct lock_range range) {
    for (size_t i = 0; i < trial->count; i++) {
        struct plain *lock = &trial->plain[i];
        if (lock->owner == owner && lock->kind == kind && same_range(lock->range, range)) return lock;
    }
    return NULL;
}

static void plain_take(struct trial *trial, struct plain *lock) {
    size_t place = (size_t)(lock - trial->plain);
    memmove(lock, lock + 1, (--trial->count - place) * sizeof(*lock));
}

/* --- Chance ---------------------------------------------------------------------------------------------- */

static struct lock_range random_range(struct trial *trial) {
    struct dice *dice = &trial->dice;
    struct lock_range range = {dice_word(dice) % trial->spread, dice_word(dice) % 9};
    if (dice_percent(dice, 10)) range.length = 0;
    if (dice_percent(dice, 5)) range.length = dice_word(dice) % trial->spread;
    if (dice_percent(dice, 10)) range.offset = UINT64_MAX - dice_roll(dice, 12);
    if (dice_percent(dice, 1)) range.length = UINT64_MAX - dice_roll(dice, 3);
    return range;
}

static void random_add(struct trial *trial) {
    size_t owner = dice_roll(&trial->dice, OWNERS);
    uint64_t times = dice_percent(&trial->dice, 10) ? dice_roll(&trial->dice, 4) : 1;
    enum lock_kind kind = dice_percent(&trial->dice, 50) ? LOCK_SHARED : LOCK_EXCLUSIVE;
    struct lock_range range = random_range(trial);
    if (trial->count && dice_percent(&trial->dice, 15))
        range = trial->plain[dice_roll(&trial->dice, trial->count)].range;
    bool sound = (unsigned __int128)range.offset + range.length <= (unsigned __int128)1 << 64;
    bool fits =
        sound && times && !(kind == LOCK_EXCLUSIVE && range.length && times > 1) &&
        !plain_obstacle(trial, kind == LOCK_SHARED ? TO_LOCK_SHARED : TO_LOCK_EXCLUSIVE, owner, range);
    require_same(lock_range_sound(range), sound, "a range");
    if (fits && trial->count == MAX) return;
    struct lock_request wanted = {trial->owners[owner], kind, range};
    require_same(range_locks_add(&trial->account, &trial->locks, &wanted, times), fits, "a lock is granted");
    struct plain *there = plain_find(trial, owner, kind, range);
    if (fits && there)
        there->times += times;
    else if (fits)
        trial->plain[trial->count++] = (struct plain){owner, kind, range, times};
}

static void random_remove(struct trial *trial) {
    size_t owner = dice_roll(&trial->dice, OWNERS);
    struct lock_range range = random_range(trial);
    if (trial->count && dice_percent(&trial->dice, 90)) {
        const struct plain *lock = &trial->plain[dice_roll(&trial->dice, trial->count)];
        range = lock->range;
        if (dice_percent(&trial->dice, 80)) owner = lock->owner;
    }
    struct plain *lock = plain_find(trial, owner, LOCK_EXCLUSIVE, range);
    if (!lock) lock = plain_find(trial, owner, LOCK_SHARED, range);
    const struct range_lock *found = range_locks_find(&trial->locks, trial->owners[owner], range);
    require_same(found != NULL, lock != NULL, "there is such a lock");
    if (lock && found) require_same(found->kind, lock->kind, "the kind that goes first");
    require_same(range_locks_remove(&trial->account, &trial->locks, trial->owners[owner], range),
                 lock != NULL, "an unlock");
    if (lock && --lock->times == 0) plain_take(trial, lock);
}

static void random_remove_owner(struct trial *trial) {
    size_t owner = dice_roll(&trial->dice, OWNERS), had = trial->count;
    for (size_t i = trial->count; i-- > 0;)
        if (trial->plain[i].owner == owner) plain_take(trial, &trial->plain[i]);
    require_same(range_locks_remove_owner(&trial->account, &trial->locks, trial->owners[owner]),
                 trial->count < had, "it had some");
}

/* --- Comparison ------------------------------------------------------------------------------------------ */

static void require_lock(const struct trial *trial, const struct range_lock *actual,
                         const struct plain *expected, const char *what) {
    require_same(actual != NULL, expected != NULL, "%s", what);
    if (!expected || !actual) return;
    require(same_range(actual->range, expected->range), "%s: the range", what);
    require_same(actual->kind, expected->kind, "%s: the kind", what);
    require(actual->owner == trial->owners[expected->owner], "%s: the owner", what);
    require(actual->times == expected->times, "%s: how often", what);
}

/* How far the locks below here reach, and of how many owners they are, counted lock by lock. */
static void count_below(const struct range_lock *top, const struct lock_owner **owner, bool *sole,
                        uint64_t *last) {
    if (!top) return;
    uint64_t end = top->range.offset + top->range.length;
    if ((top->range.offset || top->range.length) && end - 1 > *last) *last = end - 1;
    if (*owner && *owner != top->owner) *sole = false;
    *owner = top->owner;
    for (unsigned side = 0; side < 2; side++) count_below(top->below[side], owner, sole, last);
}

static void check_below(const struct range_lock *top) {
    const struct lock_owner *owner = NULL;
    bool sole = true;
    uint64_t last = 0;
    count_below(top, &owner, &sole, &last);
    require(top->last == last, "the farthest one");
    require(top->sole_owner == (sole ? owner : NULL), "the only owner");
}

static unsigned check_tree(const struct range_lock *top, enum lock_kind kind) {
    if (!top) return 0;
    unsigned left = check_tree(top->below[0], kind), right = check_tree(top->below[1], kind);
    unsigned height = (left > right ? left : right) + 1;
    require(left <= right + 1 && right <= left + 1, "heights of %u and %u", left, right);
    require_same(top->height, height, "it knows its height");
    require_same(top->kind, kind, "it is in its tree");
    check_below(top);
    return height;
}

/* All locks of a file in order. */
struct walked {
    const struct range_lock *locks[MAX];
    size_t count;
};

static void walk_below(struct walked *walked, const struct range_lock *top) {
    if (!top) return;
    walk_below(walked, top->below[0]);
    walked->locks[walked->count++] = top;
    walk_below(walked, top->below[1]);
}

static struct walked walk(const struct trial *trial) {
    struct walked walked = {.count = 0};
    for (unsigned kind = 0; kind < LOCK_KINDS; kind++) walk_below(&walked, trial->locks.trees[kind]);
    return walked;
}

static void compare_walk(const struct trial *trial) {
    const struct plain *previous = NULL;
    struct walked walked = walk(trial);
    require_same(walked.count, trial->count, "so many locks");
    for (size_t i = 0; i < trial->count; i++) {
        const struct plain *next = NULL;
        for (size_t j = 0; j < trial->count; j++) {
            const struct plain *other = &trial->plain[j];
            if (previous && !plain_before(trial, previous, other)) continue;
            if (!next || plain_before(trial, other, next)) next = other;
        }
        require_lock(trial, walked.locks[i], next, "the walk");
        previous = next;
    }
}

static void compare_owners(const struct trial *trial) {
    for (size_t owner = 0; owner < OWNERS; owner++) {
        const struct range_lock *lock = NULL;
        for (size_t i = 0; i < trial->count; i++) {
            if (trial->plain[i].owner != owner) continue;
            lock = lock_owner_next(trial->owners[owner], lock);
            require_lock(trial, lock, &trial->plain[i], "the owner's walk");
        }
        require(!lock_owner_next(trial->owners[owner], lock), "the end of the owner's walk");
        require(trial->owners[owner]->last == lock, "the owner's last one");
    }
}

static bool take_visited(void *context, const struct range_lock *lock) {
    struct walked *visited = context;
    visited->locks[visited->count++] = lock;
    return true;
}

static size_t owner_of(const struct trial *trial, const struct range_lock *lock) {
    size_t owner = 0;
    while (trial->owners[owner] != lock->owner) owner++;
    return owner;
}

/* All of them in order, but one for several in a row of one owner. */
static void compare_visit(struct trial *trial, enum model_question question, enum lock_test test,
                          size_t owner, struct lock_range range) {
    struct walked visited = {.count = 0}, all = walk(trial);
    const struct lock_owner *asks = owner < OWNERS ? trial->owners[owner] : NULL, *seen = NULL;
    range_locks_visit(&trial->locks, test, asks, range, take_visited, &visited);
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++) {
        const struct range_lock *lock = all.locks[i];
        const struct plain *plain = plain_find(trial, owner_of(trial, lock), lock->kind, lock->range);
        if (!plain_denies(plain, question, owner, range) || lock->owner == seen) continue;
        require(count < visited.count && visited.locks[count] == lock, "it is the next one");
        seen = lock->owner;
        count++;
    }
    require_same(visited.count, count, "locks in the way");
    require_lock(trial, range_locks_obstacle(&trial->locks, test, asks, range),
                 plain_obstacle(trial, question, owner, range), "the first one");
}

static void compare_answers(struct trial *trial) {
    static const enum model_question questions[] = {TO_READ, TO_WRITE, TO_LOCK_SHARED, TO_LOCK_EXCLUSIVE};
    bool stateless = dice_percent(&trial->dice, 30);
    size_t owner = stateless ? OWNERS : dice_roll(&trial->dice, OWNERS);
    struct lock_range range = random_range(trial);
    if (!lock_range_sound(range)) return;
    for (unsigned test = 0; test < ARRAY_SIZE(questions); test++)
        compare_visit(trial, questions[test], test, owner, range);
}

static void compare_all(struct trial *trial) {
    for (unsigned kind = 0; kind < LOCK_KINDS; kind++) check_tree(trial->locks.trees[kind], kind);
    require_same(trial->locks.count, trial->count, "so many locks");
    require_same(trial->account.allocations, trial->count, "allocations on the account");
    require_same(allocations_count(), trial->count + OWNERS, "allocations");
    size_t memory = 0;
    struct walked walked = walk(trial);
    for (size_t i = 0; i < walked.count; i++) memory += memory_size(walked.locks[i]);
    require_same(trial->account.memory, memory, "bytes on the account");
    const struct range_lock *first =
        range_locks_obstacle(&trial->locks, LOCK_ANYWHERE, NULL, (struct lock_range){0, 0});
    require(first == (walked.count ? walked.locks[0] : NULL), "the first one anywhere");
    compare_walk(trial);
    compare_owners(trial);
}

/* --- Trials ---------------------------------------------------------------------------------------------- */

static void step(struct trial *trial, bool grows) {
    if (dice_percent(&trial->dice, 1) && dice_percent(&trial->dice, 50))
        random_remove_owner(trial);
    else if (dice_percent(&trial->dice, grows ? 75 : 30))
        random_add(trial);
    else
        random_remove(trial);
    compare_answers(trial);
}

static void run(uint64_t seed, uint64_t spread, int steps, int between) {
    struct trial trial ENDS_BY(trial_end);
    trial_start(&trial, seed, spread);
    for (int i = 0; i < steps; i++) {
        step(&trial, i / (steps / 6) % 2 == 0);
        if (i % between == 0) compare_all(&trial);
    }
    compare_all(&trial);
}

TEST(a_crowded_file_equals_a_list) {
    run(1, 24, 12000, 3);
}

TEST(a_wide_file_equals_a_list) {
    run(2, 1500, 12000, 40);
    run(3, UINT64_MAX, 6000, 40);
}

/* What a walk gives can be added in its order, and makes the same walk; and so owner by owner. */
static void add_all(struct trial *to, const struct trial *from, const struct range_lock *lock) {
    struct lock_request wanted = {to->owners[owner_of(from, lock)], lock->kind, lock->range};
    require(range_locks_add(&to->account, &to->locks, &wanted, lock->times),
            "what was there is granted again");
}

static void compare_walks(const struct trial *a, const struct trial *b) {
    struct walked ones = walk(a), others = walk(b);
    require_same(ones.count, others.count, "they end together");
    for (size_t i = 0; i < ones.count; i++) {
        const struct range_lock *one = ones.locks[i], *other = others.locks[i];
        require(one && other, "there are as many as were counted");
        require(same_range(one->range, other->range) && one->kind == other->kind, "the same lock");
        require(one->owner->number == other->owner->number && one->times == other->times, "the same lock");
    }
}

TEST(saved_locks_can_be_had_again) {
    size_t own_over_own = 0;
    for (uint64_t seed = 10; seed < 40; seed++) {
        struct trial trial, by_range, by_owner;
        trial_start(&trial, seed, 60);
        trial_start(&by_range, seed, 60);
        trial_start(&by_owner, seed, 60);
        for (int i = 0; i < 600; i++) step(&trial, true);
        struct walked walked = walk(&trial);
        for (size_t i = 0; i < walked.count; i++) {
            const struct range_lock *lock = walked.locks[i];
            add_all(&by_range, &trial, lock);
            own_over_own += lock->kind == LOCK_SHARED &&
                            range_locks_obstacle(&trial.locks, LOCK_TO_READ, NULL, lock->range) != NULL;
        }
        for (size_t owner = 0; owner < OWNERS; owner++)
            for (const struct range_lock *lock = NULL; (lock = lock_owner_next(trial.owners[owner], lock));)
                add_all(&by_owner, &trial, lock);
        compare_walks(&trial, &by_range);
        compare_walks(&trial, &by_owner);
        trial_end(&by_owner);
        trial_end(&by_range);
        trial_end(&trial);
    }
    require(own_over_own > 20, "only %zu shared locks lay over exclusive ones", own_over_own);
}

/* In rising, falling and mixed order, so that the trees turn both ways. */
TEST(many_locks_come_and_go_in_every_order) {
    enum { MANY = 3000 };
    for (uint64_t stride = 1; stride < MANY; stride = stride == 1 ? 61 : stride == 61 ? MANY - 1 : MANY) {
        struct trial trial ENDS_BY(trial_end);
        trial_start(&trial, 1, 10);
        for (uint64_t i = 0; i < MANY; i++) {
            struct lock_request wanted = {
                trial.owners[i % OWNERS], LOCK_EXCLUSIVE, {i * stride % MANY * 2, 2}};
            require(range_locks_add(&trial.account, &trial.locks, &wanted, 1), "lock %d", (int)i);
            if (i % 500 == 0) check_tree(trial.locks.trees[LOCK_EXCLUSIVE], LOCK_EXCLUSIVE);
        }
        require_same(check_tree(trial.locks.trees[LOCK_EXCLUSIVE], LOCK_EXCLUSIVE) <= 16, true, "its height");
        for (uint64_t i = 0; i < MANY; i++) {
            struct lock_range range = {i * stride % MANY * 2, 2};
            require(range_locks_remove(&trial.account, &trial.locks, trial.owners[i % OWNERS], range),
                    "unlock %d", (int)i);
            if (i % 500 == 0) check_tree(trial.locks.trees[LOCK_EXCLUSIVE], LOCK_EXCLUSIVE);
        }
        require_same(trial.locks.count, 0, "none is left");
    }
}
