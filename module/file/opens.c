#include "file/opens.h"

enum { LOOKED_AT_MAX = 4096 };

void tally_take(struct sharing_tally *tally, const struct sharing_tally *part) {
    tally->opens -= part->opens;
    tally->data_opens -= part->data_opens;
    for (int bit = 0; bit < SHARING_BITS; bit++) {
        tally->access[bit] -= part->access[bit];
        tally->denied[bit] -= part->denied[bit];
    }
}

struct life_view life_view(const struct file_life *life, bool exact, int64_t now_ms) {
    struct life_view view = {.pending = false};
    if (!life) return view;
    view.tally = life->tally;
    view.pending = life->pending;
    if (exact) return view;
    const struct open_group *group;
    list_for_each (&life->groups, group, of_life) {
        if (!session_is_over(group->session, now_ms)) continue;
        tally_take(&view.tally, &group->tally);
        if (group->deleting) view.pending = true;
    }
    view.gone = view.pending && !view.tally.opens;
    return view;
}

bool life_has_over(const struct file_life *life, int64_t now_ms) {
    const struct open_group *group;
    list_for_each (&life->groups, group, of_life)
        if (session_is_over(group->session, now_ms)) return true;
    return false;
}

/* --- Who stands in the way --- */

struct search {
    struct sharing wanted; /* if no class is asked about */
    bool has_class;
    enum sharing_class class;
    visit_open *visit;
    void *context;
};

static bool stands_in_the_way(const struct search *search, struct sharing open) {
    if (search->has_class) return !sharing_class_fits_open(search->class, open);
    return !sharing_fits(search->wanted, open);
}

static void look(const struct file_life *life, const struct search *search, int64_t now_ms) {
    const struct open_group *group;
    const struct file_open *open;
    int left = LOOKED_AT_MAX;
    list_for_each (&life->groups, group, of_life) {
        if (!left--) return;
        if (session_is_over(group->session, now_ms)) continue;
        list_for_each (&group->opens, open, among) {
            if (!left--) return;
            if (stands_in_the_way(search, open->sharing) && !search->visit(search->context, open)) return;
        }
    }
}

static bool opens_take_first(void *context, const struct file_open *open) {
    *(const struct file_open **)context = open;
    return false;
}

const struct file_open *life_obstacle(const struct file_life *life, struct sharing wanted, int64_t now_ms) {
    const struct file_open *found = NULL;
    look(life, &(struct search){.wanted = wanted, .visit = opens_take_first, .context = &found}, now_ms);
    return found;
}

const struct file_open *life_class_obstacle(const struct file_life *life, enum sharing_class class,
                                            int64_t now_ms) {
    const struct file_open *found = NULL;
    look(life,
         &(struct search){.has_class = true, .class = class, .visit = opens_take_first, .context = &found},
         now_ms);
    return found;
}

void life_obstacles(const struct file_life *life, struct sharing wanted, int64_t now_ms, visit_open *visit,
                    void *context) {
    look(life, &(struct search){.wanted = wanted, .visit = visit, .context = context}, now_ms);
}

/* --- Locks --- */

static const struct range_lock *ask(const struct range_locks *locks, struct lock_owner *owner,
                                    enum lock_question question, struct lock_range range) {
    struct lock_request request = {owner, question == LOCK_SHARING ? LOCK_SHARED : LOCK_EXCLUSIVE, range};
    switch (question) {
    case LOCK_READING: return range_locks_reading(locks, owner, range);
    case LOCK_WRITING: return range_locks_writing(locks, owner, range);
    case LOCK_ANY: return range_locks_any(locks);
    default: return range_locks_obstacle(locks, &request);
    }
}

/* The same for one lock alone. */
static bool lock_stands(const struct range_lock *lock, const struct lock_owner *owner,
                        enum lock_question question, struct lock_range range) {
    bool others = lock->owner != owner, exclusive = lock->kind == LOCK_EXCLUSIVE;
    if (question == LOCK_ANY) return true;
    if (!range.length && question <= LOCK_WRITING) return false;
    if (!lock_ranges_overlap(lock->range, range)) return false;
    switch (question) {
    case LOCK_WRITING: return others || !exclusive;
    case LOCK_EXCLUDING: return true;
    default: return others && exclusive;
    }
}

/* Whose locks are in the way of reading, each once, as far as bounded work shows them: one that counts, if there is. */
static const struct range_lock *reading_obstacle(const struct file_life *life, struct lock_owner *owner,
                                                 struct lock_range range, int64_t now_ms, bool *cut) {
    struct lock_request request = {owner, LOCK_SHARED, range};
    struct lock_obstacles obstacles;
    range_locks_obstacles(&life->locks, &request, &obstacles);
    *cut = obstacles.cut;
    for (unsigned i = 0; i < obstacles.count; i++)
        if (!session_is_over(open_of_owner(obstacles.owners[i])->group->session, now_ms))
            return obstacles.owners[i]->first;
    return NULL;
}

/* Where sessions may be over, their locks are passed over. */
static const struct range_lock *lock_that_counts(const struct file_life *life, struct lock_owner *owner,
                                                 enum lock_question question, struct lock_range range,
                                                 int64_t now_ms) {
    const struct range_lock *lock = NULL;
    while ((lock = range_locks_next(&life->locks, lock))) {
        if (session_is_over(open_of_owner(lock->owner)->group->session, now_ms)) continue;
        if (lock_stands(lock, owner, question, range)) return lock;
    }
    return NULL;
}

const struct range_lock *life_lock(const struct file_life *life, struct lock_owner *owner,
                                   enum lock_question question, struct lock_range range, bool exact,
                                   int64_t now_ms) {
    if (!life || !life->locks.count) return NULL;
    const struct range_lock *lock = ask(&life->locks, owner, question, range);
    if (!lock || exact || !session_is_over(open_of_owner(lock->owner)->group->session, now_ms)) return lock;
    if (question == LOCK_READING) {
        bool cut;
        lock = reading_obstacle(life, owner, range, now_ms, &cut);
        if (lock || !cut) return lock;
    }
    return lock_that_counts(life, owner, question, range, now_ms);
}
