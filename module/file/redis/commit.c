/* The second half of every writing command: from the decided change to the world that knows of it; what happens to a
 * share when nobody asks; and what LEASE.* has to know of shares. */
#include "core/memory.h"
#include "file/redis/handlers.h"
#include "lease/redis/handlers.h"
#include "server/audience.h"
#include "server/effect.h"
#include "server/histogram.h"
#include "server/info.h"
#include "server/upkeep.h"

#include "ccan/array_size/array_size.h"
#include "ccan/container_of/container_of.h"

enum {
    UPKEEP_GRACE_MS = 10000, /* a look that is so late will not come any more */
    EXPIRED_MOST = 64,       /* sessions that end in one portion of upkeep */
    SWEPT_MOST = 400,        /* handles and locks that go in one */
    BREATHER_MS = 1,         /* between two portions */
};

struct stamp share_stamp(struct call *call) {
    int64_t now_ms = call_now_ms(call);
    return (struct stamp){version_mint(now_ms), now_ms};
}

/* What has been decided fits. If it does not, it must not go unseen. */
static void apply(struct call *call, const struct share_target *target, const struct share_change *change) {
    switch (change->kind) {
    case SHARE_CREATE:
        call->value = share_new(change);
        RedisModule_ModuleTypeSetValue(call->key, share_aggregate.type, call->value);
        break;
    case SHARE_DROP:
        RedisModule_UnlinkKey(call->key);
        call->value = NULL;
        break;
    default:
        if (!share_apply(call->value, target, change)) effect_complain(call->ctx, EFFECT_MISFIT);
    }
}

/* --- Those who wait --- */

static void look_at_file(const struct call *call, uint64_t subject) {
    struct bytes name = bytes_of(&subject, sizeof(subject));
    wait_look(call, WAIT_OPENING, name);
    wait_look(call, WAIT_LOCK, name);
    wait_look(call, WAIT_LEASE, name);
}

/* The file may be gone by now. */
static void tell_waiters(const struct call *call, const struct share_change *change, uint64_t subject,
                         struct guid party) {
    switch (change->kind) {
    case SHARE_LEASE: wait_look(call, WAIT_LEASE, bytes_of("", 0)); break;
    case SHARE_DISCONNECT:
    case SHARE_EXPIRE:
        wait_look_at_party(change->session);
        wait_look_at_key(call);
        break;
    case SHARE_SWEEP:
    case FILE_CLOSEHANDLES: wait_look_at_key(call); break;
    case FILE_CLOSE:
    case FILE_UNOPEN:
        wait_look_at_party(party);
        look_at_file(call, subject);
        break;
    case FILE_RENAME: wait_look_at_key(call); /* fall through */
    case FILE_DELETE:
    case FILE_SETTLE:
    case FILE_LEASE:
    case FILE_UNLOCK:
    case FILE_DISPOSE: look_at_file(call, subject); break;
    default: break;
    }
}

/* --- Carrying out --- */

static void note_expiry(const struct call *call, const struct lease *lease) {
    lease_stats.expiries++;
    histogram_add(HISTOGRAM_HOLDING, lease->ends_ms - lease->since_ms);
    call_event(call, LEASE_EXPIRED_EVENT);
}

/* See the queue's for why: one that looks late does not come any more. */
static void expect_upkeep(struct call *call) {
    struct share *share = call->value;
    int64_t due_ms = share_next_end_ms(share);
    if (due_ms == INT64_MAX) return;
    bool expected = share->upkeep_ms && share->upkeep_ms <= due_ms &&
                    call_now_ms(call) <= share->upkeep_ms + UPKEEP_GRACE_MS;
    if (!expected) share_insist_on_upkeep(call);
}

void share_insist_on_upkeep(struct call *call) {
    struct share *share = call->value;
    int64_t due_ms = share_next_end_ms(share);
    if (due_ms == INT64_MAX) return;
    share->upkeep_ms = due_ms;
    upkeep_expect(RedisModule_GetSelectedDb(call->ctx), call_word(call, ARG_SHARE), due_ms);
}

/* The change may borrow from what it replaces, so its record is written before it is applied. Nothing is recorded when
 * nobody listens; what happens outside of a command has nothing that could be counted instead. */
static void carry_out(struct call *call, const struct share_target *target, const struct share_change *change,
                      RedisModuleString *content) {
    bool heard = call->mode != CALL_FRESH || audience_present(call->ctx);
    if (!heard) {
        apply(call, target, change);
        effect_unheard(call);
        return;
    }
    struct record_writer record;
    record_start(&record);
    share_change_write(change, &record);
    apply(call, target, change);
    effect_send(call, &record, content);
    record_end(&record);
}

void share_commit(struct call *call, const struct share_target *target, const struct share_change *change,
                  RedisModuleString *content) {
    const struct share_target none = {NULL, NULL, NULL};
    if (!target) target = &none;
    uint64_t subject = target->node && wait_anybody() ? file_subject(target->node) : 0;
    struct guid party = target->open ? target->open->group->session->id : (struct guid){0, 0};
    if (change->expired) note_expiry(call, share_lease(call->value));
    carry_out(call, target, change, content);
    if (share_change_event(change)) call_changed(call, share_change_event(change));
    if (call->value) expect_upkeep(call);
    if (wait_anybody()) tell_waiters(call, change, subject, party);
}

/* --- When nobody asks --- */

void share_end_session(struct call *call, enum share_change_kind kind, struct share_session *session) {
    struct share_target target = {.session = session};
    struct share_change change = {.kind = kind, .session = session->id};
    attendance_forget(call, session->id);
    share_commit(call, &target, &change, NULL);
}

static void end_those_who_left(struct call *call) {
    struct guid id;
    for (int left = EXPIRED_MOST; left && attendance_next_gone(call, &id); left--) {
        struct share_session *session = share_session_find(call->value, &id);
        if (session && !session->ended) share_end_session(call, SHARE_DISCONNECT, session);
    }
}

static void end_those_due(struct call *call) {
    struct share_session *session;
    for (int left = EXPIRED_MOST; left && (session = share_due_session(call->value, call_now_ms(call)));
         left--)
        share_end_session(call, SHARE_EXPIRE, session);
}

/* Some of its handles, as they came; true when these are the last ones. */
static bool gather(const struct share_session *session, struct record_writer *handles, uint64_t *count) {
    const struct open_group *group;
    const struct file_open *open;
    size_t effort = 0;
    list_for_each (&session->groups, group, of_session) {
        list_for_each (&group->opens, open, among) {
            if (effort >= SWEPT_MOST) return false;
            effort += 1 + (group->life ? open->lock_count : 0);
            share_handle_put(handles, open->id);
            ++*count;
        }
    }
    return true;
}

/* The handles are named: other servers may have them in another order. */
static void sweep_one(struct call *call) {
    struct share *share = call->value;
    struct share_target target = {.session = list_top(&share->ended, struct share_session, among_ended)};
    if (!target.session) return;
    struct record_writer handles;
    struct share_change change = {.kind = SHARE_SWEEP, .session = target.session->id};
    record_start(&handles);
    change.on = gather(target.session, &handles, &change.handles.count);
    change.handles.items = bytes_of(handles.data, handles.length);
    share_commit(call, &target, &change, NULL);
    record_end(&handles);
}

int64_t share_upkeep(struct call *call) {
    struct share *share = call->value;
    share->upkeep_ms = call_now_ms(call); /* nobody need be sent for while we are here */
    end_those_who_left(call);
    end_those_due(call);
    sweep_one(call);
    int64_t due_ms = share_next_end_ms(share);
    if (due_ms <= call_now_ms(call)) due_ms = call_now_ms(call) + BREATHER_MS;
    share->upkeep_ms = due_ms == INT64_MAX ? 0 : due_ms;
    return due_ms == INT64_MAX ? UPKEEP_NEVER : due_ms;
}

/* --- What LEASE.* needs to know of shares --- */

static enum outcome find_subject(struct call *call, struct lease_subject *subject) {
    struct share *share = call->value;
    *subject = (struct lease_subject){.name = bytes_of("", 0), .noun = "share"};
    if (args_given(&call->args, SLOT_BLOB)) {
        call_note(call, "a share has no blobs, use FILE");
        return OUTCOME_INVALID_VALUE;
    }
    if (!args_given(&call->args, SLOT_FILE)) {
        subject->stamp = &share->stamp;
        subject->lease = share_lease(share);
        return OUTCOME_DONE;
    }
    struct tree_place place;
    enum outcome outcome = file_place(call, call_word(call, call->args.slots[SLOT_FILE].at), &place);
    if (outcome == OUTCOME_DONE) outcome = file_is_there(&place, NODE_FILE);
    if (outcome != OUTCOME_DONE) return outcome;
    if (share_view(share, place.node, call_now_ms(call)).pending) return OUTCOME_DELETE_PENDING;
    subject->room = file_subject(place.node);
    subject->name = bytes_of(&subject->room, sizeof(subject->room));
    subject->noun = "file";
    subject->object = place.node;
    subject->stamp = &place.node->stamp;
    subject->lease = file_lease_of(place.node);
    subject->endless = true;
    return OUTCOME_DONE;
}

static enum outcome may_begin(struct call *call, const struct lease_subject *subject) {
    return subject->object ? file_may_be_leased(call, subject->object) : OUTCOME_DONE;
}

static void commit_lease(struct call *call, const struct lease_subject *subject, const struct lease *next,
                         enum lease_event event, bool expired) {
    struct share_target target = {.node = subject->object};
    struct share_change change = {
        .kind = subject->object ? FILE_LEASE : SHARE_LEASE,
        .lease = *next,
        .event = event,
        .expired = expired,
    };
    if (subject->object) change.path = call_word(call, call->args.slots[SLOT_FILE].at);
    share_commit(call, &target, &change, NULL);
}

static const struct order_index *leased(const void *value) {
    return &((const struct share *)value)->leased;
}

static struct file_lease *lease_at(struct entry *entry) {
    return container_of(entry, struct file_lease, entry);
}

static const struct lease *lease_of(struct entry *entry) {
    return lease_at(entry)->lease;
}

static bool leased_is_there(struct call *call, struct entry *entry) {
    return !share_view(call->value, lease_at(entry)->life->node, call_now_ms(call)).gone;
}

static char *called(struct entry *entry, struct bytes *name) {
    const struct file_node *node = lease_at(entry)->life->node;
    char *room = memory_alloc(node_path_length(node) + 1);
    *name = node_path(node, room);
    return room;
}

static struct bytes subject_of(struct entry *entry, uint64_t *room) {
    *room = file_subject(lease_at(entry)->life->node);
    return bytes_of(room, sizeof(*room));
}

const struct lease_home share_leases = {
    .find = find_subject,
    .commit = commit_lease,
    .leased = leased,
    .lease_of = lease_of,
    .there = leased_is_there,
    .called = called,
    .subject_of = subject_of,
    .may_begin = may_begin,
};

/* --- Information --- */

void share_info(RedisModuleInfoCtx *ctx) {
    struct share_census census = share_census();
    const struct wait_stats *waits = wait_stats();
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
        {"file_open_waits", waits->waits[WAIT_OPENING]},
        {"file_open_handoffs", waits->served[WAIT_OPENING]},
        {"file_open_waiters", waits->waiting[WAIT_OPENING]},
        {"file_lock_waits", waits->waits[WAIT_LOCK]},
        {"file_lock_handoffs", waits->served[WAIT_LOCK]},
        {"file_lock_waiters", waits->waiting[WAIT_LOCK]},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
    histogram_show(ctx, HISTOGRAM_FILES, "file_waiting_ms");
}
