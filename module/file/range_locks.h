/* The byte-range locks of one file.
 *
 *     file: range_locks ─▶ tree of exclusive locks     both sorted by range
 *                       ─▶ tree of shared locks
 *     handle: lock_owner ─▶ lock ⇄ lock ⇄ lock         the locks of one owner, in the order of locking
 *
 * The rules:
 *   - The owner of a lock is a handle. Two handles of one session are different owners.
 *   - A range is [offset, offset + length). It ends at 2^64 or before, and may lie beyond the end of the file.
 *   - Ranges overlap if each begins before the other one ends. So an empty range at X overlaps ranges that begin before
 *     X and end after it, and one at 0 overlaps nothing.
 *   - An exclusive lock is granted if no lock overlaps, not even one of the same owner; a shared lock if no exclusive
 *     lock of another owner overlaps.
 *   - Reads conflict with exclusive locks of others; writes conflict with those and with every shared lock, including
 *     the owner's own. Reading or writing no bytes never conflicts.
 *   - Locks are recursive: each LOCK needs its own UNLOCK, with exactly the same offset and length. UNLOCK releases the
 *     exclusive lock first.
 *
 * Queries and changes take logarithmic time, and operations on one owner do not visit the locks of others. The caller
 * decides which handle may lock, who waits, and in which order. */
#ifndef HOLDFAST_RANGE_LOCKS_H
#define HOLDFAST_RANGE_LOCKS_H

#include "core/account.h"

#include <stdint.h>

struct range_lock;

/* Embedded in a handle. */
struct lock_owner {
    uint64_t number; /* unique among the lock owners of a file; orders equal ranges */
    struct range_lock *first, *last;
};

enum lock_kind { LOCK_EXCLUSIVE, LOCK_SHARED, LOCK_KINDS };

struct lock_range {
    uint64_t offset;
    uint64_t length;
};

/* A zeroed struct has no locks. */
struct range_locks {
    struct range_lock *trees[LOCK_KINDS];
    size_t count; /* number of distinct locks; recursion does not count */
};

struct range_lock {
    struct lock_range range;
    struct lock_owner *owner;
    struct range_lock *previous, *next; /* of the same owner */
    uint64_t times;                     /* recursion count */
    /* For the tree: */
    struct range_lock *below[2];
    uint64_t last;                       /* greatest last byte of the subtree, which includes this lock */
    const struct lock_owner *sole_owner; /* of all locks of the subtree; NULL if there are several */
    uint8_t height;
    uint8_t kind; /* enum lock_kind */
};

struct lock_request {
    struct lock_owner *owner;
    enum lock_kind kind;
    struct lock_range range;
};

/* --- Ranges --- */

/* Whether the range ends at 2^64 or before. */
bool lock_range_sound(struct lock_range range);
bool lock_ranges_overlap(struct lock_range a, struct lock_range b);

/* --- Queries --- */

/* What a caller wants to do with a range, and locks may forbid. */
enum lock_test {
    LOCK_TO_READ,
    LOCK_TO_WRITE,
    LOCK_TO_SHARE,   /* to add a shared lock */
    LOCK_TO_EXCLUDE, /* to add an exclusive lock */
    LOCK_ANYWHERE,   /* a stateless write: any lock conflicts, wherever it lies */
};

static inline enum lock_test lock_test_of(enum lock_kind kind) {
    return kind == LOCK_SHARED ? LOCK_TO_SHARE : LOCK_TO_EXCLUDE;
}

/* Visits the locks that conflict: first the exclusive ones, then the shared ones, both by offset, length and owner's
 * number; of locks of one owner in a row only the first one. Returning false ends the visit. The range must be valid.
 * The owner is NULL for a stateless command, which conflicts with everybody's locks. */
typedef bool visit_lock(void *context, const struct range_lock *lock);
void range_locks_visit(const struct range_locks *locks, enum lock_test test, const struct lock_owner *owner,
                       struct lock_range range, visit_lock *visit, void *context);

/* The first one of these; NULL for none. */
const struct range_lock *range_locks_obstacle(const struct range_locks *locks, enum lock_test test,
                                              const struct lock_owner *owner, struct lock_range range);

/* The lock that an unlock would release; NULL when the owner has none on this range. */
const struct range_lock *range_locks_find(const struct range_locks *locks, const struct lock_owner *owner,
                                          struct lock_range range);

/* --- Changes --- */

/* Adds a lock with this recursion count, which is 1 unless a file restores it. False, and nothing done, when the range
 * is not valid or a lock conflicts; an exclusive lock conflicts with itself. */
bool range_locks_add(struct account *account, struct range_locks *locks, const struct lock_request *request,
                     uint64_t times);

/* False, and nothing done, when there is no such lock. */
bool range_locks_remove(struct account *account, struct range_locks *locks, struct lock_owner *owner,
                        struct lock_range range);

/* Removes all locks of the owner; returns whether there were any. */
bool range_locks_remove_owner(struct account *account, struct range_locks *locks, struct lock_owner *owner);

/* --- Walk --- */

/* The owner's next lock, in the order of locking; NULL starts and ends. The locks of all owners can be added again
 * owner by owner, in this order and with their recursion counts. */
static inline const struct range_lock *lock_owner_next(const struct lock_owner *owner,
                                                       const struct range_lock *lock) {
    return lock ? lock->next : owner->first;
}

#endif
