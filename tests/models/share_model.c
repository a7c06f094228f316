#include "share_model.h"

#include <string.h>

#define NO_FILE       "NOTFOUND ResourceNotFound"
#define NO_SESSION    "NOTFOUND SessionNotFound"
#define NO_HANDLE     "NOTFOUND HandleNotFound"
#define EXISTS        "CONFLICT ResourceAlreadyExists"
#define PENDING       "CONFLICT SMBDeletePending"
#define SHARING       "CONFLICT SharingViolation"
#define LOCKED        "CONFLICT FileLockConflict"
#define READ_ONLY     "CONFLICT ReadOnlyAttribute"
#define CANNOT_DELETE "CONFLICT CannotDeleteFileOrDirectory"
#define DENIED        "INVALID AccessDenied"
#define LEASED        "CONFLICT LeaseAlreadyPresent"
#define LEASE_MISSING "PRECONDITION LeaseIdMissing"
#define LEASE_ABSENT  "PRECONDITION LeaseNotPresentWithFileOperation"
#define LEASE_OTHER   "CONFLICT LeaseIdMismatchWithFileOperation"

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

size_t share_model_path(const struct share_model *model, int node, char path[MODEL_PATH_MAX_BYTES]) {
    char names[MODEL_NODES];
    size_t depth = 0, length = 0;
    for (; node > 0; node = model->nodes[node].parent) names[depth++] = model->nodes[node].name;
    while (depth) {
        if (length) path[length++] = '/';
        path[length++] = names[--depth];
    }
    path[length] = '\0';
    return length;
}

static int free_node(const struct share_model *model) {
    for (int i = 1; i < MODEL_NODES; i++)
        if (!model->nodes[i].kind) return i;
    return NOBODY;
}

bool share_model_has_space(const struct share_model *model) {
    return free_node(model) != NOBODY;
}

static bool is_file(const struct share_model *model, int node) {
    return node != NOBODY && model->nodes[node].kind == MODEL_FILE;
}

static bool is_within(const struct share_model *model, int node, int above) {
    while (node != NOBODY && node != above) node = model->nodes[node].parent;
    return node == above;
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

size_t share_model_opens_of(const struct share_model *model, int node) {
    size_t count = 0;
    for (int i = 0; i < MODEL_HANDLES; i++)
        count += model->handles[i].is_there && model->handles[i].node == node;
    return count;
}

/* Somebody has left the file. */
static void remove_if_due(struct share_model *model, int node) {
    if (model->nodes[node].pending && !share_model_opens_of(model, node)) remove_node(model, node);
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

/* Makes a node where there is none. */
static struct model_node *node_at(struct share_model *model, struct model_place place,
                                  enum model_node_kind kind) {
    if (place.node != NOBODY) return &model->nodes[place.node];
    struct model_node *node = &model->nodes[free_node(model)];
    *node = (struct model_node){.kind = kind, .parent = place.parent, .name = place.name};
    return node;
}

static bool may_be_written(const struct share_model *model, struct model_place place) {
    return place.node == NOBODY ? place.parent != NOBODY : is_file(model, place.node);
}

bool share_model_create(struct share_model *model, struct model_place place, enum model_node_kind kind,
                        size_t length, int meta) {
    if (!may_be_written(model, place) || (kind == MODEL_DIRECTORY && place.node != NOBODY)) return false;
    struct model_node *node = node_at(model, place, kind);
    node->content = (struct model_content){.length = length, .meta = meta};
    node->etag = model->etag;
    return true;
}

bool share_model_remove(struct share_model *model, struct model_place place, enum model_node_kind kind) {
    if (place.node == NOBODY || model->nodes[place.node].kind != kind) return false;
    for (int i = 1; i < MODEL_NODES; i++)
        if (model->nodes[i].kind && model->nodes[i].parent == place.node) return false;
    remove_node(model, place.node);
    return true;
}

bool share_model_copy(struct share_model *model, struct model_place from, struct model_place to) {
    if (!is_file(model, from.node) || !may_be_written(model, to)) return false;
    struct model_node *goal = node_at(model, to, MODEL_FILE);
    if (to.node != from.node) goal->content = model->nodes[from.node].content;
    goal->etag = model->etag;
    return true;
}

/* What stands at the goal stays the file that its handles have open, and becomes what the other one was. */
static void replace(struct share_model *model, int node, int there) {
    struct model_node *goal = &model->nodes[there], *source = &model->nodes[node];
    goal->content = source->content;
    if (goal->lease != MODEL_LEASE_HELD && source->lease == MODEL_LEASE_HELD) {
        goal->lease = source->lease;
        goal->lease_id = source->lease_id;
        goal->token = source->token;
    }
    remove_node(model, node);
}

bool share_model_rename(struct share_model *model, struct model_place from, struct model_place to) {
    if (from.node == NOBODY || to.parent == NOBODY || is_within(model, to.parent, from.node)) return false;
    bool replaces = to.node != NOBODY && to.node != from.node;
    if (replaces && !(is_file(model, from.node) && is_file(model, to.node))) return false;
    share_model_stamp(model, replaces ? to.node : from.node);
    if (replaces) {
        replace(model, from.node, to.node);
        return true;
    }
    model->nodes[from.node].parent = to.parent;
    model->nodes[from.node].name = to.name;
    return true;
}

bool share_model_lease(struct share_model *model, struct model_place place, enum model_file_lease lease,
                       int id, uint64_t token) {
    if (!is_file(model, place.node)) return false;
    for (int i = 1; i < MODEL_NODES; i++) {
        const struct model_node *node = &model->nodes[i];
        bool is_leased = node->kind == MODEL_FILE && node->lease != MODEL_UNLEASED;
        if (i != place.node && is_leased && node->token == token) return false;
    }
    model->nodes[place.node].lease = lease;
    model->nodes[place.node].lease_id = id;
    model->nodes[place.node].token = token;
    return true;
}

/* Handles of sessions that were told to end are taken from the file, as if they were closed. */
bool share_model_settle(struct share_model *model, struct model_place place) {
    if (!is_file(model, place.node)) return false;
    struct model_node *node = &model->nodes[place.node];
    if (node->lease == MODEL_UNLEASED && !share_model_opens_of(model, place.node)) return false;
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

/* --- Contents --- */

void share_model_stamp(struct share_model *model, int node) {
    model->nodes[node].etag = model->etag;
}

void share_model_resize(struct share_model *model, int node, size_t length) {
    struct model_content *content = &model->nodes[node].content;
    if (length < content->length) memset(content->bytes + length, 0, content->length - length);
    content->length = length;
    share_model_stamp(model, node);
}

void share_model_write(struct share_model *model, int node, size_t offset, const void *bytes, size_t length) {
    struct model_content *content = &model->nodes[node].content;
    if (bytes)
        memcpy(content->bytes + offset, bytes, length);
    else
        memset(content->bytes + offset, 0, length);
    if (offset + length > content->length) content->length = offset + length;
    share_model_stamp(model, node);
}

/* --- Sessions --- */

bool share_model_connect(struct share_model *model, int session, int64_t due_ms) {
    if (model->sessions[session].is_there) return false;
    model->sessions[session] = (struct model_session){.is_there = true, .due_ms = due_ms};
    return true;
}

bool share_model_ping(struct share_model *model, int session, int64_t due_ms) {
    if (!model->sessions[session].is_there || model->sessions[session].ended) return false;
    model->sessions[session].due_ms = due_ms;
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
    for (int i = 1; i < MODEL_NODES; i++) model->nodes[i].lease = MODEL_UNLEASED;
}

/* --- Locks --- */

static bool is_same_range(struct model_range a, struct model_range b) {
    return a.offset == b.offset && a.length == b.length;
}

static bool denies(const struct model_lock *lock, int handle, enum model_question question,
                   struct model_range range) {
    return open_model_locks(lock->range, lock->exclusive, lock->handle == handle, question, range);
}

static bool is_of(const struct share_model *model, const struct model_lock *lock, int node) {
    return lock->times && model->handles[lock->handle].node == node;
}

size_t share_model_locks_of(const struct share_model *model, int node) {
    size_t count = 0;
    for (int i = 0; i < MODEL_LOCKS; i++) count += is_of(model, &model->locks[i], node);
    return count;
}

static struct model_lock *find_lock(struct share_model *model, int handle, bool exclusive,
                                    struct model_range range) {
    for (int i = 0; i < MODEL_LOCKS; i++) {
        struct model_lock *lock = &model->locks[i];
        if (lock->times && lock->handle == handle && lock->exclusive == exclusive &&
            is_same_range(lock->range, range))
            return lock;
    }
    return NULL;
}

static int free_lock(const struct share_model *model) {
    for (int i = 0; i < MODEL_LOCKS; i++)
        if (!model->locks[i].times) return i;
    return NOBODY;
}

bool share_model_has_space_for_lock(const struct share_model *model) {
    return free_lock(model) != NOBODY;
}

/* Locks of those who are over count until somebody settles the file. */
bool share_model_lock(struct share_model *model, int handle, bool exclusive, struct model_range range) {
    if (!model->handles[handle].is_there || model->handles[handle].node == NOBODY) return false;
    enum model_question question = exclusive ? TO_LOCK_EXCLUSIVE : TO_LOCK_SHARED;
    for (int i = 0; i < MODEL_LOCKS; i++)
        if (is_of(model, &model->locks[i], model->handles[handle].node) &&
            denies(&model->locks[i], handle, question, range))
            return false;
    struct model_lock *lock = find_lock(model, handle, exclusive, range);
    if (!lock) lock = &model->locks[free_lock(model)];
    *lock = (struct model_lock){lock->times + 1, handle, exclusive, range};
    return true;
}

bool share_model_unlock(struct share_model *model, int handle, struct model_range range) {
    struct model_lock *lock = find_lock(model, handle, true, range);
    if (!lock) lock = find_lock(model, handle, false, range);
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

bool share_model_denies(const struct share_model *model, int node, struct model_sharing wanted,
                        int64_t now_ms) {
    for (int i = 0; i < MODEL_HANDLES; i++)
        if (counts(model, &model->handles[i], node, now_ms) &&
            !open_model_fits(wanted, model->handles[i].sharing))
            return true;
    return false;
}

bool share_model_is_locked(const struct share_model *model, int node, int handle,
                           enum model_question question, struct model_range range, int64_t now_ms) {
    for (int i = 0; i < MODEL_LOCKS; i++) {
        const struct model_lock *lock = &model->locks[i];
        if (!is_of(model, lock, node) || !counts(model, &model->handles[lock->handle], node, now_ms))
            continue;
        if (denies(lock, handle, question, range)) return true;
    }
    return false;
}

bool share_model_has_locks(const struct share_model *model, int node, int64_t now_ms) {
    for (int i = 0; i < MODEL_LOCKS; i++) {
        const struct model_lock *lock = &model->locks[i];
        if (lock->times && counts(model, &model->handles[lock->handle], node, now_ms)) return true;
    }
    return false;
}

/* --- Refusals --- */

bool share_model_is_shared(const struct share_model *model, int node, enum model_class class) {
    for (int i = 0; i < MODEL_HANDLES; i++) {
        const struct model_handle *handle = &model->handles[i];
        if (handle->is_there && handle->node == node && !open_model_lets(handle->sharing, class))
            return false;
    }
    return true;
}

static bool is_read_only(const struct model_node *node) {
    return node->content.attributes & MODEL_READ_ONLY;
}

static const char *lease_refusal(const struct model_node *node, int id, bool writes) {
    bool leased = node->lease == MODEL_LEASE_HELD;
    if (!id) return leased && writes ? LEASE_MISSING : NULL;
    if (!leased) return LEASE_ABSENT;
    return node->lease_id == id ? NULL : LEASE_OTHER;
}

const char *share_model_refusal(const struct share_model *model, struct model_place place,
                                const struct model_wish *wish) {
    bool writes = wish->class >= MODEL_WRITES && wish->class <= MODEL_DELETES;
    if (!is_file(model, place.node)) return NO_FILE;
    const struct model_node *node = &model->nodes[place.node];
    if (node->pending) return PENDING;
    const char *refusal = lease_refusal(node, wish->lease, writes);
    if (refusal) return refusal;
    if (writes && is_read_only(node) && !wish->ignores_readonly) return READ_ONLY;
    if (!share_model_is_shared(model, place.node, wish->class)) return SHARING;
    if (!wish->minds_locks) return NULL;
    bool locked = writes ? share_model_has_locks(model, place.node, INT64_MIN)
                         : share_model_is_locked(model, place.node, NOBODY, TO_READ, wish->read, INT64_MIN);
    return locked ? LOCKED : NULL;
}

static const char *replace_refusal(const struct share_model *model, struct model_place from,
                                   struct model_place to, bool replaces) {
    const struct model_node *source = &model->nodes[from.node], *goal = &model->nodes[to.node];
    struct model_wish comes = {.class = MODEL_REPLACES, .lease = goal->lease_id, .minds_locks = true};
    if (goal->pending) return PENDING;
    if (!replaces) return EXISTS;
    const char *refusal = share_model_refusal(model, to, &comes);
    if (refusal) return refusal;
    bool brings = source->lease == MODEL_LEASE_HELD && goal->lease != MODEL_LEASE_HELD;
    return brings && !share_model_is_shared(model, to.node, MODEL_LEASES) ? SHARING : NULL;
}

const char *share_model_rename_refusal(const struct share_model *model, struct model_place from,
                                       struct model_place to, bool replaces) {
    struct model_wish leaves = {.class = MODEL_DELETES, .minds_locks = true};
    if (from.node != NOBODY) leaves.lease = model->nodes[from.node].lease_id;
    const char *refusal = share_model_refusal(model, from, &leaves);
    if (refusal || to.node == NOBODY || to.node == from.node) return refusal;
    return replace_refusal(model, from, to, replaces);
}

const char *share_model_lease_refusal(const struct share_model *model, struct model_place place, int id) {
    if (!is_file(model, place.node)) return NO_FILE;
    const struct model_node *node = &model->nodes[place.node];
    if (node->pending) return PENDING;
    if (node->lease == MODEL_LEASE_HELD) return node->lease_id == id ? NULL : LEASED;
    return share_model_is_shared(model, place.node, MODEL_LEASES) ? NULL : SHARING;
}

/* To overwrite counts as a write, and to supersede as a deletion, of what is there. */
static unsigned access_of(const struct model_handle *as, enum model_disposition disposition) {
    if (disposition == MODEL_SUPERSEDE) return as->sharing.access | MODEL_DELETE_ACCESS;
    return as->sharing.access | (disposition >= MODEL_OVERWRITE ? MODEL_WRITE_ACCESS : 0U);
}

const char *share_model_open_refusal(const struct share_model *model, struct model_place place,
                                     const struct model_handle *as, enum model_disposition disposition) {
    enum { CHANGES = MODEL_WRITE_ACCESS | MODEL_DELETE_ACCESS };
    const struct model_session *session = &model->sessions[as->session];
    struct model_sharing wanted = {access_of(as, disposition), as->sharing.share};
    bool needs_it = disposition == MODEL_OPEN || disposition == MODEL_OVERWRITE;
    if (!session->is_there || session->ended) return NO_SESSION;
    if (!is_file(model, place.node)) return needs_it ? NO_FILE : NULL;
    const struct model_node *node = &model->nodes[place.node];
    bool writes = as->sharing.access & MODEL_WRITE_ACCESS || disposition >= MODEL_OVERWRITE;
    if (node->pending) return PENDING;
    if (disposition == MODEL_OPEN_NEW) return EXISTS;
    if (is_read_only(node) && writes) return READ_ONLY;
    if (is_read_only(node) && as->deletes) return CANNOT_DELETE;
    if (node->lease == MODEL_LEASE_HELD && wanted.access & CHANGES) return SHARING;
    return share_model_denies(model, place.node, wanted, INT64_MIN) ? SHARING : NULL;
}

const char *share_model_use_refusal(const struct share_model *model, int handle, enum model_use use,
                                    struct model_range range) {
    static const struct {
        unsigned access; /* one of them */
        bool minds_locks;
        enum model_question question;
    } uses[] = {
        [MODEL_USE_READ] = {MODEL_READ_ACCESS, true, TO_READ},
        [MODEL_USE_WRITE] = {MODEL_WRITE_ACCESS, true, TO_WRITE},
        [MODEL_USE_TRUNCATE] = {MODEL_WRITE_ACCESS, .minds_locks = false},
        [MODEL_USE_LOCK_SHARED] = {MODEL_READ_ACCESS | MODEL_WRITE_ACCESS, true, TO_LOCK_SHARED},
        [MODEL_USE_LOCK_EXCLUSIVE] = {MODEL_READ_ACCESS | MODEL_WRITE_ACCESS, true, TO_LOCK_EXCLUSIVE},
        [MODEL_USE_MARK] = {MODEL_DELETE_ACCESS, .minds_locks = false},
        [MODEL_USE_UNMARK] = {MODEL_DELETE_ACCESS, .minds_locks = false},
    };
    const struct model_handle *as = &model->handles[handle];
    if (!as->is_there) return NO_HANDLE;
    if (!(as->sharing.access & uses[use].access)) return DENIED;
    if (use == MODEL_USE_MARK && is_read_only(&model->nodes[as->node])) return CANNOT_DELETE;
    bool locked = uses[use].minds_locks &&
                  share_model_is_locked(model, as->node, handle, uses[use].question, range, INT64_MIN);
    return locked ? LOCKED : NULL;
}
