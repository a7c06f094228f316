#include "file/usage.h"

struct usage_view usage_view(const struct file_usage *usage, bool exact, int64_t now_ms) {
    struct usage_view view = {.pending = false};
    if (!usage) return view;
    view.tally = usage->tally;
    view.pending = usage->pending;
    if (exact) return view; /* not gone: what is pending is removed with its last handle */
    const struct handle_group *group;
    list_for_each (&usage->groups, group, of_usage) {
        if (!session_has_ended(group->session, now_ms)) continue;
        sharing_subtract(&view.tally, &group->tally);
        if (group->deleting) view.pending = true;
    }
    view.gone = view.pending && !view.tally.handles;
    return view;
}

struct file_fate usage_fate(const struct file_usage *usage, bool exact, int64_t now_ms) {
    if (!usage || !usage_may_be_deleted(usage)) return (struct file_fate){false, false};
    struct usage_view view = usage_view(usage, exact, now_ms);
    return (struct file_fate){view.pending, view.gone};
}

struct file_node *group_gone_file(const struct handle_group *group, int64_t now_ms) {
    const struct file_usage *usage = group->usage;
    bool first = usage && list_top(&usage->groups, struct handle_group, of_usage) == group;
    return first && usage_fate(usage, false, now_ms).gone ? usage->node : NULL;
}

/* --- Conflicting handles --- */

static bool is_one_left(unsigned *left) {
    if (!*left) return false;
    --*left;
    return true;
}

void usage_obstacles(const struct file_usage *usage, struct sharing wanted, int64_t now_ms, unsigned *left,
                     visit_handle *visit, void *context) {
    const struct handle_group *group;
    const struct file_handle *handle;
    list_for_each (&usage->groups, group, of_usage) {
        if (!is_one_left(left)) return;
        if (session_has_ended(group->session, now_ms)) continue;
        list_for_each (&group->handles, handle, among) {
            if (!is_one_left(left)) return;
            if (!sharing_fits(wanted, handle->sharing) && !visit(context, handle)) return;
        }
    }
}

enum { LOOKED_AT_MAX = 4096 };

static bool take_first_handle(void *context, const struct file_handle *handle) {
    *(const struct file_handle **)context = handle;
    return false;
}

const struct file_handle *usage_obstacle(const struct file_usage *usage, struct sharing wanted,
                                         int64_t now_ms) {
    const struct file_handle *found = NULL;
    unsigned left = LOOKED_AT_MAX;
    usage_obstacles(usage, wanted, now_ms, &left, take_first_handle, &found);
    return found;
}

/* --- Locks --- */

struct counting_lock {
    int64_t now_ms;
    const struct range_lock *found;
};

static bool find_counting_lock(void *context, const struct range_lock *lock) {
    struct counting_lock *counting = context;
    if (session_has_ended(handle_of_lock(lock)->group->session, counting->now_ms)) return true;
    counting->found = lock;
    return false;
}

const struct range_lock *usage_lock(const struct file_usage *usage, enum lock_test test,
                                    const struct lock_owner *owner, struct lock_range range, int64_t now_ms) {
    struct counting_lock counting = {now_ms, NULL};
    if (usage && usage->locks.count)
        range_locks_visit(&usage->locks, test, owner, range, find_counting_lock, &counting);
    return counting.found;
}
