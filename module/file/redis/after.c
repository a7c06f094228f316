/* What precedes and follows a change of a share, the upkeep of sessions, and INFO. */
#include "file/redis/handlers.h"
#include "lease/redis/handlers.h"
#include "server/base/alarm.h"
#include "server/base/info.h"
#include "server/effects/commit.h"
#include "server/effects/upkeep.h"

#include "ccan/array_size/array_size.h"

enum {
    EXPIRED_MAX = 64, /* sessions that end in one portion of upkeep */
    SWEPT_MAX = 400,  /* handles and locks that one portion removes */
};

static struct histogram file_waiting_ms; /* for a handle or a lock */
struct wait_kind opening_wait = {.discipline = WAIT_BY_CLAIM, .histogram = &file_waiting_ms};
struct wait_kind lock_wait = {.discipline = WAIT_BY_CLAIM, .histogram = &file_waiting_ms};

/* --- Around a change --- */

/* A change of a lease has its event in a field. */
void share_events(const void *decided, const char *events[EVENTS_MAX]) {
    const struct share_change *change = decided;
    if (!(share_change_kinds[change->kind].is.fields & SHARE_HAS(LEASE))) return;
    events[0] = change->expired ? LEASE_EXPIRED_EVENT : NULL;
    events[1] = lease_event_name(change->event);
}

/* Names the line of waiters, and the session, that the change may wake: afterwards the file or handle may be freed. */
void share_before_change(struct call *call, void *decided) {
    struct share_change *change = decided;
    if (change->kind == SHARE_LEASE || change->kind == FILE_LEASE) {
        const struct lease *lease = change->node ? file_lease_of(change->node) : share_lease(call->value);
        lease_count(call, lease, &change->lease, change->event, change->expired);
    }
    if (share_change_kinds[change->kind].wakes == WAKES_NOBODY || !wait_anybody()) return;
    if (change->node) change->line_id = file_line_id(change->node);
    if (change->opened) change->party = change->opened->group->session->id;
}

/* Runs on the primary only, where the session's connection is. */
void share_changed(struct call *call, const void *decided) {
    const struct share_change *change = decided;
    switch (change->kind) {
    case SHARE_CONNECT:
        if (change->ends_with_connection) session_owners_add(call, change->session);
        break;
    case SHARE_DISCONNECT:
    case SHARE_EXPIRE: session_owners_remove(call, change->session); break;
    default: break;
    }
}

/* --- Waiters --- */

static void look_at_file(const struct call *call, uint64_t line_id) {
    struct bytes name = bytes_of(&line_id, sizeof(line_id));
    wait_look(call, &opening_wait, name);
    wait_look(call, &lock_wait, name);
    wait_look(call, &lease_wait, name);
}

void share_wake(struct call *call, const void *decided) {
    const struct share_change *change = decided;
    switch (share_change_kinds[change->kind].wakes) {
    case WAKES_NOBODY: break;
    case WAKES_FOR_SHARE: wait_look(call, &lease_wait, bytes_of("", 0)); break;
    case WAKES_FOR_FILE: look_at_file(call, change->line_id); break;
    case WAKES_FOR_HANDLE:
        wait_look_at_party(change->party);
        look_at_file(call, change->line_id);
        break;
    case WAKES_FOR_SESSION: wait_look_at_party(change->session); /* fall through */
    case WAKES_FOR_KEY: wait_look_at_key(call); break;
    case WAKES_FOR_MOVE:
        wait_look_at_key(call);
        look_at_file(call, change->line_id);
        break;
    }
}

/* --- Upkeep --- */

void share_end_session(struct call *call, enum share_change_kind kind, struct share_session *session) {
    struct share_change change = {.kind = kind, .session = session->id, .holder = session};
    commit_at_once(call, &change, NULL);
}

static void end_orphans(struct call *call) {
    struct guid id;
    for (int left = EXPIRED_MAX; left && session_owners_next_orphan(call, &id); left--) {
        struct share_session *session = share_session_find(call->value, &id);
        if (session && !session->ended) share_end_session(call, SHARE_DISCONNECT, session);
    }
}

void share_end_due_sessions(struct call *call, size_t max) {
    struct share_session *session;
    for (; max && (session = share_due_session(call->value, call_now_ms(call))); max--)
        share_end_session(call, SHARE_EXPIRE, session);
}

/* A portion of the session's handles; true when they are the last ones. */
static bool collect_handles(const struct share_session *session, struct record_writer *handles,
                            uint64_t *count) {
    const struct open_group *group;
    const struct file_open *open;
    size_t effort = 0;
    list_for_each (&session->groups, group, of_session) {
        list_for_each (&group->opens, open, among) {
            if (effort >= SWEPT_MAX) return false;
            effort += 1 + (group->usage ? open->lock_count : 0);
            share_handle_put(handles, open->id);
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
    share_end_due_sessions(call, EXPIRED_MAX);
    sweep_one(call);
    int64_t due_ms = share_next_end_ms(call->value);
    return due_ms <= call_now_ms(call) ? call_now_ms(call) + ALARM_PAUSE_MS : due_ms;
}

/* --- Information --- */

void share_info(RedisModuleInfoCtx *ctx) {
    struct share_census census = share_census();
    const struct info_number numbers[] = {
        {"shares", census.shares},
        {"files", census.files},
        {"directories", census.directories},
        {"file_bytes", census.bytes},
        {"share_snapshots", census.snapshots},
        {"share_sessions", census.sessions - census.ended},
        {"share_sessions_ended", census.ended},
        {"file_handles", census.handles},
        {"file_locks", census.locks},
        {"file_leases", census.leases},
        {"file_open_waits", opening_wait.waits},
        {"file_open_handoffs", opening_wait.served},
        {"file_open_waiters", opening_wait.waiting},
        {"file_lock_waits", lock_wait.waits},
        {"file_lock_handoffs", lock_wait.served},
        {"file_lock_waiters", lock_wait.waiting},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
    histogram_show(ctx, &file_waiting_ms, "file_waiting_ms");
}
