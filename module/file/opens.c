#include "file/opens.h"

enum { LOOKED_AT_MAX = 4096 };

struct usage_view usage_view(const struct file_usage *usage, bool exact, int64_t now_ms) {
    struct usage_view view = {.pending = false};
    if (!usage) return view;
    view.tally = usage->tally;
    view.pending = usage->pending;
    if (exact) return view;
    const struct open_group *group;
    list_for_each (&usage->groups, group, of_usage) {
        if (!session_has_ended(group->session, now_ms)) continue;
        sharing_subtract(&view.tally, &group->tally);
        if (group->deleting) view.pending = true;
    }
    view.gone = view.pending && !view.tally.opens;
    return view;
}

bool usage_has_ended_handles(const struct file_usage *usage, int64_t now_ms) {
    const struct open_group *group;
    list_for_each (&usage->groups, group, of_usage)
        if (session_has_ended(group->session, now_ms)) return true;
    return false;
}

/* --- Conflicting handles --- */

struct search {
    struct sharing wanted; /* unless has_class */
    bool has_class;
    enum sharing_class class;
    visit_open *visit;
    void *context;
};

static bool conflicts(const struct search *search, struct sharing open) {
    if (search->has_class) return !sharing_class_fits_open(search->class, open);
    return !sharing_fits(search->wanted, open);
}

static void visit_conflicting(const struct file_usage *usage, const struct search *search, int64_t now_ms) {
    const struct open_group *group;
    const struct file_open *open;
    int left = LOOKED_AT_MAX;
    list_for_each (&usage->groups, group, of_usage) {
        if (!left--) return;
        if (session_has_ended(group->session, now_ms)) continue;
        list_for_each (&group->opens, open, among) {
            if (!left--) return;
            if (conflicts(search, open->sharing) && !search->visit(search->context, open)) return;
        }
    }
}

static bool opens_take_first(void *context, const struct file_open *open) {
    *(const struct file_open **)context = open;
    return false;
}

const struct file_open *usage_obstacle(const struct file_usage *usage, struct sharing wanted,
                                       int64_t now_ms) {
    const struct file_open *found = NULL;
    visit_conflicting(usage, &(struct search){.wanted = wanted, .visit = opens_take_first, .context = &found},
                      now_ms);
    return found;
}

const struct file_open *usage_class_obstacle(const struct file_usage *usage, enum sharing_class class,
                                             int64_t now_ms) {
    const struct file_open *found = NULL;
    visit_conflicting(
        usage,
        &(struct search){.has_class = true, .class = class, .visit = opens_take_first, .context = &found},
        now_ms);
    return found;
}

void usage_obstacles(const struct file_usage *usage, struct sharing wanted, int64_t now_ms, visit_open *visit,
                     void *context) {
    visit_conflicting(usage, &(struct search){.wanted = wanted, .visit = visit, .context = context}, now_ms);
}

/* --- Locks --- */

static const struct range_lock *find_conflict(const struct range_locks *locks, struct lock_owner *owner,
                                              enum lock_test test, struct lock_range range) {
    struct lock_request request = {owner, test == LOCK_SHARING ? LOCK_SHARED : LOCK_EXCLUSIVE, range};
    switch (test) {
    case LOCK_READING: return range_locks_reading(locks, owner, range);
    case LOCK_WRITING: return range_locks_writing(locks, owner, range);
    case LOCK_ANY: return range_locks_any(locks);
    default: return range_locks_obstacle(locks, &request);
    }
}

/* The same for a single lock. */
static bool lock_conflicts(const struct range_lock *lock, const struct lock_owner *owner, enum lock_test test,
                           struct lock_range range) {
    bool others = lock->owner != owner, exclusive = lock->kind == LOCK_EXCLUSIVE;
    if (test == LOCK_ANY) return true;
    if (!range.length && test <= LOCK_WRITING) return false;
    if (!lock_ranges_overlap(lock->range, range)) return false;
    switch (test) {
    case LOCK_WRITING: return others || !exclusive;
    case LOCK_EXCLUDING: return true;
    default: return others && exclusive;
    }
}

/* A lock of a session that has not ended and conflicts with reading. `cut`: the bounded work did not see all owners. */
static const struct range_lock *reading_obstacle(const struct file_usage *usage, struct lock_owner *owner,
                                                 struct lock_range range, int64_t now_ms, bool *cut) {
    struct lock_request request = {owner, LOCK_SHARED, range};
    struct lock_obstacles obstacles;
    range_locks_obstacles(&usage->locks, &request, &obstacles);
    *cut = obstacles.cut;
    for (unsigned i = 0; i < obstacles.count; i++)
        if (!session_has_ended(open_of_owner(obstacles.owners[i])->group->session, now_ms))
            return obstacles.owners[i]->first;
    return NULL;
}

/* Visits all locks, skipping those of sessions that have ended. */
static const struct range_lock *lock_that_counts(const struct file_usage *usage, struct lock_owner *owner,
                                                 enum lock_test test, struct lock_range range,
                                                 int64_t now_ms) {
    const struct range_lock *lock = NULL;
    while ((lock = range_locks_next(&usage->locks, lock))) {
        if (session_has_ended(open_of_owner(lock->owner)->group->session, now_ms)) continue;
        if (lock_conflicts(lock, owner, test, range)) return lock;
    }
    return NULL;
}

const struct range_lock *usage_lock(const struct file_usage *usage, struct lock_owner *owner,
                                    enum lock_test test, struct lock_range range, bool exact,
                                    int64_t now_ms) {
    if (!usage || !usage->locks.count) return NULL;
    const struct range_lock *lock = find_conflict(&usage->locks, owner, test, range);
    if (!lock || exact || !session_has_ended(open_of_owner(lock->owner)->group->session, now_ms)) return lock;
    if (test == LOCK_READING) {
        bool cut;
        lock = reading_obstacle(usage, owner, range, now_ms, &cut);
        if (lock || !cut) return lock;
    }
    return lock_that_counts(usage, owner, test, range, now_ms);
}
