/* The end of sessions. What they leave behind is taken away from a file before a command changes it, and from memory in
 * portions of upkeep. */
#include "core/memory.h"
#include "file/redis/connections.h"
#include "file/redis/file_commands.h"
#include "file/redis/handles.h"
#include "server/base/alarm.h"
#include "server/effects/commit.h"

enum {
    EXPIRED_MAX = 64, /* sessions that end in one portion of upkeep */
    SWEPT_MAX = 400,  /* handles and locks that one portion removes */
};

static void end_session(struct call *call, enum share_change_kind kind, struct share_session *session) {
    struct share_change change = {.kind = kind, .session = session->id, .holder = session};
    commit_at_once(call, &change, NULL);
}

static void end_due_sessions(struct call *call, size_t max) {
    struct share_session *session;
    for (; max && (session = share_due_session(call->value, call_now_ms(call))); max--)
        end_session(call, SHARE_EXPIRE, session);
}

/* --- Before a command --- */

/* Ends the expired sessions that have handles of this file. */
static void end_sessions_of(struct call *call, const struct file_usage *usage) {
    const struct handle_group *group;
    list_for_each (&usage->groups, group, of_usage) {
        struct share_session *session = group->session;
        if (!session->ended && session_has_ended(session, call_now_ms(call)))
            end_session(call, SHARE_EXPIRE, session);
    }
}

static void settle_file(struct call *call, struct file_node *node, struct bytes path) {
    end_sessions_of(call, node->usage);
    struct share_change change = {.kind = FILE_SETTLE, .path = path, .node = node};
    commit_at_once(call, &change, NULL);
}

static bool needs_settling(struct call *call, const struct file_node *node) {
    return node && node->usage && usage_has_ended_handles(node->usage, call_now_ms(call));
}

static void settle_node(struct call *call, struct file_node *node) {
    struct bytes path;
    char *buffer = node_path_new(node, &path);
    settle_file(call, node, path);
    memory_free(buffer);
}

static bool is_exact(struct call *call) {
    return share_is_exact(call->value, call_now_ms(call));
}

void file_settle_at(struct call *call, struct bytes path) {
    if (is_exact(call)) return;
    struct file_node *node = tree_find(call->value, path).node;
    if (needs_settling(call, node)) settle_file(call, node, path);
}

void file_settle_path(struct call *call) {
    file_settle_at(call, call_word(call, ARG_PATH));
}

void file_settle_paths(struct call *call) {
    file_settle_path(call);
    file_settle_at(call, call_word(call, ARG_TARGET));
}

void file_settle_opening(struct call *call) {
    file_settle_at(call, call_word(call, ARG_OPEN_PATH));
}

void file_settle_handle(struct call *call) {
    struct file_handle *handle;
    if (is_exact(call) || file_find_handle(call, 0, &handle) != OUTCOME_DONE) return;
    if (needs_settling(call, handle_node(handle))) settle_node(call, handle_node(handle));
}

/* Settling a file leaves the groups in the session's list. */
static void settle_files_of(struct call *call, const struct share_session *session,
                            const struct file_node *directory) {
    const struct handle_group *group;
    list_for_each (&session->groups, group, of_session)
        if (group->usage && node_is_within(group->usage->node, directory))
            settle_node(call, group->usage->node);
}

void file_settle_sessions(struct call *call) {
    end_due_sessions(call, SIZE_MAX);
}

static void settle_below(struct call *call, const struct file_node *directory) {
    const struct share *share = call->value;
    const struct share_session *session;
    file_settle_sessions(call);
    list_for_each (&share->ended, session, among_ended) settle_files_of(call, session, directory);
}

void file_settle_directory(struct call *call) {
    if (is_exact(call)) return;
    file_settle_path(call);
    const struct file_node *node = tree_find(call->value, call_word(call, ARG_PATH)).node;
    if (node && !node_is_file(node) && node->directory->handles) settle_below(call, node);
}

void file_settle_move(struct call *call) {
    file_settle_directory(call);
    file_settle_at(call, call_word(call, ARG_TARGET));
}

/* --- Upkeep --- */

static void end_orphans(struct call *call) {
    struct guid id;
    for (int left = EXPIRED_MAX; left && connections_next_orphan(call, &id); left--) {
        struct share_session *session = share_session_find(call->value, &id);
        if (session && !session->ended) end_session(call, SHARE_DISCONNECT, session);
    }
}

/* A portion of the session's handles; true when they are the last ones. */
static bool collect_handles(const struct share_session *session, struct record_writer *handles,
                            uint64_t *count) {
    const struct handle_group *group;
    const struct file_handle *handle;
    size_t effort = 0;
    list_for_each (&session->groups, group, of_session) {
        list_for_each (&group->handles, handle, among) {
            if (effort >= SWEPT_MAX) return false;
            effort += 1 + (group->usage ? handle->lock_count : 0);
            record_put_guid(handles, handle->id);
            ++*count;
        }
    }
    return true;
}

/* The change names the handles, since other servers may have them in another order. */
static void sweep_one(struct call *call) {
    struct share *share = call->value;
    struct share_session *session = list_top(&share->ended, struct share_session, among_ended);
    if (!session) return;
    struct record_writer handles;
    struct share_change change = {.kind = SHARE_SWEEP, .session = session->id, .holder = session};
    record_start(&handles);
    change.on = collect_handles(session, &handles, &change.handles.count);
    change.handles.items = bytes_of(handles.data, handles.length);
    commit_at_once(call, &change, NULL);
    record_end(&handles);
}

int64_t share_upkeep(struct call *call) {
    end_orphans(call);
    end_due_sessions(call, EXPIRED_MAX);
    sweep_one(call);
    int64_t due_ms = share_next_end_ms(call->value);
    return due_ms <= call_now_ms(call) ? call_now_ms(call) + ALARM_PAUSE_MS : due_ms;
}
