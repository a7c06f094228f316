/* Range locks: the tables and corners of the specification, and what callers are told. That the structure is right with
 * any locks is for test_range_locks_random.c. */
#include "file/range_locks.h"

#include "unit.h"

/* A file with some owners of locks. */
enum { OWNERS = 100 };

struct stage {
    struct range_locks locks;
    struct account account;
    struct lock_owner owners[OWNERS];
};

static void stage_start(struct stage *stage) {
    *stage = (struct stage){.account = {0}};
    for (size_t i = 0; i < OWNERS; i++) stage->owners[i].number = i + 1;
}

static void stage_end(struct stage *stage) {
    for (size_t i = 0; i < OWNERS; i++)
        range_locks_remove_owner(&stage->account, &stage->locks, &stage->owners[i]);
    require_same(stage->locks.count, 0, "locks that are left");
    require_same(stage->account.allocations, 0, "allocations on the account");
    require_same(stage->account.memory, 0, "bytes on the account");
}

#define STAGE(name)                                                                                          \
    struct stage name ENDS_BY(stage_end);                                                                    \
    stage_start(&(name))

static struct lock_request request(struct stage *stage, size_t owner, enum lock_kind kind, uint64_t offset,
                                   uint64_t length) {
    return (struct lock_request){&stage->owners[owner], kind, {offset, length}};
}

static bool lock(struct stage *stage, size_t owner, enum lock_kind kind, uint64_t offset, uint64_t length) {
    struct lock_request wanted = request(stage, owner, kind, offset, length);
    return range_locks_add(&stage->account, &stage->locks, &wanted, 1);
}

static bool unlock(struct stage *stage, size_t owner, uint64_t offset, uint64_t length) {
    return range_locks_remove(&stage->account, &stage->locks, &stage->owners[owner],
                              (struct lock_range){offset, length});
}

/* The owner's number, or 0: whose lock stands in the way. */
static uint64_t whose(const struct range_lock *lock) {
    return lock ? lock->owner->number : 0;
}

static uint64_t reading(struct stage *stage, size_t owner, uint64_t offset, uint64_t length) {
    return whose(range_locks_obstacle(&stage->locks, LOCK_TO_READ, &stage->owners[owner],
                                      (struct lock_range){offset, length}));
}

static uint64_t writing(struct stage *stage, size_t owner, uint64_t offset, uint64_t length) {
    return whose(range_locks_obstacle(&stage->locks, LOCK_TO_WRITE, &stage->owners[owner],
                                      (struct lock_range){offset, length}));
}

/* To a stateless command. */
static uint64_t stateless(struct stage *stage, enum lock_test test, struct lock_range range) {
    return whose(range_locks_obstacle(&stage->locks, test, NULL, range));
}

/* --- The table ------------------------------------------------------------------------------------------- */

/* clang-format off */

static const struct {
    enum lock_kind kind;
    size_t owner; /* of the lock that there is; 0 is the one who asks */
    const char *cells[4]; /* by enum lock_test */
} table[] = {
                         /* read  write shared exclusive */
    {LOCK_EXCLUSIVE, 0, {"ok", "ok", "ok", "no"}},
    {LOCK_EXCLUSIVE, 1, {"no", "no", "no", "no"}},
    {LOCK_SHARED,    0, {"ok", "no", "ok", "no"}},
    {LOCK_SHARED,    1, {"ok", "no", "ok", "no"}},
};

/* clang-format on */

/* In each way in which two ranges overlap. */
static const struct lock_range overlapping[] = {{10, 10}, {5, 6},   {19, 5},
                                                {12, 1},  {0, 100}, {0, UINT64_MAX}};
/* And in each way in which they do not. */
static const struct lock_range apart[] = {{0, 10}, {20, 10}, {0, 1}, {20, 0}, {10, 0}, {0, 0}, {100, 5}};

static bool passes(struct stage *stage, unsigned column, struct lock_range range) {
    return !range_locks_obstacle(&stage->locks, column, &stage->owners[0], range);
}

TEST(locks_stand_in_the_way_as_the_table_says) {
    for (size_t row = 0; row < ARRAY_SIZE(table); row++) {
        STAGE(stage);
        require(lock(&stage, table[row].owner, table[row].kind, 10, 10), "the first lock is granted");
        for (unsigned column = 0; column < 4; column++) {
            bool expected = strcmp(table[row].cells[column], "ok") == 0;
            for (size_t i = 0; i < ARRAY_SIZE(overlapping); i++)
                require_same(passes(&stage, column, overlapping[i]), expected, "row %zu, column %u, %zu", row,
                             column, i);
            for (size_t i = 0; i < ARRAY_SIZE(apart); i++)
                require(passes(&stage, column, apart[i]), "row %zu, column %u, apart %zu", row, column, i);
        }
    }
}

/* To a stateless command everybody is another one. */
TEST(stateless_commands_own_no_locks) {
    STAGE(stage);
    struct lock_range inside = {12, 2}, outside = {100, 10};
    require_same(stateless(&stage, LOCK_ANYWHERE, inside), 0, "there are none");
    require(lock(&stage, 3, LOCK_SHARED, 10, 10), "a shared one");
    require_same(stateless(&stage, LOCK_ANYWHERE, outside), 4, "one anywhere");
    require_same(stateless(&stage, LOCK_TO_READ, inside), 0, "a read of what is shared");
    require_same(stateless(&stage, LOCK_TO_WRITE, inside), 4, "a write of what is shared");
    require(lock(&stage, 2, LOCK_EXCLUSIVE, 30, 10), "an exclusive one");
    require_same(stateless(&stage, LOCK_ANYWHERE, outside), 3, "the exclusive ones come first");
    require_same(stateless(&stage, LOCK_TO_READ, (struct lock_range){39, 1}), 3, "its end");
    require_same(stateless(&stage, LOCK_TO_READ, outside), 0, "elsewhere");
    require_same(stateless(&stage, LOCK_TO_WRITE, outside), 0, "elsewhere");
    require(unlock(&stage, 3, 10, 10) && unlock(&stage, 2, 30, 10), "both go");
    require(lock(&stage, 1, LOCK_SHARED, 0, 0), "an empty one at the start overlaps nothing");
    require_same(stateless(&stage, LOCK_ANYWHERE, outside), 2, "but is anywhere");
}

TEST(a_conflict_tells_whose_lock_it_is) {
    STAGE(stage);
    for (size_t i = 0; i < 50; i++) require(lock(&stage, i, LOCK_EXCLUSIVE, i * 10, 10), "lock %zu", i);
    for (size_t i = 0; i < 50; i++) {
        require_same(reading(&stage, 60, i * 10 + 9, 1), i + 1, "byte %zu", i * 10 + 9);
        require_same(reading(&stage, i, i * 10, 10), 0, "the owner's own");
        require_same(reading(&stage, i, i * 10, 11), i == 49 ? 0 : i + 2, "one byte of the next one");
        require_same(reading(&stage, i, 0, UINT64_MAX), i == 0 ? 2 : 1, "the first of the others'");
    }
    require(lock(&stage, 0, LOCK_SHARED, 0, 10), "shared over the owner's own exclusive one");
    require_same(writing(&stage, 0, 0, 1), 1, "its own shared lock");
    require_same(writing(&stage, 0, 0, 11), 2, "exclusive ones come first");
}

/* --- Corners --------------------------------------------------------------------------------------------- */

TEST(ranges_end_at_the_end) {
    static const struct {
        struct lock_range range;
        bool sound;
    } ends[] = {
        {{0, 0}, true},
        {{0, UINT64_MAX}, true},
        {{1, UINT64_MAX}, true}, /* ends at 2^64 */
        {{2, UINT64_MAX}, false},
        {{UINT64_MAX, 0}, true},
        {{UINT64_MAX, 1}, true},
        {{UINT64_MAX, 2}, false},
        {{UINT64_MAX, UINT64_MAX}, false},
        {{UINT64_C(1) << 63, UINT64_C(1) << 63}, true},
        {{UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1}, false},
    };
    STAGE(stage);
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        struct lock_range range = ends[i].range;
        require_same(lock_range_sound(range), ends[i].sound, "number %zu", i);
        for (unsigned kind = 0; kind < LOCK_KINDS; kind++) {
            require_same(lock(&stage, 1, kind, range.offset, range.length), ends[i].sound, "number %zu", i);
            require_same(unlock(&stage, 1, range.offset, range.length), ends[i].sound, "number %zu", i);
        }
    }
}

TEST(the_last_byte_can_be_locked) {
    STAGE(stage);
    require(lock(&stage, 0, LOCK_EXCLUSIVE, UINT64_MAX, 1), "the last byte");
    require(lock(&stage, 1, LOCK_EXCLUSIVE, 0, UINT64_MAX), "all but the last byte");
    require(!lock(&stage, 1, LOCK_SHARED, 1, UINT64_MAX), "all but the first byte");
    require_same(reading(&stage, 2, UINT64_MAX - 1, 1), 2, "the last but one");
    require_same(reading(&stage, 2, UINT64_MAX, 1), 1, "the last one");
    require_same(reading(&stage, 1, UINT64_MAX - 5, 5), 0, "own bytes");
    require_same(reading(&stage, 1, UINT64_MAX - 5, 6), 1, "and one more");
    require(lock(&stage, 3, LOCK_EXCLUSIVE, UINT64_MAX, 0), "nothing between the two");
}

TEST(empty_ranges_mind_what_is_around_them) {
    static const struct {
        struct lock_range empty, other;
        bool overlap;
    } pairs[] = {
        {{5, 0}, {0, 10}, true},
        {{5, 0}, {4, 2}, true},
        {{5, 0}, {5, 10}, false},
        {{5, 0}, {0, 5}, false},
        {{5, 0}, {5, 0}, false},
        {{5, 0}, {4, 0}, false},
        {{0, 0}, {0, 10}, false},
        {{0, 0}, {0, 0}, false},
        {{0, 0}, {0, UINT64_MAX}, false},
        {{1, 0}, {0, 2}, true},
        {{1, 0}, {0, 1}, false},
        {{UINT64_MAX, 0}, {UINT64_MAX - 1, 2}, true},
        {{UINT64_MAX, 0}, {UINT64_MAX, 1}, false},
        {{UINT64_MAX, 0}, {0, UINT64_MAX}, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        struct lock_range empty = pairs[i].empty, other = pairs[i].other;
        require_same(lock_ranges_overlap(empty, other), pairs[i].overlap, "number %zu", i);
        require_same(lock_ranges_overlap(other, empty), pairs[i].overlap, "number %zu", i);
        STAGE(stage);
        require(lock(&stage, 0, LOCK_EXCLUSIVE, other.offset, other.length), "number %zu", i);
        require_same(lock(&stage, 1, LOCK_EXCLUSIVE, empty.offset, empty.length), !pairs[i].overlap, "%zu",
                     i);
        require(unlock(&stage, 0, other.offset, other.length), "number %zu", i);
        require_same(unlock(&stage, 1, empty.offset, empty.length), !pairs[i].overlap, "number %zu", i);
        require(lock(&stage, 1, LOCK_EXCLUSIVE, empty.offset, empty.length), "number %zu", i);
        require_same(lock(&stage, 0, LOCK_SHARED, other.offset, other.length), !pairs[i].overlap, "%zu", i);
        require_same(reading(&stage, 0, other.offset, other.length) != 0, pairs[i].overlap, "number %zu", i);
    }
}

TEST(no_bytes_can_always_be_read) {
    STAGE(stage);
    require(lock(&stage, 0, LOCK_EXCLUSIVE, 0, 100), "everything");
    require_same(reading(&stage, 1, 50, 0), 0, "nothing is read in the middle");
    require_same(writing(&stage, 1, 50, 0), 0, "nothing is written in the middle");
    require_same(writing(&stage, 1, 50, 1), 1, "a byte is");
}

/* --- Several at once ------------------------------------------------------------------------------------- */

TEST(unlocks_are_exact) {
    STAGE(stage);
    require(lock(&stage, 0, LOCK_EXCLUSIVE, 10, 10), "a lock");
    require(!unlock(&stage, 0, 10, 9), "another length");
    require(!unlock(&stage, 0, 11, 10), "another offset");
    require(!unlock(&stage, 1, 10, 10), "another owner");
    require_same(stage.locks.count, 1, "it is still there");
    require(unlock(&stage, 0, 10, 10), "itself");
    require(!unlock(&stage, 0, 10, 10), "gone");
}

TEST(shared_locks_stack) {
    STAGE(stage);
    for (int i = 0; i < 3; i++) require(lock(&stage, 0, LOCK_SHARED, 10, 10), "time %d", i);
    require(lock(&stage, 1, LOCK_SHARED, 10, 10), "somebody else's");
    require_same(stage.locks.count, 2, "different ones");
    for (int i = 0; i < 3; i++) {
        require(!lock(&stage, 1, LOCK_EXCLUSIVE, 15, 1), "after %d unlocks", i);
        require(unlock(&stage, 0, 10, 10), "unlock %d", i);
    }
    require(!unlock(&stage, 0, 10, 10), "one unlock for each");
    require(unlock(&stage, 1, 10, 10), "somebody else's");
    require(lock(&stage, 1, LOCK_EXCLUSIVE, 15, 1), "nothing is left");
    require(!lock(&stage, 1, LOCK_EXCLUSIVE, 15, 1), "an exclusive one does not stack");
    require(lock(&stage, 1, LOCK_EXCLUSIVE, 7, 0) && lock(&stage, 1, LOCK_EXCLUSIVE, 7, 0),
            "an empty one is in nobody's way, not even its own");
}

TEST(an_exclusive_lock_is_unlocked_before_a_shared_one) {
    STAGE(stage);
    require(lock(&stage, 0, LOCK_EXCLUSIVE, 10, 10), "exclusive");
    require(lock(&stage, 0, LOCK_SHARED, 10, 10), "and shared");
    require_same(reading(&stage, 1, 10, 10), 1, "nobody else reads");
    struct lock_range range = {10, 10};
    require_same(range_locks_find(&stage.locks, &stage.owners[0], range)->kind, LOCK_EXCLUSIVE,
                 "the first to go");
    require(unlock(&stage, 0, 10, 10), "the exclusive one");
    require_same(reading(&stage, 1, 10, 10), 0, "others read");
    require_same(range_locks_find(&stage.locks, &stage.owners[0], range)->kind, LOCK_SHARED,
                 "the next to go");
    require(!range_locks_find(&stage.locks, &stage.owners[1], range), "others have none");
    require(unlock(&stage, 0, 10, 10), "the shared one");
}

TEST(saved_locks_come_back_with_their_count) {
    STAGE(stage);
    struct lock_request shared = request(&stage, 0, LOCK_SHARED, 0, 5), much = shared;
    require(!range_locks_add(&stage.account, &stage.locks, &shared, 0), "not even once");
    require(range_locks_add(&stage.account, &stage.locks, &shared, UINT64_MAX), "very often");
    require(!range_locks_add(&stage.account, &stage.locks, &much, 1), "more than can be counted");
    require_same(stage.owners[0].first->times == UINT64_MAX, true, "as often as before");
    struct lock_request once = request(&stage, 0, LOCK_EXCLUSIVE, 50, 5);
    require(!range_locks_add(&stage.account, &stage.locks, &once, 2), "an exclusive one is had once");
    require(range_locks_add(&stage.account, &stage.locks, &once, 1), "an exclusive one is had once");
    struct lock_request empty = request(&stage, 0, LOCK_EXCLUSIVE, 70, 0);
    require(range_locks_add(&stage.account, &stage.locks, &empty, 2), "unless it is empty");
    require(unlock(&stage, 0, 70, 0) && unlock(&stage, 0, 70, 0) && !unlock(&stage, 0, 70, 0), "two unlocks");
}

TEST(an_owner_takes_all_its_locks_along) {
    STAGE(stage);
    for (size_t i = 0; i < 300; i++)
        require(lock(&stage, i % 3, i % 2 ? LOCK_SHARED : LOCK_EXCLUSIVE, i * 4, 4), "lock %zu", i);
    require(lock(&stage, 1, LOCK_SHARED, 4, 4) && lock(&stage, 1, LOCK_SHARED, 4, 4),
            "some twice and thrice");
    require(range_locks_remove_owner(&stage.account, &stage.locks, &stage.owners[1]), "it had some");
    require(!range_locks_remove_owner(&stage.account, &stage.locks, &stage.owners[1]),
            "it has none any more");
    require_same(stage.locks.count, 200, "the others' are left");
    for (size_t i = 0; i < 300; i++)
        require_same(reading(&stage, 50, i * 4, 4), i % 2 || i % 3 == 1 ? 0 : i % 3 + 1, "range %zu", i);
}

/* --- Who is in the way ----------------------------------------------------------------------------------- */

/* The numbers of the owners that were visited. */
struct visited {
    uint64_t numbers[OWNERS];
    size_t count;
};

static bool take_visited(void *context, const struct range_lock *lock) {
    struct visited *visited = context;
    visited->numbers[visited->count++] = lock->owner->number;
    return visited->count < OWNERS;
}

static struct visited ask(struct stage *stage, size_t owner, enum lock_test test, uint64_t offset,
                          uint64_t length) {
    struct visited visited = {.count = 0};
    range_locks_visit(&stage->locks, test, &stage->owners[owner], (struct lock_range){offset, length},
                      take_visited, &visited);
    return visited;
}

TEST(all_conflicting_locks_are_visited_in_order) {
    STAGE(stage);
    for (size_t i = 0; i < 20; i++)
        require(lock(&stage, 4 - i % 5, LOCK_EXCLUSIVE, i * 10, 5), "lock %zu", i);
    struct visited some = ask(&stage, 9, LOCK_TO_SHARE, 12, 40);
    static const size_t expected[] = {4, 3, 2, 1, 5};
    require_same(some.count, ARRAY_SIZE(expected), "locks in the way");
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        require_same(some.numbers[i], expected[i], "number %zu", i);
    require_same(ask(&stage, 3, LOCK_TO_SHARE, 12, 30).count, 3,
                 "own exclusive locks are not in the way of shared ones");
    require_same(ask(&stage, 3, LOCK_TO_EXCLUDE, 12, 30).count, 4, "but of exclusive ones");
    require(lock(&stage, 7, LOCK_SHARED, 5, 5), "a shared one");
    require_same(ask(&stage, 9, LOCK_TO_SHARE, 0, 1000).count, 20, "is not in the way of shared ones");
    require_same(ask(&stage, 7, LOCK_TO_EXCLUDE, 0, 1000).count, 21, "but of its owner's exclusive one");
    require_same(ask(&stage, 9, LOCK_TO_EXCLUDE, 200, 1000).count, 0, "where nobody is");
}

/* Of an owner's locks in a row, however many, only the first is visited. */
TEST(many_locks_of_an_owner_are_one_visit) {
    STAGE(stage);
    for (size_t i = 0; i < 20000; i++) require(lock(&stage, 0, LOCK_EXCLUSIVE, i * 2, 2), "lock %zu", i);
    require(lock(&stage, 1, LOCK_EXCLUSIVE, 40000, 2), "the last one");
    for (size_t i = 0; i < 1000; i++) require(lock(&stage, 1, LOCK_SHARED, 50000 + i, 2), "shared %zu", i);
    struct visited both = ask(&stage, 5, LOCK_TO_EXCLUDE, 0, UINT64_MAX);
    require(both.count == 2 && both.numbers[1] == 2, "%zu visits", both.count);
    require_same(ask(&stage, 0, LOCK_TO_SHARE, 0, UINT64_MAX).count, 1, "the last one");
    struct visited early = ask(&stage, 5, LOCK_TO_SHARE, 1, 1);
    require(early.count == 1, "what begins behind the range is not visited");
}
