/* BLOB.* but for the listing: from a parsed call to a decision, and from a blob to a reply. */
#include "blob/blob_commands.h"

#include "core/memory.h"
#include "core/name.h"
#include "core/property.h"
#include "lease/lease_commands.h"
#include "server/effect.h"
#include "server/wait.h"

#include <inttypes.h>

enum { ARG_BLOB = 2, ARG_CONTENT = 3 };

/* A name that is too long is refused before anybody looks for it. */
void blob_expect(struct call *call) {
    struct bytes name = call_word(call, ARG_BLOB);
    if (name.length <= NAME_MAX_BYTES) call->search = container_expect(call->value, name);
}

/* The lease gate. Most blobs have no lease and most calls bring no id, and then there is nothing to ask. */
static enum outcome pass_lease(struct call *call, const struct blob *blob, enum lease_use use) {
    const struct guid *id = call_lease_id(call);
    if (!id && !(blob->extra && blob->extra->lease)) return OUTCOME_DONE;
    enum outcome outcome = lease_gate(blob_lease(blob), id, use, call_now_ms(call));
    if (outcome == OUTCOME_LEASE_ID_MISSING) lease_note_holder(call, blob_lease(blob), blob_name(blob));
    return outcome;
}

/* The blob that the call names, if it is there, its lease lets the call pass, and it is as the conditions want it. */
static enum outcome find(struct call *call, enum lease_use use, struct blob **blob) {
    *blob = container_found(call->value, &call->search);
    if (!*blob) return OUTCOME_BLOB_NOT_FOUND;
    enum outcome outcome = pass_lease(call, *blob, use);
    return outcome == OUTCOME_DONE ? call_conditions(call, &(*blob)->stamp, "blob") : outcome;
}

/* A write ends what is left of a lease that has ended. */
static void end_lease(struct call *call, const struct blob *blob, struct change *change) {
    if (!blob->extra || !blob->extra->lease) return;
    change->frees_lease = lease_ended(blob->extra->lease, call_now_ms(call));
    change->expired = lease_state(blob->extra->lease, call_now_ms(call)) == LEASE_EXPIRED;
}

enum outcome blob_put_check(struct call *call) {
    struct bytes content = call_word(call, ARG_CONTENT);
    if (content.length > (unsigned long long)max_blob_bytes) return OUTCOME_BODY_TOO_LARGE;
    if (!call->properties.list.count) return OUTCOME_DONE;
    return properties_match_content(call->properties.list, content) ? OUTCOME_DONE : OUTCOME_MD5_MISMATCH;
}

/* What a blob that is to be written must allow; one that is not there has neither a lease nor an ETag. */
static enum outcome may_put(struct call *call, const struct blob *blob) {
    if (!blob) return call_lease_id(call) ? OUTCOME_LEASE_ABSENT_BLOB : call_conditions(call, NULL, "blob");
    enum outcome outcome = pass_lease(call, blob, LEASE_WRITE);
    return outcome == OUTCOME_DONE ? call_conditions(call, &blob->stamp, "blob") : outcome;
}

enum outcome blob_put(struct call *call) {
    container_expect_blob(call->value, &call->search);
    int64_t now_ms = call_now_ms(call);
    struct blob *blob = container_found(call->value, &call->search);
    enum outcome outcome = may_put(call, blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct stamp stamp = commit_stamp(now_ms);
    struct change change = {
        .kind = CHANGE_PUT,
        .name = call->search.name,
        .stamp = stamp,
        .created_ms = stamp.modified_ms,
        .properties = call->properties.list,
        .metadata = call->metadata.list,
        .content = call_word(call, ARG_CONTENT),
    };
    if (blob) end_lease(call, blob, &change);
    RedisModuleString *content = call->argv[ARG_CONTENT];
    if (change.content.length > BLOB_INLINE_MAX) {
        change.chunk = effect_chunk(content, effect_arguments_shared(call->ctx));
        change.content = chunk_bytes(change.chunk);
    }
    commit_change(call, blob, &change, content);
    reply_version(call->ctx, stamp.etag);
    return OUTCOME_DONE;
}

static enum outcome fits_reply(struct call *call, uint64_t length) {
    if (length <= (uint64_t)longest_reply_bytes) return OUTCOME_DONE;
    call_note(call, "%" PRIu64 " bytes exceed proto-max-bulk-len, use RANGE", length);
    return OUTCOME_INVALID_RANGE;
}

/* The part of the blob that RANGE asks for; all of it without RANGE. */
static enum outcome asked_range(struct call *call, const struct blob *blob, uint64_t *offset,
                                uint64_t *length) {
    uint64_t all = blob->content.length;
    *offset = 0;
    *length = all;
    if (!args_given(&call->args, SLOT_RANGE)) return fits_reply(call, all);
    const struct argument *range = &call->args.slots[SLOT_RANGE];
    *offset = (uint64_t)range->number;
    if (*offset >= all) return OUTCOME_INVALID_RANGE;
    uint64_t left = all - *offset;
    *length = range->length < 0 || (uint64_t)range->length > left ? left : (uint64_t)range->length;
    return fits_reply(call, *length);
}

/* A content in several chunks has to be put together once, since a reply is one run of bytes. */
static void reply_in_one_piece(RedisModuleCtx *ctx, const struct blob *blob, uint64_t offset, size_t length) {
    char *whole = memory_alloc(length);
    blob_read(blob, offset, whole, length);
    reply_bytes(ctx, bytes_of(whole, length));
    memory_free(whole);
}

/* BLOCK waits for another ETag than the conditions know, or, without conditions, for the blob to be there. */
static enum outcome wait_for_news(struct call *call, enum outcome outcome) {
    bool waits =
        outcome == OUTCOME_UNCHANGED || (outcome == OUTCOME_BLOB_NOT_FOUND && !call->conditions.given);
    if (!waits || !args_given(&call->args, SLOT_BLOCK)) return outcome;
    if (call->mode == CALL_PROBE) return OUTCOME_WAITING;
    if (call->mode == CALL_TIMED_OUT) return OUTCOME_UNCHANGED;
    return wait_allowed(call) ? wait_in_line(call, WAIT_NEWS, call->search.name, WAIT_NO_INSTANT) : outcome;
}

enum outcome blob_get(struct call *call) {
    struct blob *blob;
    uint64_t offset, length;
    enum outcome outcome = wait_for_news(call, find(call, LEASE_READ, &blob));
    if (outcome == OUTCOME_DONE) outcome = asked_range(call, blob, &offset, &length);
    if (outcome != OUTCOME_DONE || call->mode == CALL_PROBE) return outcome;
    RedisModule_ReplyWithArray(call->ctx, 2);
    reply_version(call->ctx, blob->stamp.etag);
    struct bytes view = blob_view(blob, offset, length);
    if (view.length == length)
        reply_bytes(call->ctx, view);
    else
        reply_in_one_piece(call->ctx, blob, offset, (size_t)length);
    return OUTCOME_DONE;
}

enum outcome blob_stat(struct call *call) {
    struct blob *blob;
    enum outcome outcome = find(call, LEASE_READ, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct reply_list map = reply_map_start(call->ctx);
    reply_blob_fields(&map, blob, call_now_ms(call));
    reply_field(&map, "meta");
    reply_pairs(call->ctx, blob_metadata(blob));
    reply_map_end(&map);
    return OUTCOME_DONE;
}

enum outcome blob_getmeta(struct call *call) {
    struct blob *blob;
    enum outcome outcome = find(call, LEASE_READ, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    RedisModule_ReplyWithArray(call->ctx, 2);
    reply_version(call->ctx, blob->stamp.etag);
    reply_pairs(call->ctx, blob_metadata(blob));
    return OUTCOME_DONE;
}

/* The change of a blob that must be there, and its new ETag as the answer. */
static enum outcome update(struct call *call, struct blob *blob, struct change *change) {
    change->name = call->search.name;
    change->stamp = commit_stamp(call_now_ms(call));
    end_lease(call, blob, change);
    commit_change(call, blob, change, NULL);
    reply_version(call->ctx, change->stamp.etag);
    return OUTCOME_DONE;
}

enum outcome blob_setprops(struct call *call) {
    struct blob *blob;
    enum outcome outcome = find(call, LEASE_WRITE, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct change change = {.kind = CHANGE_SETBLOBPROPS, .properties = call->properties.list};
    return update(call, blob, &change);
}

enum outcome blob_setmeta(struct call *call) {
    struct blob *blob;
    enum outcome outcome = find(call, LEASE_WRITE, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct change change = {.kind = CHANGE_SETBLOBMETA, .metadata = call->metadata.list};
    return update(call, blob, &change);
}

enum outcome blob_delete(struct call *call) {
    struct blob *blob;
    enum outcome outcome = find(call, LEASE_WRITE, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct change change = {.kind = CHANGE_DELETE, .name = call->search.name};
    end_lease(call, blob, &change);
    commit_change(call, blob, &change, NULL);
    reply_ok(call->ctx);
    return OUTCOME_DONE;
}
