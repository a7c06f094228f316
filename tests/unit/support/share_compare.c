/* The naive model against the share: nodes now and in each snapshot, who has what open, locked and
 * leased, and what the census counts. */
#include "file/tree.h"
#include "require.h"
#include "share_details.h"
#include "share_trial.h"

/* Run by run, as a reader gets it. */
static void compare_content(const struct sparse_bytes *content, const struct model_content *known) {
    require_same(content->length, known->length, "the length of a file");
    for (uint64_t at = 0; at < known->length;) {
        struct bytes run = sparse_view(content, at, known->length - at);
        require(run.length, "the content ends at %llu", (unsigned long long)at);
        require_bytes(run, bytes_of(known->bytes + at, run.length), "the content");
        at += run.length;
    }
}

/* What is seen of a node now, or in a snapshot. */
static void compare_view(const struct node_view *view, const struct model_node *node) {
    const struct model_content *known = &node->content;
    require_same(view->stamp.etag, node->etag, "the ETag of %c", node->name);
    require_same(view->metadata.count, known->meta ? 2 : 0, "pairs of metadata");
    require_same(share_details_meta(&view->metadata), known->meta, "the metadata");
    if (node->kind != MODEL_FILE) return;
    compare_content(view->content, known);
    require_same(view->attributes, known->attributes, "the attributes");
}

static void compare_seen(const struct share_life *life, const struct share_model *picture,
                         unsigned snapshot) {
    size_t count = 0;
    for (int i = 1; i < MODEL_NODES; i++) {
        const struct model_node *known = &picture->nodes[i];
        char path[MODEL_PATH_MAX_BYTES];
        if (!known->kind) continue;
        size_t length = share_model_path(picture, i, path);
        const struct file_node *node = tree_find_in_snapshot(life->share, bytes_of(path, length), snapshot);
        require(node != NULL, "%s is not in snapshot %u", path, snapshot);
        struct node_view view = node_view(node, snapshot);
        require_same(node_is_file(node), known->kind == MODEL_FILE, "the kind of %s in %u", path, snapshot);
        compare_view(&view, known);
        count++;
    }
    require_same(share_count_listed(life->share, life->share->root->directory, snapshot), count,
                 "listed in %u", snapshot);
}

static void compare_tally(const struct share_life *life, int node, const struct usage_view *view) {
    for (uint8_t i = 0; i < 64; i++) {
        struct model_sharing wanted = share_choice_sharing(i);
        bool denied = share_model_denies(&life->model, node, wanted, life->now_ms);
        require_same(sharing_fits_all(share_sharing(wanted), &view->tally), !denied, "an open for %u with %u",
                     wanted.access, wanted.share);
    }
    require_same(view->pending, share_model_is_pending(&life->model, node, life->now_ms), "the mark");
    require_same(view->gone, share_model_is_gone(&life->model, node, life->now_ms), "the end of a file");
}

/* What stands in the way is named, and counts. */
static void compare_obstacle(const struct share_life *life, const struct file_node *node, int number,
                             struct model_sharing wanted) {
    bool denied = share_model_denies(&life->model, number, wanted, life->now_ms);
    if (!node->usage) return;
    const struct file_handle *obstacle = usage_obstacle(node->usage, share_sharing(wanted), life->now_ms);
    require_same(obstacle != NULL, denied, "a handle that is in the way");
    if (!obstacle) return;
    require(!session_has_ended(obstacle->group->session, life->now_ms), "it is of a session that is over");
    require(!sharing_fits(share_sharing(wanted), obstacle->sharing), "it is not in the way");
}

static bool model_denies(const struct share_life *life, int node, int handle, enum lock_test question,
                         struct model_range range) {
    static const enum model_question questions[] = {[LOCK_TO_READ] = TO_READ,
                                                    [LOCK_TO_WRITE] = TO_WRITE,
                                                    [LOCK_TO_SHARE] = TO_LOCK_SHARED,
                                                    [LOCK_TO_EXCLUDE] = TO_LOCK_EXCLUSIVE};
    if (question == LOCK_ANYWHERE) return share_model_has_locks(&life->model, node, life->now_ms);
    return share_model_is_locked(&life->model, node, handle, questions[question], range, life->now_ms);
}

static void ask_lock(const struct share_life *life, const struct file_node *node, int number, int asking,
                     struct model_range range) {
    struct file_handle *handle = NULL;
    if (asking != NOBODY) {
        struct guid id = share_handle_id(asking);
        handle = share_handle_find(life->share, &id);
    }
    for (enum lock_test question = LOCK_TO_READ; question <= LOCK_ANYWHERE; question++) {
        const struct range_lock *lock =
            usage_lock(node->usage, question, handle ? &handle->locks : NULL,
                       (struct lock_range){range.offset, range.length}, life->now_ms);
        require_same(lock != NULL, model_denies(life, number, asking, question, range), "question %d",
                     question);
        if (lock)
            require(!session_has_ended(handle_of_lock(lock)->group->session, life->now_ms),
                    "a lock of a session that is over");
    }
}

static void compare_locks(const struct share_life *life, const struct file_node *node, int number) {
    size_t count = share_model_locks_of(&life->model, number);
    require_same(node->usage ? node->usage->locks.count : 0, count, "locks of a file");
    if (!count) return;
    for (uint8_t i = 0; i < 64; i++) {
        struct model_range range = share_choice_range(&(struct share_choice){.range = i});
        if (!share_range_is_sound(range)) continue;
        ask_lock(life, node, number, NOBODY, range);
        for (int handle = 0; handle < LIFE_HANDLES; handle++)
            if (life->model.handles[handle].is_there && life->model.handles[handle].node == number)
                ask_lock(life, node, number, handle, range);
    }
}

static void compare_file(const struct share_life *life, const struct file_node *node, int number) {
    const struct model_node *known = &life->model.nodes[number];
    struct usage_view view = share_view(life->share, node, life->now_ms);
    const struct lease *lease = file_lease_of(node);
    require_same(lease->kind, share_lease_kind(known->lease), "the lease of a file");
    if (known->lease) require_same(lease->token, known->token, "the token of a lease");
    if (known->lease) require_same(lease->id.low, known->lease_id, "the id of a lease");
    compare_tally(life, number, &view);
    compare_obstacle(life, node, number, share_choice_sharing((uint8_t)life->now_ms));
    compare_locks(life, node, number);
}

static const struct file_node *find_node(const struct share_life *life, int number) {
    char path[MODEL_PATH_MAX_BYTES];
    return tree_find(life->share, bytes_of(path, share_model_path(&life->model, number, path))).node;
}

static void compare_nodes(const struct share_life *life) {
    size_t count = 0;
    for (int i = 1; i < MODEL_NODES; i++) {
        const struct model_node *known = &life->model.nodes[i];
        if (!known->kind) continue;
        const struct file_node *node = find_node(life, i);
        require(node != NULL, "node %d is lost", i);
        if (node_is_file(node)) compare_file(life, node, i);
        count++;
    }
    require_same(life->share->files + life->share->directories, count, "nodes");
    compare_seen(life, &life->model, 0);
    for (unsigned i = 0; i < life->snapshots; i++) compare_seen(life, &life->pictures[i], i + 1);
}

static void compare_sessions(const struct share_life *life) {
    int64_t next_ms = INT64_MAX;
    for (int i = 0; i < LIFE_SESSIONS; i++) {
        const struct model_session *known = &life->model.sessions[i];
        struct guid id = share_session_id(i);
        const struct share_session *session = share_session_find(life->share, &id);
        require_same(session != NULL, known->is_there, "session %d", i);
        if (!session) continue;
        require_same(session->ended, known->ended, "the end of session %d", i);
        require_same(session_has_ended(session, life->now_ms),
                     share_model_is_over(&life->model, i, life->now_ms), "session %d is over", i);
        int64_t due_ms = known->ended ? 0 : known->due_ms;
        if (due_ms < next_ms) next_ms = due_ms;
    }
    require_same(share_next_end_ms(life->share), next_ms, "when a session ends next");
}

static void compare_handles(const struct share_life *life) {
    for (int i = 0; i < LIFE_HANDLES; i++) {
        const struct model_handle *known = &life->model.handles[i];
        struct guid id = share_handle_id(i);
        const struct file_handle *handle = share_handle_find(life->share, &id);
        require_same(handle != NULL, known->is_there, "handle %d", i);
        if (!handle) continue;
        require_same(handle->group->usage != NULL, known->node != NOBODY, "the file of handle %d", i);
        if (!handle->group->usage) continue;
        require(handle->group->usage->node == find_node(life, known->node), "handle %d has another file", i);
    }
}

static void compare_census(const struct share_life *life) {
    struct share_census expected = life->before, census = share_census();
    expected.of[CENSUS_LEASES] += life->is_leased;
    for (int i = 0; i < LIFE_SESSIONS; i++) {
        expected.of[CENSUS_SESSIONS] += life->model.sessions[i].is_there;
        expected.of[CENSUS_ENDED] += life->model.sessions[i].is_there && life->model.sessions[i].ended;
    }
    for (int i = 0; i < LIFE_HANDLES; i++) expected.of[CENSUS_HANDLES] += life->model.handles[i].is_there;
    for (int i = 0; i < MODEL_LOCKS; i++) expected.of[CENSUS_LOCKS] += life->model.locks[i].times > 0;
    for (int i = 1; i < MODEL_NODES; i++)
        expected.of[CENSUS_LEASES] +=
            life->model.nodes[i].kind == MODEL_FILE && life->model.nodes[i].lease != MODEL_UNLEASED;
    for (unsigned kind = CENSUS_SESSIONS; kind <= CENSUS_LEASES; kind++)
        require_same(census.of[kind], expected.of[kind], "count %u of the census", kind);
}

void share_life_compare(const struct share_life *life) {
    compare_nodes(life);
    compare_sessions(life);
    compare_handles(life);
    compare_census(life);
}
