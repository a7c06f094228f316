#include "file/usage.h"

enum { LOOKED_AT_MAX = 4096 };

struct usage_view usage_view(const struct file_usage *usage, bool exact, int64_t now_ms) {
    struct usage_view view = {.pending = false};
    if (!usage) return view;
    view.tally = usage->tally;
    view.pending = usage->pending;
    if (exact) return view;
    const struct handle_group *group;
    list_for_each (&usage->groups, group, of_usage) {
        if (!session_has_ended(group->session, now_ms)) continue;
        sharing_subtract(&view.tally, &group->tally);
        if (group->deleting) view.pending = true;
    }
    view.gone = view.pending && !view.tally.handles;
    return view;
}

struct file_node *group_gone_file(const struct handle_group *group, int64_t now_ms) {
    const struct file_usage *usage = group->usage;
    bool first = usage && list_top(&usage->groups, struct handle_group, of_usage) == group;
    return first && usage_view(usage, false, now_ms).gone ? usage->node : NULL;
}

bool usage_has_ended_handles(const struct file_usage *usage, int64_t now_ms) {
    const struct handle_group *group;
    list_for_each (&usage->groups, group, of_usage)
        if (session_has_ended(group->session, now_ms)) return true;
    return false;
}

/* --- Conflicting handles --- */

void usage_obstacles(const struct file_usage *usage, struct sharing wanted, int64_t now_ms,
                     visit_handle *visit, void *context) {
    const struct handle_group *group;
    const struct file_handle *handle;
    int left = LOOKED_AT_MAX;
    list_for_each (&usage->groups, group, of_usage) {
        if (!left--) return;
        if (session_has_ended(group->session, now_ms)) continue;
        list_for_each (&group->handles, handle, among) {
            if (!left--) return;
            if (!sharing_fits(wanted, handle->sharing) && !visit(context, handle)) return;
        }
    }
}

static bool take_first_handle(void *context, const struct file_handle *handle) {
    *(const struct file_handle **)context = handle;
    return false;
}

const struct file_handle *usage_obstacle(const struct file_usage *usage, struct sharing wanted,
                                         int64_t now_ms) {
    const struct file_handle *found = NULL;
    usage_obstacles(usage, wanted, now_ms, take_first_handle, &found);
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
