#include "share_model.h"

#include "open_model.h"

#include <string.h>

/* --- The tree --- */

void share_model_start(struct share_model *model) {
    memset(model, 0, sizeof(*model));
    model->nodes[0] = (struct model_node){.kind = MODEL_DIRECTORY, .parent = NOBODY};
}

static int child_of(const struct share_model *model, int parent, char name) {
    for (int i = 1; i < MODEL_NODES; i++) {
        const struct model_node *node = &model->nodes[i];
        if (node->kind && node->parent == parent && node->name == name) return i;
    }
    return NOBODY;
}

struct model_place share_model_find(const struct share_model *model, const char *names) {
    int parent = 0;
    for (; names[1]; names++) {
        parent = child_of(model, parent, names[0]);
        if (parent == NOBODY || model->nodes[parent].kind != MODEL_DIRECTORY)
            return (struct model_place){NOBODY, NOBODY, 0};
    }
    return (struct model_place){parent, child_of(model, parent, names[0]), names[0]};
}

struct bytes share_model_path(const struct share_model *model, int node, char *room) {
    size_t at = MODEL_PATH_BYTES;
    for (; node > 0; node = model->nodes[node].parent) {
        if (at < MODEL_PATH_BYTES) room[--at] = '/';
        room[--at] = model->nodes[node].name;
    }
    return bytes_of(room + at, MODEL_PATH_BYTES - at);
}

static int free_node(const struct share_model *model) {
    for (int i = 1; i < MODEL_NODES; i++)
        if (!model->nodes[i].kind) return i;
    return NOBODY;
}

bool share_model_has_room(const struct share_model *model) {
    return free_node(model) != NOBODY;
}

static bool is_file(const struct share_model *model, int node) {
    return node != NOBODY && model->nodes[node].kind == MODEL_FILE;
}

static bool is_within(const struct share_model *model, int node, int above) {
    while (node != NOBODY && node != above) node = model->nodes[node].parent;
    return node == above;
}

static void add_node(struct share_model *model, struct model_place place, enum share_model_kind kind,
                     uint64_t length) {
    model->nodes[free_node(model)] =
        (struct model_node){.kind = kind, .parent = place.parent, .name = place.name, .length = length};
}

/* --- Handles --- */

static void drop_locks(struct share_model *model, int handle) {
    for (int i = 0; i < MODEL_LOCKS; i++)
        if (model->locks[i].handle == handle) model->locks[i].times = 0;
}

static void detach(struct share_model *model, int handle) {
    drop_locks(model, handle);
    model->handles[handle].node = NOBODY;
}

static void remove_node(struct share_model *model, int node) {
    for (int i = 0; i < MODEL_HANDLES; i++)
        if (model->handles[i].is_there && model->handles[i].node == node) detach(model, i);
    model->nodes[node].kind = MODEL_NOTHING;
}

static bool is_open(const struct share_model *model, int node) {
    for (int i = 0; i < MODEL_HANDLES; i++)
        if (model->handles[i].is_there && model->handles[i].node == node) return true;
    return false;
}

/* Somebody has left the file. */
static void remove_if_due(struct share_model *model, int node) {
    if (model->nodes[node].pending && !is_open(model, node)) remove_node(model, node);
}

bool share_model_open(struct share_model *model, struct model_place place, int handle,
                      const struct model_handle *as) {
    const struct model_session *session = &model->sessions[as->session];
    if (!is_file(model, place.node) || !session->is_there || session->ended) return false;
    if (model->handles[handle].is_there) return false;
    model->handles[handle] = *as;
    model->handles[handle].is_there = true;
    model->handles[handle].node = place.node;
    return true;
}

bool share_model_close(struct share_model *model, int handle) {
    struct model_handle was = model->handles[handle];
    if (!was.is_there) return false;
    drop_locks(model, handle);
    model->handles[handle].is_there = false;
    if (was.node == NOBODY) return true;
    if (was.deletes) model->nodes[was.node].pending = true;
    remove_if_due(model, was.node);
    return true;
}

/* --- Nodes --- */

bool share_model_create(struct share_model *model, struct model_place place, enum share_model_kind kind,
                        uint64_t length) {
    if (place.node != NOBODY) {
        if (kind != MODEL_FILE || !is_file(model, place.node)) return false;
        model->nodes[place.node].length = length;
        return true;
    }
    if (place.parent == NOBODY) return false;
    add_node(model, place, kind, length);
    return true;
}

bool share_model_remove(struct share_model *model, struct model_place place, enum share_model_kind kind) {
    if (place.node == NOBODY || model->nodes[place.node].kind != kind) return false;
    for (int i = 1; i < MODEL_NODES; i++)
        if (model->nodes[i].kind && model->nodes[i].parent == place.node) return false;
    remove_node(model, place.node);
    return true;
}

bool share_model_copy(struct share_model *model, struct model_place from, struct model_place to) {
    if (!is_file(model, from.node)) return false;
    return share_model_create(model, to, MODEL_FILE, model->nodes[from.node].length);
}

/* What stands at the goal stays the file that its handles have open, and becomes what the other one was. */
static void replace(struct share_model *model, int node, int there) {
    struct model_node *goal = &model->nodes[there], *source = &model->nodes[node];
    goal->length = source->length;
    if (goal->lease != LEASE_HELD && source->lease == LEASE_HELD) {
        goal->lease = source->lease;
        goal->token = source->token;
    }
    remove_node(model, node);
}

bool share_model_rename(struct share_model *model, struct model_place from, struct model_place to) {
    if (from.node == NOBODY || to.parent == NOBODY || is_within(model, to.parent, from.node)) return false;
    bool replaces = to.node != NOBODY && to.node != from.node;
    if (replaces && !(is_file(model, from.node) && is_file(model, to.node))) return false;
    if (replaces) {
        replace(model, from.node, to.node);
        return true;
    }
    model->nodes[from.node].parent = to.parent;
    model->nodes[from.node].name = to.name;
    return true;
}

bool share_model_lease(struct share_model *model, struct model_place place, enum lease_kind lease,
                       version token) {
    if (!is_file(model, place.node)) return false;
    for (int i = 1; i < MODEL_NODES; i++) {
        const struct model_node *node = &model->nodes[i];
        bool stands = node->kind == MODEL_FILE && node->lease != LEASE_FREE;
        if (i != place.node && stands && node->token == token) return false;
    }
    model->nodes[place.node].lease = lease;
    model->nodes[place.node].token = token;
    return true;
}

/* Handles of sessions that were told to end are taken from the file, as if they were closed. */
bool share_model_settle(struct share_model *model, struct model_place place) {
    if (!is_file(model, place.node)) return false;
    struct model_node *node = &model->nodes[place.node];
    if (node->lease == LEASE_FREE && !is_open(model, place.node)) return false;
    for (int i = 0; i < MODEL_HANDLES; i++) {
        const struct model_handle *handle = &model->handles[i];
        if (!handle->is_there || handle->node != place.node || !model->sessions[handle->session].ended)
            continue;
        if (handle->deletes) node->pending = true;
        detach(model, i);
    }
    remove_if_due(model, place.node);
    return true;
}

/* --- Sessions --- */

bool share_model_connect(struct share_model *model, int session, int64_t due_ms) {
    if (model->sessions[session].is_there) return false;
    model->sessions[session] = (struct model_session){.is_there = true, .due_ms = due_ms};
    return true;
}

static bool has_handles(const struct share_model *model, int session, bool of_files) {
    for (int i = 0; i < MODEL_HANDLES; i++) {
        const struct model_handle *handle = &model->handles[i];
        if (handle->is_there && handle->session == session && (!of_files || handle->node != NOBODY))
            return true;
    }
    return false;
}

bool share_model_end_session(struct share_model *model, int session) {
    if (!model->sessions[session].is_there) return false;
    bool again = model->sessions[session].ended;
    model->sessions[session].ended = true;
    if (!again && !has_handles(model, session, false)) model->sessions[session].is_there = false;
    return true;
}

bool share_model_sweep(struct share_model *model, int session) {
    if (!model->sessions[session].is_there) return true;
    if (!model->sessions[session].ended) return false;
    for (int i = 0; i < MODEL_HANDLES; i++)
        if (model->handles[i].session == session) share_model_close(model, i);
    model->sessions[session].is_there = false;
    return true;
}

void share_model_reload(struct share_model *model) {
    for (int i = 0; i < MODEL_HANDLES; i++)
        if (model->handles[i].node == NOBODY) model->handles[i].is_there = false;
    for (int i = 0; i < MODEL_SESSIONS; i++)
        if (model->sessions[i].ended && !has_handles(model, i, true)) model->sessions[i].is_there = false;
}

void share_model_twin(struct share_model *model) {
    for (int i = 0; i < MODEL_SESSIONS; i++) {
        share_model_end_session(model, i);
        share_model_sweep(model, i);
    }
    for (int i = 1; i < MODEL_NODES; i++) model->nodes[i].lease = LEASE_FREE;
}

/* --- Locks --- */

static bool is_same_range(struct lock_range a, struct lock_range b) {
    return a.offset == b.offset && a.length == b.length;
}

static bool stands(const struct model_lock *lock, int handle, enum lock_test question,
                   struct lock_range range) {
    static const enum model_question questions[] = {[LOCK_TO_READ] = TO_READ,
                                                    [LOCK_TO_WRITE] = TO_WRITE,
                                                    [LOCK_TO_SHARE] = TO_LOCK_SHARED,
                                                    [LOCK_TO_EXCLUDE] = TO_LOCK_EXCLUSIVE};
    if (question == LOCK_ANYWHERE) return true;
    return open_model_locks((struct model_range){lock->range.offset, lock->range.length},
                            lock->kind == LOCK_EXCLUSIVE, lock->handle == handle, questions[question],
                            (struct model_range){range.offset, range.length});
}

static bool is_of(const struct share_model *model, const struct model_lock *lock, int node) {
    return lock->times && model->handles[lock->handle].node == node;
}

size_t share_model_locks_of(const struct share_model *model, int node) {
    size_t count = 0;
    for (int i = 0; i < MODEL_LOCKS; i++) count += is_of(model, &model->locks[i], node);
    return count;
}

static struct model_lock *find_lock(struct share_model *model, int handle, enum lock_kind kind,
                                    struct lock_range range) {
    for (int i = 0; i < MODEL_LOCKS; i++) {
        struct model_lock *lock = &model->locks[i];
        if (lock->times && lock->handle == handle && lock->kind == kind && is_same_range(lock->range, range))
            return lock;
    }
    return NULL;
}

/* Locks of those who are over count until somebody settles the file. */
bool share_model_lock(struct share_model *model, int handle, enum lock_kind kind, struct lock_range range) {
    if (!model->handles[handle].is_there || model->handles[handle].node == NOBODY) return false;
    enum lock_test question = lock_test_of(kind);
    for (int i = 0; i < MODEL_LOCKS; i++)
        if (is_of(model, &model->locks[i], model->handles[handle].node) &&
            stands(&model->locks[i], handle, question, range))
            return false;
    struct model_lock *place = find_lock(model, handle, kind, range);
    for (int i = 0; i < MODEL_LOCKS && !place; i++)
        if (!model->locks[i].times) place = &model->locks[i];
    *place = (struct model_lock){place->times + 1, handle, kind, range};
    return true;
}

bool share_model_unlock(struct share_model *model, int handle, struct lock_range range) {
    struct model_lock *lock = find_lock(model, handle, LOCK_EXCLUSIVE, range);
    if (!lock) lock = find_lock(model, handle, LOCK_SHARED, range);
    if (!lock || !model->handles[handle].is_there) return false;
    lock->times--;
    return true;
}

/* --- Questions --- */

bool share_model_is_over(const struct share_model *model, int session, int64_t now_ms) {
    return model->sessions[session].ended || model->sessions[session].due_ms <= now_ms;
}

static bool counts(const struct share_model *model, const struct model_handle *handle, int node,
                   int64_t now_ms) {
    return handle->is_there && handle->node == node && !share_model_is_over(model, handle->session, now_ms);
}

bool share_model_is_pending(const struct share_model *model, int node, int64_t now_ms) {
    bool pending = model->nodes[node].pending;
    for (int i = 0; i < MODEL_HANDLES; i++) {
        const struct model_handle *handle = &model->handles[i];
        bool has_it = handle->is_there && handle->node == node;
        if (has_it && handle->deletes && !counts(model, handle, node, now_ms)) pending = true;
    }
    return pending;
}

bool share_model_is_gone(const struct share_model *model, int node, int64_t now_ms) {
    for (int i = 0; i < MODEL_HANDLES; i++)
        if (counts(model, &model->handles[i], node, now_ms)) return false;
    return share_model_is_pending(model, node, now_ms);
}

bool share_model_denies(const struct share_model *model, int node, struct sharing wanted, int64_t now_ms) {
    for (int i = 0; i < MODEL_HANDLES; i++) {
        struct sharing has = model->handles[i].sharing;
        if (counts(model, &model->handles[i], node, now_ms) &&
            !open_model_fits((struct model_sharing){wanted.access, wanted.share},
                             (struct model_sharing){has.access, has.share}))
            return true;
    }
    return false;
}

bool share_model_is_locked(const struct share_model *model, int node, int handle, enum lock_test question,
                           struct lock_range range, int64_t now_ms) {
    for (int i = 0; i < MODEL_LOCKS; i++) {
        const struct model_lock *lock = &model->locks[i];
        if (!is_of(model, lock, node)) continue;
        if (share_model_is_over(model, model->handles[lock->handle].session, now_ms)) continue;
        if (stands(lock, handle, question, range)) return true;
    }
    return false;
}
