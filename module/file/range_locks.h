/* The byte-range locks of one file.
 *
 *     file: range_locks ─▶ tree of exclusive locks     each in the order of ranges
 *                       ─▶ tree of shared locks
 *     handle: lock_owner ─▶ lock ⇄ lock ⇄ lock         those of one owner, in the order in which they came
 *
 * The rules:
 *   - The owner of a lock is a handle. Two handles of one session are strangers.
 *   - A range is [offset, offset + length), and may end at 2^64, never behind it. It may lie behind the end of the file.
 *   - Ranges overlap when each begins before the other one ends. That holds for empty ranges, too: one at X overlaps
 *     what begins before X and ends behind it, and one at 0 nothing.
 *   - An exclusive lock is granted where nothing overlaps, the owner's own included; a shared one where no other owner's
 *     exclusive lock does.
 *   - To read is refused by others' exclusive locks, to write by these and by every shared one, the owner's own
 *     included. To read or write no bytes is never refused.
 *   - Locks are recursive: each LOCK needs an UNLOCK of its own. An unlock names offset and length exactly, and
 *     takes the exclusive one first.
 *
 * Every question and change costs the logarithm of the number of locks, and what concerns one owner does not walk the
 * locks of others. Which handle may lock at all, who waits, and in which order, is for others to say. */
#ifndef HOLDFAST_RANGE_LOCKS_H
#define HOLDFAST_RANGE_LOCKS_H

#include "core/account.h"
#include "core/relocation.h"

#include <stdint.h>

struct range_lock;

/* Part of the handle. */
struct lock_owner {
    uint64_t number; /* no other owner of locks in the file has it; decides the order of equal ranges */
    struct range_lock *first, *last;
};

enum lock_kind { LOCK_EXCLUSIVE, LOCK_SHARED, LOCK_KINDS };

struct lock_range {
    uint64_t offset;
    uint64_t length;
};

/* A struct of zeros has no locks. */
struct range_locks {
    struct range_lock *trees[LOCK_KINDS];
    size_t count; /* of different ones: had several times, they count once */
};

/* How far the locks of a tree reach. */
struct lock_reach {
    uint64_t last;        /* the greatest last byte */
    uint64_t owner;       /* whose it is */
    uint64_t others_last; /* the greatest one of anybody else */
    uint8_t owners;       /* 0: there are no bytes; 1: they are all of that owner; 2: of others, too */
};

struct range_lock {
    struct lock_range range;
    struct lock_owner *owner;
    struct range_lock *previous, *next; /* of the owner's */
    uint64_t times;                     /* how often it is had */
    /* The tree's own: */
    struct range_lock *below[2];
    struct lock_reach reach; /* of those below, and itself */
    uint8_t height;
    uint8_t kind; /* enum lock_kind */
};

struct lock_request {
    struct lock_owner *owner;
    enum lock_kind kind;
    struct lock_range range;
};

/* --- Ranges --- */

/* Whether it ends at 2^64 or before. */
bool lock_range_sound(struct lock_range range);
bool lock_ranges_overlap(struct lock_range a, struct lock_range b);

/* --- To ask: what stands in the way, or NULL; of several the first one in order --- */

/* The range is sound. */
const struct range_lock *range_locks_obstacle(const struct range_locks *locks,
                                              const struct lock_request *request);

/* The owner is NULL for a stateless command, to which all locks are others'. */
const struct range_lock *range_locks_reading(const struct range_locks *locks, const struct lock_owner *owner,
                                             struct lock_range range);
const struct range_lock *range_locks_writing(const struct range_locks *locks, const struct lock_owner *owner,
                                             struct lock_range range);

/* Any lock, wherever it lies: what a stateless write minds. */
const struct range_lock *range_locks_any(const struct range_locks *locks);

/* The lock that an unlock would take; NULL when the owner has none of this range. */
const struct range_lock *range_locks_find(const struct range_locks *locks, const struct lock_owner *owner,
                                          struct lock_range range);

/* All owners whose locks stand in the way of a request, each one once, in the order of their first locks. The one who
 * asks is among them when its own locks do. */
enum { LOCK_OBSTACLES_MAX = 64, LOCK_OBSTACLES_LOOKED_AT = 4096 };

struct lock_obstacles {
    struct lock_owner *owners[LOCK_OBSTACLES_MAX];
    unsigned count;
    bool cut; /* there may be more: the room or the work that was allowed is used up */
};

void range_locks_obstacles(const struct range_locks *locks, const struct lock_request *request,
                           struct lock_obstacles *obstacles);

/* Likewise of a write. A read has the obstacles of a shared lock, if it is of any bytes; its owner may be NULL, too. */
void range_locks_writing_obstacles(const struct range_locks *locks, const struct lock_owner *owner,
                                   struct lock_range range, struct lock_obstacles *obstacles);

/* --- To change --- */

/* So many times, which is 1 for all but files that bring back what was had. False, and nothing done, when the range is
 * not sound or something stands in the way, which may be the lock itself, the second time. */
bool range_locks_add(struct account *account, struct range_locks *locks, const struct lock_request *request,
                     uint64_t times);

/* False, and nothing done, when there is no such lock. */
bool range_locks_remove(struct account *account, struct range_locks *locks, struct lock_owner *owner,
                        struct lock_range range);

/* All that the owner has; answers whether there were any. */
bool range_locks_remove_owner(struct account *account, struct range_locks *locks, struct lock_owner *owner);

/* All that there are, without a look at their owners, who may be gone; those who are not must not be used any more. */
void range_locks_end(struct account *account, struct range_locks *locks);

/* --- To walk --- */

/* First the exclusive ones, then the shared ones, both by offset, length and owner's number: the same for all who hold
 * the same locks, however they came to. To add them in this order, each as often as it is had, is never refused;
 * nor is it owner by owner, and the locks of each as they came. NULL starts; NULL ends. */
const struct range_lock *range_locks_next(const struct range_locks *locks, const struct range_lock *lock);

static inline const struct range_lock *lock_owner_next(const struct lock_owner *owner,
                                                       const struct range_lock *lock) {
    return lock ? lock->next : owner->first;
}

/* --- Memory --- */

/* After the owner has moved: its locks are told. */
void lock_owner_moved(struct lock_owner *owner);

/* Moves all locks; their owners are there, and learn of it. */
void range_locks_relocate(struct range_locks *locks, const struct relocation *relocation);

#endif
