/* BLOB.SNAPSHOT, BLOB.COPY within a server, and BLOB.ABORTCOPY. */
#include "blob/blocks.h"
#include "blob/redis/blob_commands.h"
#include "blob/snapshots.h"
#include "core/duration.h"
#include "core/name.h"
#include "core/number.h"
#include "server/call/conditions.h"
#include "server/call/limits.h"

enum { ARG_COPY_ID = 3 };

/* The bytes of a label besides the two names: an address and a snapshot id. */
enum { BESIDES_BYTES = 330 };

enum outcome blob_snapshot_decide(struct call *call) {
    struct blob *blob = blob_found(call);
    if (!blob_exists(blob)) return OUTCOME_BLOB_NOT_FOUND;
    if (blob_is_being_copied(blob)) return OUTCOME_PENDING_COPY;
    enum outcome outcome = blob_check_lease(call, blob, LEASE_READ);
    if (outcome == OUTCOME_DONE) outcome = conditions_check_object(call, &blob->stamp, "blob");
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = blob_decide_change(call, BLOB_SNAPSHOT, blob, NULL);
    change->snapshot = decision_new_version(call);
    change->stamp = blob->stamp;
    if (args_given(&call->args, SLOT_META)) {
        change->parts = PART_METADATA;
        change->metadata = call->metadata.list;
        change->stamp = decision_new_stamp(call);
    }
    reply_array(&call->out, 2);
    reply_version(&call->out, change->snapshot);
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

/* --- Copying --- */

enum outcome blob_copy_check(struct call *call) {
    struct conditions conditions;
    conditions_read(call, SLOT_SOURCE, &conditions);
    enum outcome outcome = conditions_check_form(&conditions, CONDITIONS_WRITE);
    return outcome == OUTCOME_DONE && args_given(&call->args, SLOT_FROM) ? copy_from_check(call) : outcome;
}

/* The source of a copy. */
struct source {
    bool elsewhere;
    struct bytes name;
    version snapshot;
    const struct blob *blob;
};

version copy_given_snapshot(const struct call *call) {
    return args_given(&call->args, SLOT_SNAPSHOT) ? call->args.slots[SLOT_SNAPSHOT].version : 0;
}

static enum outcome find_source(struct call *call, struct source *source) {
    const struct container *container = call->value;
    enum outcome outcome = call_check_other_key(call);
    if (outcome == OUTCOME_NOT_PERMITTED) refusal_of_command(call, call->command);
    if (outcome != OUTCOME_DONE) return outcome;
    source->elsewhere = !bytes_equal(call_word(call, ARG_CONTAINER), call_word(call, ARG_SOURCE_CONTAINER));
    source->name = call_word(call, ARG_SOURCE_BLOB);
    source->snapshot = copy_given_snapshot(call);
    if (source->elsewhere) container = call_other_value(call, &outcome);
    if (outcome == OUTCOME_CONTAINER_NOT_FOUND)
        return refusal_because(call, outcome, "the source container does not exist");
    if (outcome != OUTCOME_DONE) return outcome;
    source->blob = container_find(container, source->name);
    if (blob_exists(source->blob) && args_given(&call->args, SLOT_SNAPSHOT))
        source->blob = snapshots_find(source->blob, source->snapshot);
    if (!blob_exists(source->blob))
        return refusal_because(call, OUTCOME_BLOB_NOT_FOUND, "the source blob does not exist");
    if (!blob_is_arriving(source->blob)) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_PENDING_COPY, "a copy to the source is pending");
}

/* A finite lease may end during a copy, so it cannot cover one. */
static enum outcome check_lease_for_copy(struct call *call, const struct blob *target) {
    const struct lease *lease = blob_lease(target);
    bool locked = lease_locked(lease_state(lease, call_now_ms(call)));
    return locked && lease->duration_ms != DURATION_INFINITE_MS ? OUTCOME_INFINITE_LEASE_REQUIRED
                                                                : OUTCOME_DONE;
}

static enum outcome check_target_lease(struct call *call, const struct blob *target) {
    if (!target) return OUTCOME_DONE;
    enum outcome outcome = blob_check_lease(call, target, LEASE_WRITE);
    return outcome == OUTCOME_DONE ? check_lease_for_copy(call, target) : outcome;
}

static enum outcome check_target_conditions(struct call *call, const struct blob *target) {
    enum outcome outcome = conditions_check_object(call, blob_stamp(target), "target");
    return outcome == OUTCOME_CONDITION_NOT_MET ? OUTCOME_TARGET_CONDITION_NOT_MET : outcome;
}

enum outcome copy_check_target(struct call *call, const struct blob *target) {
    if (!target && call_lease_id(call)) return OUTCOME_LEASE_ABSENT_BLOB;
    if (target && blob_is_being_copied(target)) return OUTCOME_PENDING_COPY;
    enum outcome outcome = check_target_lease(call, target);
    return outcome == OUTCOME_DONE ? check_target_conditions(call, target) : outcome;
}

static enum outcome check_source_conditions(struct call *call, const struct blob *source) {
    struct conditions target = call->conditions;
    conditions_read(call, SLOT_SOURCE, &call->conditions);
    enum outcome outcome = conditions_check(&call->conditions, CONDITIONS_WRITE, &source->stamp);
    if (outcome == OUTCOME_CONDITION_NOT_MET) {
        refusal_describe_object(call, &source->stamp, "source");
        outcome = OUTCOME_SOURCE_CONDITION_NOT_MET;
    }
    call->conditions = target;
    return outcome;
}

static enum outcome check_copy(struct call *call, const struct blob *target, const struct blob *source) {
    bool of_some_kind = blob_exists(target) && !blob_is_untyped(target);
    if (of_some_kind && target->kind != source->kind) return OUTCOME_INVALID_BLOB_TYPE;
    enum outcome outcome = copy_check_target(call, target);
    return outcome == OUTCOME_DONE ? check_source_conditions(call, source) : outcome;
}

/* A copy from another container looks at each block; within a container blocks are shared as a whole. A page blob has
 * no blocks. */
static enum outcome count_blocks(struct call *call, const struct source *source) {
    if (!source->elsewhere || source->blob->kind == KIND_PAGE) return OUTCOME_DONE;
    return limits_count_listed(call, content_chunks(blob_content(source->blob)), BLOCKS_COMMITTED_MAX);
}

void copy_put_label(const struct call *call, struct record_writer *label) {
    bool snapshot = args_given(&call->args, SLOT_SNAPSHOT);
    char id[VERSION_TEXT_LENGTH];
    struct bytes container = call_word(call, ARG_SOURCE_CONTAINER);
    size_t max = COPY_SOURCE_MAX_BYTES - NAME_MAX_BYTES - BESIDES_BYTES;
    record_put_raw(label, bytes_of(container.data, size_min(container.length, max)));
    record_put_byte(label, '/');
    record_put_raw(label, call_word(call, ARG_SOURCE_BLOB));
    if (!snapshot) return;
    version_write(call->args.slots[SLOT_SNAPSHOT].version, id);
    record_put_raw(label, bytes_text("?snapshot="));
    record_put_raw(label, bytes_of(id, sizeof(id)));
}

void copy_reply(struct call *call, const struct container_change *change, const char *status) {
    reply_array(&call->out, 3);
    reply_version(&call->out, change->stamp.etag);
    reply_version(&call->out, change->copy.id);
    reply_bytes(&call->out, bytes_text(status));
}

static void decide_copy(struct call *call, struct blob *target, const struct source *source) {
    struct record_writer *label = call_writer(call);
    copy_put_label(call, label);
    struct container_change *change =
        blob_decide_new(call, BLOB_COPY, target, source->elsewhere ? call->argv[ARG_SOURCE_CONTAINER] : NULL);
    change->from_elsewhere = source->elsewhere;
    change->source = source->name;
    change->source_snapshot = source->snapshot;
    if (args_given(&call->args, SLOT_META)) change->parts = PART_METADATA;
    change->copy = (struct copy){.status = COPY_SUCCESS,
                                 .id = decision_new_version(call),
                                 .source = record_written(label),
                                 .done = blob_length(source->blob),
                                 .total = blob_length(source->blob),
                                 .completed_ms = change->stamp.modified_ms};
    copy_reply(call, change, "success");
}

enum outcome blob_copy_decide(struct call *call) {
    if (args_given(&call->args, SLOT_FROM)) return blob_copy_from(call);
    struct source source;
    struct blob *target = blob_named(call);
    enum outcome outcome = find_source(call, &source);
    if (outcome == OUTCOME_DONE) outcome = check_copy(call, target, source.blob);
    if (outcome == OUTCOME_DONE) outcome = count_blocks(call, &source);
    if (outcome == OUTCOME_DONE) decide_copy(call, target, &source);
    return outcome;
}

/* --- Aborting --- */

static enum outcome check_abort(const struct blob *blob, version id) {
    if (!blob_is_being_copied(blob)) return OUTCOME_NO_PENDING_COPY;
    return blob_special(blob)->copy->id == id ? OUTCOME_DONE : OUTCOME_COPY_ID_MISMATCH;
}

enum outcome blob_abortcopy_check(struct call *call) {
    version id;
    return version_read(call_word(call, ARG_COPY_ID), &id) ? OUTCOME_DONE : OUTCOME_INVALID_QUERY;
}

enum outcome blob_abortcopy_decide(struct call *call) {
    version id;
    struct blob *blob = blob_found(call);
    version_read(call_word(call, ARG_COPY_ID), &id);
    if (!blob_exists(blob)) return OUTCOME_BLOB_NOT_FOUND;
    enum outcome outcome = blob_check_lease(call, blob, LEASE_WRITE);
    if (outcome == OUTCOME_DONE) outcome = check_abort(blob, id);
    if (outcome != OUTCOME_DONE) return outcome;
    blob_decide_change(call, BLOB_ABORTCOPY, blob, NULL)->stamp = decision_new_stamp(call);
    return call_done(call);
}
