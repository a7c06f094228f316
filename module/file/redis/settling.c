/* The end of sessions. What they leave behind does not count, and upkeep removes it from memory in portions. A command
 * only removes beforehand what would be in the way of its change:
 *
 *   a file that an ended session has marked    the mark, or the file itself, would be seen
 *   locks, before a new one                    locks that overlap are never together in memory */
#include "core/memory.h"
#include "file/redis/connections.h"
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"
#include "file/redis/handles.h"
#include "server/effects/commit.h"

#include "ccan/container_of/container_of.h"

enum {
    EXPIRED_MAX = 64, /* sessions that end in one portion of upkeep */
    SWEPT_MAX = 400,  /* sessions, handles and locks that one portion removes */
};

static void end_session(struct call *call, enum share_change_kind kind, struct share_session *session) {
    struct share_change change = {.kind = kind, .session = session->id, .holder = session};
    commit_at_once(call, &change, NULL);
}

/* --- Before a command on a file --- */

/* Ends the expired sessions that have handles of this file. */
static void end_sessions_of(struct call *call, const struct file_usage *usage) {
    const struct handle_group *group;
    list_for_each (&usage->groups, group, of_usage) {
        struct share_session *session = group->session;
        if (!session->ended && session_has_ended(session, call_now_ms(call)))
            end_session(call, SHARE_EXPIRE, session);
    }
}

static void take_from_file(struct call *call, struct file_node *node) {
    struct share_change change = {.kind = FILE_SETTLE, .node = node};
    char *buffer = node_path_new(node, &change.path);
    commit_at_once(call, &change, NULL);
    memory_free(buffer);
}

static void settle_node(struct call *call, struct file_node *node) {
    end_sessions_of(call, node->usage);
    take_from_file(call, node);
}

static bool is_exact(struct call *call) {
    return share_is_exact(call->value, call_now_ms(call));
}

void file_settle_at(struct call *call, struct bytes path) {
    if (is_exact(call)) return;
    struct file_node *node = tree_find(call->value, path).node;
    if (node && file_fate(call, node).pending) settle_node(call, node);
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
    if (file_fate(call, handle_node(handle)).pending) settle_node(call, handle_node(handle));
}

struct ended_owners {
    struct call *call;
    bool any;
};

static bool end_owner(void *context, const struct range_lock *lock) {
    struct ended_owners *owners = context;
    struct share_session *session = handle_of_lock(lock)->group->session;
    if (!session_has_ended(session, call_now_ms(owners->call))) return true;
    owners->any = true;
    if (!session->ended) end_session(owners->call, SHARE_EXPIRE, session);
    return true;
}

/* Ends the expired sessions that have locks of the file: not more than the file may have locks. */
void file_settle_locks(struct call *call) {
    struct file_handle *handle;
    struct ended_owners owners = {call, false};
    if (is_exact(call) || file_find_handle(call, 0, &handle) != OUTCOME_DONE) return;
    const struct range_locks *locks = &handle->group->usage->locks;
    range_locks_visit(locks, LOCK_ANYWHERE, NULL, (struct lock_range){0}, end_owner, &owners);
    if (owners.any) take_from_file(call, handle_node(handle));
}

/* --- Before a command on a directory or a share --- */

static bool session_may_delete(const struct share_session *session) {
    const struct handle_group *group;
    list_for_each (&session->groups, group, of_session)
        if (group->usage && usage_may_be_deleted(group->usage)) return true;
    return false;
}

static void note_deleting(void *ids, const struct deadline *deadline) {
    const struct share_session *session = container_of(deadline, struct share_session, deadline);
    if (session_may_delete(session)) record_put_guid(ids, session->id);
}

/* Ends the expired sessions that may leave files to delete. */
void file_settle_sessions(struct call *call) {
    const struct share *share = call->value;
    struct record_writer ids;
    record_start(&ids);
    deadlines_visit_due(&share->deadlines, call_now_ms(call), note_deleting, &ids);
    struct record_reader reader = record_reader(record_written(&ids));
    while (record_more(&reader)) {
        struct guid id = record_guid(&reader);
        end_session(call, SHARE_EXPIRE, share_session_find(share, &id));
    }
    record_end(&ids);
}

/* Settling a file leaves the groups in the session's list. */
static void settle_files_of(struct call *call, const struct share_session *session,
                            const struct file_node *directory) {
    const struct handle_group *group;
    list_for_each (&session->groups, group, of_session)
        if (group->usage && usage_may_be_deleted(group->usage) &&
            node_is_within(group->usage->node, directory))
            settle_node(call, group->usage->node);
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

static void end_due_sessions(struct call *call) {
    struct share_session *session;
    for (int left = EXPIRED_MAX; left && (session = share_due_session(call->value, call_now_ms(call)));
         left--)
        end_session(call, SHARE_EXPIRE, session);
}

/* A portion of the session's handles; true when they are the last ones. */
static bool collect_handles(const struct share_session *session, struct record_writer *handles,
                            uint64_t *count, size_t *effort) {
    const struct handle_group *group;
    const struct file_handle *handle;
    list_for_each (&session->groups, group, of_session) {
        list_for_each (&group->handles, handle, among) {
            if (*effort >= SWEPT_MAX) return false;
            *effort += 1 + handle->lock_count;
            record_put_guid(handles, handle->id);
            ++*count;
        }
    }
    return true;
}

/* The change names the handles, since other servers may have them in another order. */
static void sweep_one(struct call *call, struct share_session *session, size_t *effort) {
    struct record_writer handles;
    struct share_change change = {.kind = SHARE_SWEEP, .session = session->id, .holder = session};
    record_start(&handles);
    change.on = collect_handles(session, &handles, &change.handles.count, effort);
    change.handles.items = record_written(&handles);
    commit_at_once(call, &change, NULL);
    record_end(&handles);
}

static void sweep_ended(struct call *call) {
    const struct share *share = call->value;
    struct share_session *session;
    size_t effort = 0;
    while (effort < SWEPT_MAX && (session = list_top(&share->ended, struct share_session, among_ended))) {
        effort++;
        sweep_one(call, session, &effort);
    }
}

int64_t share_upkeep(struct call *call) {
    end_orphans(call);
    end_due_sessions(call);
    sweep_ended(call);
    return share_next_end_ms(call->value);
}
