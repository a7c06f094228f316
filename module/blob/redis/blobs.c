/* The commands that all kinds of blobs have, and what the handlers of blobs share. */
#include "blob/redis/blob_commands.h"
#include "blob/redis/settings.h"

#include "blob/snapshots.h"
#include "core/inlining.h"
#include "core/name.h"
#include "core/property.h"
#include "lease/redis/leases.h"
#include "server/call/conditions.h"
#include "server/call/ranges.h"

const char *const snapshots_words[] = {"INCLUDE", "ONLY", NULL};
const char *const sequence_words[] = {"MAX", "UPDATE", "INCREMENT", NULL};

enum { DELETE_INCLUDE, DELETE_ONLY };
enum { SEQUENCE_MAX, SEQUENCE_UPDATE, SEQUENCE_INCREMENT };

/* A name that is too long will be refused, so it is not looked up. */
void blob_prefetch(struct call *call) {
    struct bytes name = call_word(call, ARG_BLOB);
    if (name.length > NAME_MAX_BYTES) return;
    call->search = (struct call_search){name.data, container_prefetch(call->value, name)};
}

/* --- Finding and checking --- */

struct blob *blob_found(const struct call *call) {
    return container_found(call->value, &call->search.lookup);
}

struct blob *blob_named(struct call *call) {
    struct blob *blob = blob_found(call);
    return !blob || blob_exists(blob) || blob_staging(blob, call_now_ms(call)) ? blob : NULL;
}

ASIDE static enum outcome check_gate(struct call *call, const struct blob *blob, enum lease_use use) {
    enum outcome outcome =
        lease_check_use(blob_lease(blob), LEASE_OF_BLOB, call_lease_id(call), use, call_now_ms(call));
    if (outcome == OUTCOME_LEASE_ID_MISSING) lease_note_holder(call, blob_lease(blob), blob_name(blob));
    return outcome;
}

/* Most blobs have no lease and most calls give no id: then there is nothing to check. */
enum outcome blob_check_lease(struct call *call, const struct blob *blob, enum lease_use use) {
    bool is_leased = blob->extra && blob->extra->lease;
    return is_leased || call_lease_id(call) ? check_gate(call, blob, use) : OUTCOME_DONE;
}

enum outcome blob_check_kind(const struct blob *blob, unsigned kind) {
    bool any = kind == ANY_KIND || (blob_is_untyped(blob) && blob_is_being_copied(blob));
    return any || blob->kind == kind ? OUTCOME_DONE : OUTCOME_INVALID_BLOB_TYPE;
}

const struct stamp *blob_stamp(const struct blob *blob) {
    return blob_exists(blob) ? &blob->stamp : NULL;
}

const struct blob *blob_given_snapshot(const struct call *call, const struct blob *base) {
    return snapshots_find(base, call->args.slots[SLOT_SNAPSHOT].version);
}

/* The blob, or its snapshot, for a reading command. */
static enum outcome find_to_read(struct call *call, unsigned kind, const struct blob **blob) {
    *blob = blob_found(call);
    if (!blob_exists(*blob)) return OUTCOME_BLOB_NOT_FOUND;
    if (args_given(&call->args, SLOT_SNAPSHOT)) *blob = blob_given_snapshot(call, *blob);
    if (!*blob) return OUTCOME_BLOB_NOT_FOUND;
    enum outcome outcome = blob_check_kind(*blob, kind);
    if (outcome == OUTCOME_DONE) outcome = blob_check_lease(call, *blob, LEASE_READ);
    return outcome == OUTCOME_DONE ? conditions_check_object(call, &(*blob)->stamp, "blob") : outcome;
}

enum outcome blob_find_content_to_read(struct call *call, unsigned kind, const struct blob **blob) {
    enum outcome outcome = find_to_read(call, kind, blob);
    return outcome == OUTCOME_DONE && blob_is_arriving(*blob) ? OUTCOME_PENDING_COPY : outcome;
}

/* For a blob that may be uncommitted, which has no ETag. */
static enum outcome check_lease_and_conditions(struct call *call, const struct blob *blob) {
    enum outcome outcome = blob_check_lease(call, blob, LEASE_WRITE);
    return outcome == OUTCOME_DONE ? conditions_check_object(call, blob_stamp(blob), "blob") : outcome;
}

static enum outcome check_writable(struct call *call, const struct blob *blob) {
    return blob_is_being_copied(blob) ? OUTCOME_PENDING_COPY : check_lease_and_conditions(call, blob);
}

enum outcome blob_find_to_write(struct call *call, unsigned kind, struct blob **blob) {
    *blob = blob_found(call);
    if (!blob_exists(*blob)) return OUTCOME_BLOB_NOT_FOUND;
    enum outcome outcome = blob_check_kind(*blob, kind);
    return outcome == OUTCOME_DONE ? check_writable(call, *blob) : outcome;
}

enum outcome blob_find_to_create(struct call *call, enum blob_kind kind, struct blob **blob) {
    *blob = blob_named(call);
    if (!*blob)
        return call_lease_id(call) ? OUTCOME_LEASE_ABSENT_BLOB : conditions_check_object(call, NULL, "blob");
    bool of_some_kind = blob_exists(*blob) && !blob_is_untyped(*blob);
    enum outcome outcome = of_some_kind ? blob_check_kind(*blob, kind) : OUTCOME_DONE;
    return outcome == OUTCOME_DONE ? check_writable(call, *blob) : outcome;
}

/* --- Changes --- */

struct container_change *blob_decide_change(struct call *call, enum container_change_kind kind,
                                            struct blob *blob, RedisModuleString *content) {
    struct container_change *change = decision_add_with(call, kind, content);
    change->name = call->search.lookup.name;
    change->sought = true;
    change->blob = blob;
    return change;
}

struct container_change *blob_decide_touch(struct call *call, enum container_change_kind kind,
                                           struct blob *blob, RedisModuleString *content) {
    struct container_change *change = blob_decide_change(call, kind, blob, content);
    if (!blob || !blob->extra || !blob->extra->lease) return change;
    change->frees_lease = lease_ended(blob->extra->lease, call_now_ms(call));
    change->expired = lease_state(blob->extra->lease, call_now_ms(call)) == LEASE_EXPIRED;
    return change;
}

struct container_change *blob_decide_write(struct call *call, enum container_change_kind kind,
                                           struct blob *blob, RedisModuleString *content) {
    struct container_change *change = blob_decide_touch(call, kind, blob, content);
    change->stamp = decision_new_stamp(call);
    return change;
}

struct container_change *blob_decide_new(struct call *call, enum container_change_kind kind,
                                         struct blob *blob, RedisModuleString *content) {
    struct container_change *change = blob_decide_write(call, kind, blob, content);
    change->created_ms = change->stamp.modified_ms;
    change->properties = call->properties.list;
    change->metadata = call->metadata.list;
    return change;
}

enum outcome blob_refuse_size(struct call *call, const char *limit) {
    return refusal_because_format(call, OUTCOME_BODY_TOO_LARGE, "the content is larger than %s allows",
                                  limit);
}

enum outcome blob_put_check(struct call *call) {
    struct bytes content = call_word(call, ARG_CONTENT);
    if (content.length > (unsigned long long)max_blob_bytes)
        return blob_refuse_size(call, "holdfast.max-blob-bytes");
    if (!call->properties.list.count) return OUTCOME_DONE;
    return properties_match_content(call->properties.list, content) ? OUTCOME_DONE : OUTCOME_MD5_MISMATCH;
}

enum outcome blob_put_decide(struct call *call) {
    struct blob *blob;
    container_prefetch_blob(call->value, &call->search.lookup);
    call_read_clock(call);
    enum outcome outcome = blob_find_to_create(call, KIND_BLOCK, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = blob_decide_new(call, BLOB_PUT, blob, call->argv[ARG_CONTENT]);
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

/* --- Reading --- */

static struct bytes view_of_blob(const void *blob, uint64_t offset, uint64_t length) {
    return blob_view(blob, offset, length);
}

/* BLOCK waits for a change of the ETag or, without conditions, for the blob to exist. Nobody waits for a
 * snapshot, which never changes. When the time is up the reply is null, even where a caller without BLOCK
 * gets an error. */
static enum outcome await_news(struct call *call, enum outcome outcome) {
    bool news_may_come = outcome == OUTCOME_UNCHANGED || outcome == OUTCOME_PENDING_COPY ||
                         (outcome == OUTCOME_BLOB_NOT_FOUND && !call->conditions.given);
    if (!news_may_come || args_given(&call->args, SLOT_SNAPSHOT)) return outcome;
    decision_not_yet(call, &blob_news, call->search.lookup.name, WAIT_NO_INSTANT, outcome);
    decision_gives_up(call, OUTCOME_UNCHANGED);
    return outcome;
}

enum outcome blob_get_decide(struct call *call) {
    const struct blob *blob;
    enum outcome outcome = blob_find_content_to_read(call, ANY_KIND, &blob);
    if (outcome != OUTCOME_DONE) return await_news(call, outcome);
    return range_answer(call, &(struct range_bytes){.content = blob,
                                                    .view = view_of_blob,
                                                    .length = blob_length(blob),
                                                    .etag = blob->stamp.etag});
}

enum outcome blob_stat_decide(struct call *call) {
    const struct blob *blob;
    enum outcome outcome = find_to_read(call, ANY_KIND, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        blob_reply_fields(&map, blob, args_given(&call->args, SLOT_SNAPSHOT), FIELDS_ALL, call_now_ms(call));
        reply_field(&map, "meta");
        reply_pairs(map.out, blob_metadata(blob));
    }
    return OUTCOME_DONE;
}

enum outcome blob_getmeta_decide(struct call *call) {
    const struct blob *blob;
    enum outcome outcome = find_to_read(call, ANY_KIND, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_metadata(&call->out, blob->stamp.etag, blob_metadata(blob));
    return OUTCOME_DONE;
}

/* --- Writing --- */

enum outcome blob_setprops_check(struct call *call) {
    const uint64_t any = ARGS_BIT(SLOT_PROPS) | ARGS_BIT(SLOT_SIZE) | ARGS_BIT(SLOT_SEQUENCE);
    if (!(call->args.given & any))
        return refusal_because(call, OUTCOME_SYNTAX, "syntax error: PROPS, SIZE or SEQUENCE is missing");
    return blob_check_size(call);
}

/* The new sequence number, as SEQUENCE asks for it. */
static enum outcome next_sequence(const struct call *call, int64_t now, int64_t *next) {
    const struct argument *given = &call->args.slots[SLOT_SEQUENCE];
    if (given->word == SEQUENCE_INCREMENT) {
        *next = now == INT64_MAX ? now : now + 1;
        return now == INT64_MAX ? OUTCOME_SEQUENCE_TOO_LARGE : OUTCOME_DONE;
    }
    *next = given->word == SEQUENCE_MAX && now > given->number ? now : given->number;
    return OUTCOME_DONE;
}

enum outcome blob_setprops_decide(struct call *call) {
    struct blob *blob;
    int64_t sequence = 0;
    bool sized = args_given(&call->args, SLOT_SIZE), sequenced = args_given(&call->args, SLOT_SEQUENCE);
    enum outcome outcome = blob_find_to_write(call, sized || sequenced ? KIND_PAGE : ANY_KIND, &blob);
    if (outcome == OUTCOME_DONE && sequenced)
        outcome = next_sequence(call, blob_special(blob)->sequence, &sequence);
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = blob_decide_write(call, BLOB_SETPROPS, blob, NULL);
    change->parts = (args_given(&call->args, SLOT_PROPS) ? PART_PROPERTIES : 0U) |
                    (sequenced ? PART_SEQUENCE : 0U) | (sized ? PART_LENGTH : 0U);
    change->properties = call->properties.list;
    change->sequence = sequence;
    if (sized) change->length = call_size(call, SLOT_SIZE);
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

enum outcome blob_setmeta_decide(struct call *call) {
    struct blob *blob;
    enum outcome outcome = blob_find_to_write(call, ANY_KIND, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = blob_decide_write(call, BLOB_SETMETA, blob, NULL);
    change->metadata = call->metadata.list;
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

/* --- Deleting --- */

enum outcome blob_delete_check(struct call *call) {
    if (!args_given(&call->args, SLOT_SNAPSHOT) || !args_given(&call->args, SLOT_SNAPSHOTS))
        return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_INVALID_VALUE, "SNAPSHOT and SNAPSHOTS exclude each other");
}

/* Deleting all snapshots is a write to the blob, also when there are none; deleting one is not. */
static enum outcome delete_all_snapshots(struct call *call, struct blob *base) {
    if (snapshots_count(base))
        blob_decide_touch(call, BLOB_DELETESNAPSHOTS, base, NULL);
    else if (lease_ended(blob_lease(base), call_now_ms(call)))
        blob_decide_touch(call, BLOB_LEASE, base, NULL)->lease = lease_freed(blob_lease(base));
    return call_done(call);
}

static enum outcome delete_snapshot(struct call *call) {
    const struct blob *snapshot;
    enum outcome outcome = find_to_read(call, ANY_KIND, &snapshot);
    if (outcome != OUTCOME_DONE) return outcome;
    struct blob *base = blob_found(call);
    blob_decide_change(call, BLOB_DELETESNAPSHOTS, base, NULL)->snapshot =
        call->args.slots[SLOT_SNAPSHOT].version;
    return call_done(call);
}

/* A blob with a pending copy can be deleted with its snapshots, which aborts the copy. */
enum outcome blob_delete_decide(struct call *call) {
    if (args_given(&call->args, SLOT_SNAPSHOT)) return delete_snapshot(call);
    struct blob *blob = blob_named(call);
    /* Conditions do not see staged blocks. */
    bool found = call->conditions.given ? blob_exists(blob) : blob != NULL;
    bool given = args_given(&call->args, SLOT_SNAPSHOTS);
    bool only = given && call->args.slots[SLOT_SNAPSHOTS].number == DELETE_ONLY;
    enum outcome outcome = !found ? OUTCOME_BLOB_NOT_FOUND
                           : only ? check_writable(call, blob)
                                  : check_lease_and_conditions(call, blob);
    if (outcome != OUTCOME_DONE) return outcome;
    if (only) return delete_all_snapshots(call, blob);
    if (!given && snapshots_count(blob)) return OUTCOME_SNAPSHOTS_PRESENT;
    blob_decide_touch(call, BLOB_DELETE, blob, NULL)->minted = container_deletion(call, blob);
    return call_done(call);
}
