/* What precedes and follows a change of a share: events, connections, waiters; and INFO. */
#include "file/redis/connections.h"
#include "file/redis/file_commands.h"
#include "file/redis/waiting.h"
#include "lease/redis/lease_home.h"
#include "lease/redis/leases.h"
#include "server/base/info.h"

#include "ccan/array_size/array_size.h"

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

/* The file that becomes read-only; NULL if it is a new one, or none does. */
static const struct file_node *barred_file(const struct call *call, const struct share_change *change) {
    bool copies = change->kind == FILE_COPY;
    uint8_t attributes = copies && change->node ? change->node->attributes : change->attributes;
    if (!(attributes & ATTRIBUTE_READONLY)) return NULL;
    return copies ? tree_find(call->value, change->target).node : change->node;
}

/* Names the line of waiters, and the session, that the change may wake: afterwards the file or handle may be freed. */
void share_before_change(struct call *call, void *decided) {
    struct share_change *change = decided;
    const struct lease *next = share_leases.set_by(change);
    if (next) {
        const struct lease *lease = change->node ? file_lease_of(change->node) : share_lease(call->value);
        lease_count(call, lease, next, change->event, change->expired);
    }
    enum share_wake wakes = share_change_kinds[change->kind].wakes;
    if (wakes == WAKES_NOBODY || !wait_anybody()) return;
    const struct file_node *node = wakes == WAKES_FOR_BARRED ? barred_file(call, change) : change->node;
    if (node) change->line_id = file_line_id(node);
    if (change->opened) change->party = change->opened->group->session->id;
}

/* Runs on the primary only, where the session's connection is. */
void share_changed(struct call *call, const void *decided) {
    const struct share_change *change = decided;
    switch (change->kind) {
    case SHARE_CONNECT:
        if (change->ends_with_connection) connections_add(call, change->session);
        break;
    case SHARE_DISCONNECT:
    case SHARE_EXPIRE: connections_remove(call, change->session); break;
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
    case WAKES_FOR_BARRED:
        if (!change->line_id) break; /* fall through */
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

/* --- INFO --- */

void share_info(RedisModuleInfoCtx *ctx) {
    struct share_census census = share_census();
    const struct info_number numbers[] = {
        {"shares", census.of[CENSUS_SHARES]},
        {"files", census.of[CENSUS_FILES]},
        {"directories", census.of[CENSUS_DIRECTORIES]},
        {"file_bytes", census.of[CENSUS_BYTES]},
        {"share_snapshots", census.of[CENSUS_SNAPSHOTS]},
        {"share_sessions", census.of[CENSUS_SESSIONS] - census.of[CENSUS_ENDED]},
        {"share_sessions_ended", census.of[CENSUS_ENDED]},
        {"file_handles", census.of[CENSUS_HANDLES]},
        {"file_locks", census.of[CENSUS_LOCKS]},
        {"file_leases", census.of[CENSUS_LEASES]},
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
