/* The SHARE.* commands. */
#include "file/handle_lifetime.h"
#include "file/redis/connections.h"
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"
#include "file/redis/handles.h"

#include "core/duration.h"
#include "core/number.h"
#include "lease/redis/leases.h"
#include "server/base/entropy.h"

const char *const share_snapshots_words[] = {"INCLUDE", NULL};
const char *const share_onclose_words[] = {"KEEP", "END", NULL};

enum { ONCLOSE_KEEP, ONCLOSE_END };
enum { ARG_TTL = 2 };

#define TTL_MAX_MS (INT64_C(365) * 24 * 3600 * 1000)

/* Decides a change that gives the share a new ETag, and replies with it. */
static struct share_change *decide_share_change(struct call *call, enum share_change_kind kind) {
    struct share_change *change = share_decide(call, kind);
    change->stamp = decision_new_stamp(call);
    reply_version(&call->out, change->stamp.etag);
    return change;
}

enum outcome share_create_decide(struct call *call) {
    if (call->value) return OUTCOME_SHARE_EXISTS;
    struct share_change *change = decide_share_change(call, SHARE_CREATE);
    change->created_ms = change->stamp.modified_ms;
    change->quota = call_size(call, SLOT_SHARE_QUOTA);
    change->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

static void reply_snapshots(struct reply *out, const struct share *share) {
    reply_array(out, (long)share->snapshot_count);
    for (unsigned i = 0; i < share->snapshot_count; i++) reply_version(out, share->snapshots[i].id);
}

enum outcome share_get_decide(struct call *call) {
    const struct share *share = call->value;
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_gone gone = share_gone(share, call_now_ms(call));
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_version(&map, "etag", share->stamp.etag);
        reply_field_number(&map, "last-modified", share->stamp.modified_ms);
        reply_field_number(&map, "created", share->created_ms);
        if (share->quota) reply_field_number(&map, "quota", (long long)share->quota);
        reply_field_number(&map, "files", (long long)(share->files - gone.files));
        reply_field_number(&map, "directories", (long long)share->directories);
        reply_field_number(&map, "bytes", number_of_sum(share->bytes - gone.bytes));
        reply_field(&map, "snapshots");
        reply_snapshots(map.out, share);
        lease_reply_fields(&map, share_lease(share), call_now_ms(call));
        reply_field(&map, "meta");
        reply_pairs(map.out, packed_view(share->metadata));
    }
    return OUTCOME_DONE;
}

enum outcome share_getmeta_decide(struct call *call) {
    const struct share *share = call->value;
    const struct stamp *stamp = &share->stamp;
    const struct packed *metadata = share->metadata;
    unsigned number;
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome == OUTCOME_DONE) outcome = file_find_snapshot(call, SLOT_SNAPSHOT, &number);
    if (outcome != OUTCOME_DONE) return outcome;
    if (number) {
        stamp = &share->snapshots[number - 1].stamp;
        metadata = share->snapshots[number - 1].metadata;
    }
    reply_metadata(&call->out, stamp->etag, packed_view(metadata));
    return OUTCOME_DONE;
}

enum outcome share_getacl_decide(struct call *call) {
    const struct share *share = call->value;
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_version(&map, "etag", share->stamp.etag);
        reply_field(&map, "policies");
        reply_policies(map.out, packed_view(share->policies));
    }
    return OUTCOME_DONE;
}

enum outcome share_setmeta_decide(struct call *call) {
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_share_change(call, SHARE_SETMETA)->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

enum outcome share_setprops_decide(struct call *call) {
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_share_change(call, SHARE_SETPROPS)->quota = call_size(call, SLOT_SHARE_QUOTA);
    return OUTCOME_DONE;
}

enum outcome share_setacl_decide(struct call *call) {
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_share_change(call, SHARE_SETACL)->policies = call->policies.list;
    return OUTCOME_DONE;
}

enum outcome share_delete_decide(struct call *call) {
    const struct share *share = call->value;
    enum outcome outcome = lease_check_own(call, LEASE_WRITE);
    if (outcome != OUTCOME_DONE) return outcome;
    if (share->snapshot_count && !args_given(&call->args, SLOT_SNAPSHOTS)) return OUTCOME_SHARE_HAS_SNAPSHOTS;
    share_decide(call, SHARE_DROP);
    return call_done(call);
}

/* A snapshot does not change the share, so its ETag stays. */
enum outcome share_snapshot_decide(struct call *call) {
    const struct share *share = call->value;
    if (share->snapshot_count == SHARE_SNAPSHOTS_MAX) return OUTCOME_SHARE_SNAPSHOTS_FULL;
    bool given = args_given(&call->args, SLOT_META);
    struct share_change *change = share_decide(call, SHARE_SNAPSHOT);
    change->snapshot = decision_new_version(call);
    change->stamp = share->stamp;
    change->metadata = given ? call->metadata.list : packed_view(share->metadata);
    reply_array(&call->out, 2);
    reply_version(&call->out, change->snapshot);
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

/* --- Sessions --- */

static bool ends_with_connection(const struct call *call) {
    return args_given(&call->args, SLOT_SHARE_ONCLOSE) &&
           call->args.slots[SLOT_SHARE_ONCLOSE].number == ONCLOSE_END;
}

static bool given_ttl(const struct call *call, int64_t *ttl_ms) {
    return duration_read(call_word(call, ARG_TTL), ttl_ms) && *ttl_ms > 0 && *ttl_ms <= TTL_MAX_MS;
}

enum outcome share_connect_check(struct call *call) {
    int64_t ttl_ms;
    bool ends = ends_with_connection(call);
    if (ends && RedisModule_GetContextFlags(call->ctx) & REDISMODULE_CTX_FLAGS_LUA)
        return refusal_because(call, OUTCOME_INVALID_VALUE,
                               "a script has no connection that could end a session: ONCLOSE END");
    if (ends && !connections_accept(call))
        return refusal_because(
            call, OUTCOME_INVALID_VALUE,
            "the share's key is too long to end a session with its connection: ONCLOSE END");
    if (given_ttl(call, &ttl_ms)) return OUTCOME_DONE;
    bool is_time = duration_read(call_word(call, ARG_TTL), &ttl_ms);
    return refusal_because(
        call, OUTCOME_INVALID_VALUE,
        is_time ? "ttl-seconds must be between 0.001 seconds and 365 days"
                : "ttl-seconds must be a number of seconds such as 30 or 2.5, without an exponent");
}

enum outcome share_connect_decide(struct call *call) {
    if (((const struct share *)call->value)->numbers >= SHARE_NUMBERS_MAX) return OUTCOME_OUT_OF_RANGE;
    struct share_change *change = share_decide(call, SHARE_CONNECT);
    change->session = entropy_guid();
    given_ttl(call, &change->ttl_ms);
    change->instant_ms = call_now_ms(call) + change->ttl_ms;
    change->ends_with_connection = ends_with_connection(call);
    change->owner = call_option(call, SLOT_SHARE_OWNER);
    reply_guid(&call->out, change->session);
    return OUTCOME_DONE;
}

static struct share_change *decide_for_session(struct call *call, enum share_change_kind kind,
                                               struct share_session *session) {
    struct share_change *change = share_decide(call, kind);
    change->session = session->id;
    change->holder = session;
    return change;
}

enum outcome share_ping_decide(struct call *call) {
    struct share_session *session;
    enum outcome outcome = file_find_session(call, call_word(call, ARG_SESSION), &session);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_for_session(call, SHARE_PING, session)->instant_ms = call_now_ms(call) + session->ttl_ms;
    reply_number(&call->out, session->ttl_ms);
    return OUTCOME_DONE;
}

enum outcome share_disconnect_decide(struct call *call) {
    struct share_session *session;
    enum outcome outcome = file_find_session(call, call_word(call, ARG_SESSION), &session);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_for_session(call, SHARE_DISCONNECT, session);
    return call_done(call);
}
