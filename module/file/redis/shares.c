/* SHARE.*: from a parsed call to a decision, and from a share to a reply. */
#include "file/redis/handlers.h"

#include "core/duration.h"
#include "core/policy.h"
#include "lease/redis/handlers.h"
#include "server/entropy.h"

const char *const share_snapshots_words[] = {"INCLUDE", NULL};
const char *const share_onclose_words[] = {"KEEP", "END", NULL};

enum { ONCLOSE_KEEP, ONCLOSE_END };
enum { ARG_TTL = 2 };

#define TTL_MOST_MS (INT64_C(365) * 24 * 3600 * 1000)

/* What a share's policies may permit: to read, to create, to write, to delete and to list. */
#define SHARE_PERMISSIONS "rcwdl"

static uint64_t asked_quota(const struct call *call) {
    bool given = args_given(&call->args, SLOT_SHARE_QUOTA);
    return given ? (uint64_t)call->args.slots[SLOT_SHARE_QUOTA].number : 0;
}

enum outcome share_create(struct call *call) {
    if (call->value) return OUTCOME_SHARE_EXISTS;
    struct stamp stamp = share_stamp(call);
    struct share_change change = {
        .kind = SHARE_CREATE,
        .stamp = stamp,
        .created_ms = stamp.modified_ms,
        .quota = asked_quota(call),
        .metadata = call->metadata.list,
    };
    share_commit(call, NULL, &change, NULL);
    reply_version(&call->out, stamp.etag);
    return OUTCOME_DONE;
}

/* A share's lease guards its deletion alone; an id that comes along anyway must be the right one. */
static enum outcome pass_lease(struct call *call, enum lease_use use) {
    const struct lease *lease = share_lease(call->value);
    int64_t now_ms = call_now_ms(call);
    enum outcome outcome = lease_gate(lease, call_lease_id(call), use, now_ms);
    switch (outcome) {
    case OUTCOME_LEASE_ID_MISSING: lease_note_holder(call, lease, bytes_of("", 0)); return outcome;
    case OUTCOME_LEASE_MISMATCH_BLOB:
        return lease_state(lease, now_ms) == LEASE_BREAKING ? OUTCOME_LEASE_BREAKING_SHARE
                                                            : OUTCOME_LEASE_MISMATCH_SHARE;
    case OUTCOME_LEASE_ABSENT_BLOB: return OUTCOME_LEASE_ABSENT_SHARE;
    default: return outcome;
    }
}

static void reply_snapshots(struct reply *out, const struct share *share) {
    reply_array(out, (long)share->snapshot_count);
    for (unsigned i = 0; i < share->snapshot_count; i++) reply_version(out, share->snapshots[i].id);
}

enum outcome share_get(struct call *call) {
    const struct share *share = call->value;
    enum outcome outcome = pass_lease(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_gone gone = share_gone(share, call_now_ms(call));
    struct reply_map map = reply_map_start(&call->out);
    reply_field_version(&map, "etag", share->stamp.etag);
    reply_field_number(&map, "last-modified", share->stamp.modified_ms);
    reply_field_number(&map, "created", share->created_ms);
    if (share->quota) reply_field_number(&map, "quota", (long long)share->quota);
    reply_field_number(&map, "files", (long long)(share->files - gone.files));
    reply_field_number(&map, "directories", (long long)share->directories);
    reply_field_number(&map, "bytes", (long long)(share->bytes - gone.bytes));
    reply_field(&map, "snapshots");
    reply_snapshots(&call->out, share);
    reply_lease_fields(&map, share_lease(share), call_now_ms(call));
    reply_field(&map, "meta");
    reply_pairs(&call->out, packed_view(share->metadata));
    reply_map_end(&map);
    return OUTCOME_DONE;
}

enum outcome share_getmeta(struct call *call) {
    const struct share *share = call->value;
    const struct stamp *stamp = &share->stamp;
    const struct packed *metadata = share->metadata;
    unsigned number;
    enum outcome outcome = pass_lease(call, LEASE_READ);
    if (outcome == OUTCOME_DONE) outcome = file_asked_snapshot(call, SLOT_SHARE_SNAPSHOT, &number);
    if (outcome != OUTCOME_DONE) return outcome;
    if (number) {
        stamp = &share->snapshots[number - 1].stamp;
        metadata = share->snapshots[number - 1].metadata;
    }
    reply_array(&call->out, 2);
    reply_version(&call->out, stamp->etag);
    reply_pairs(&call->out, packed_view(metadata));
    return OUTCOME_DONE;
}

enum outcome share_getacl(struct call *call) {
    const struct share *share = call->value;
    enum outcome outcome = pass_lease(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    struct reply_map map = reply_map_start(&call->out);
    reply_field_version(&map, "etag", share->stamp.etag);
    reply_field(&map, "policies");
    reply_policies(&call->out, packed_view(share->policies));
    reply_map_end(&map);
    return OUTCOME_DONE;
}

static enum outcome update(struct call *call, struct share_change *change) {
    enum outcome outcome = pass_lease(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    change->stamp = share_stamp(call);
    share_commit(call, NULL, change, NULL);
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

enum outcome share_setmeta(struct call *call) {
    struct share_change change = {.kind = SHARE_SETMETA, .metadata = call->metadata.list};
    return update(call, &change);
}

enum outcome share_setprops(struct call *call) {
    struct share_change change = {.kind = SHARE_SETPROPS, .quota = asked_quota(call)};
    return update(call, &change);
}

enum outcome share_setacl_check(struct call *call) {
    return policies_permit_only(call->policies.list, SHARE_PERMISSIONS);
}

enum outcome share_setacl(struct call *call) {
    struct share_change change = {.kind = SHARE_SETACL, .policies = call->policies.list};
    return update(call, &change);
}

enum outcome share_delete(struct call *call) {
    const struct share *share = call->value;
    enum outcome outcome = pass_lease(call, LEASE_WRITE);
    if (outcome != OUTCOME_DONE) return outcome;
    if (share->snapshot_count && !args_given(&call->args, SLOT_SHARE_SNAPSHOTS))
        return OUTCOME_SHARE_HAS_SNAPSHOTS;
    struct share_change change = {.kind = SHARE_DROP};
    share_commit(call, NULL, &change, NULL);
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

/* To take a snapshot changes nothing of the share, and so not its ETag. */
enum outcome share_snapshot(struct call *call) {
    const struct share *share = call->value;
    if (share->snapshot_count == SHARE_SNAPSHOTS_MOST) return OUTCOME_SHARE_SNAPSHOTS_FULL;
    bool given = args_given(&call->args, SLOT_META);
    file_end_due_sessions(call);
    struct share_change change = {
        .kind = SHARE_SNAPSHOT,
        .snapshot = version_mint(call_now_ms(call)),
        .stamp = share->stamp,
        .metadata = given ? call->metadata.list : packed_view(share->metadata),
    };
    share_commit(call, NULL, &change, NULL);
    reply_array(&call->out, 2);
    reply_version(&call->out, change.snapshot);
    reply_version(&call->out, change.stamp.etag);
    return OUTCOME_DONE;
}

/* --- Sessions --- */

static bool asked_ttl(const struct call *call, int64_t *ttl_ms) {
    return duration_read(call_word(call, ARG_TTL), ttl_ms) && *ttl_ms > 0 && *ttl_ms <= TTL_MOST_MS;
}

enum outcome share_connect_check(struct call *call) {
    int64_t ttl_ms;
    bool ends = args_given(&call->args, SLOT_SHARE_ONCLOSE) &&
                call->args.slots[SLOT_SHARE_ONCLOSE].number == ONCLOSE_END;
    if (ends && RedisModule_GetContextFlags(call->ctx) & REDISMODULE_CTX_FLAGS_LUA) {
        call_note(call, "a script has no connection that could end a session: ONCLOSE END");
        return OUTCOME_INVALID_VALUE;
    }
    if (ends && !attendance_is_possible(call)) {
        call_note(call, "the share's key is too long to end a session with its connection: ONCLOSE END");
        return OUTCOME_INVALID_VALUE;
    }
    if (asked_ttl(call, &ttl_ms)) return OUTCOME_DONE;
    if (duration_read(call_word(call, ARG_TTL), &ttl_ms))
        call_note(call, "ttl-seconds must be between 0.001 seconds and 365 days");
    else
        call_note(call, "ttl-seconds must be a number of seconds such as 30 or 2.5, without an exponent");
    return OUTCOME_INVALID_VALUE;
}

enum outcome share_connect(struct call *call) {
    struct share_change change = {.kind = SHARE_CONNECT, .session = entropy_guid(), .owner = {"", 0}};
    if (((const struct share *)call->value)->numbers >= SHARE_NUMBERS_MOST) return OUTCOME_OUT_OF_RANGE;
    asked_ttl(call, &change.ttl_ms);
    change.instant_ms = call_now_ms(call) + change.ttl_ms;
    change.ends_with_connection = args_given(&call->args, SLOT_SHARE_ONCLOSE) &&
                                  call->args.slots[SLOT_SHARE_ONCLOSE].number == ONCLOSE_END;
    if (args_given(&call->args, SLOT_SHARE_OWNER))
        change.owner = call_word(call, call->args.slots[SLOT_SHARE_OWNER].at);
    share_commit(call, NULL, &change, NULL);
    if (change.ends_with_connection) attendance_note(call, change.session);
    reply_guid(&call->out, change.session);
    return OUTCOME_DONE;
}

enum outcome share_ping(struct call *call) {
    struct share_target target = {NULL, NULL, NULL};
    enum outcome outcome = file_session(call, call_word(call, ARG_SESSION), &target.session);
    if (outcome != OUTCOME_DONE) return outcome;
    int64_t ttl_ms = target.session->ttl_ms;
    struct share_change change = {
        .kind = SHARE_PING, .session = target.session->id, .instant_ms = call_now_ms(call) + ttl_ms};
    share_commit(call, &target, &change, NULL);
    reply_number(&call->out, ttl_ms);
    return OUTCOME_DONE;
}

enum outcome share_disconnect(struct call *call) {
    struct share_target target = {NULL, NULL, NULL};
    enum outcome outcome = file_session(call, call_word(call, ARG_SESSION), &target.session);
    if (outcome != OUTCOME_DONE) return outcome;
    share_end_session(call, SHARE_DISCONNECT, target.session);
    reply_ok(&call->out);
    return OUTCOME_DONE;
}
