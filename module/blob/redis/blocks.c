/* Block blobs in parts: PUTBLOCK, PUTBLOCKLIST and GETBLOCKLIST. */
#include "blob/blocks.h"
#include "blob/block_plan.h"
#include "blob/redis/blob_commands.h"
#include "blob/redis/settings.h"
#include "core/base64.h"
#include "server/call/limits.h"
#include "server/call/reply_limit.h"

const char *const block_words[] = {"COMMITTED", "UNCOMMITTED", "LATEST", NULL};
const char *const block_list_words[] = {"COMMITTED", "UNCOMMITTED", "ALL", NULL};

enum { ARG_BLOCK = 4 };
enum { LIST_COMMITTED, LIST_UNCOMMITTED, LIST_ALL };
enum { ID_TEXT_MAX_BYTES = (BLOCK_ID_MAX_BYTES + 2) / 3 * 4 };

/* --- Staging --- */

static enum outcome check_block_id(struct call *call, long length) {
    if (length < 1) return refusal_because(call, OUTCOME_INVALID_QUERY, "a block id must be base64");
    if (length <= BLOCK_ID_MAX_BYTES) return OUTCOME_DONE;
    return refusal_because_format(call, OUTCOME_OUT_OF_RANGE_INPUT, "a block id must decode to 1 to %d bytes",
                                  BLOCK_ID_MAX_BYTES);
}

enum outcome blob_putblock_check(struct call *call) {
    unsigned char id[BLOCK_ID_MAX_BYTES];
    size_t length = call_word(call, ARG_BLOCK).length;
    enum outcome outcome = check_block_id(call, base64_read(call_word(call, ARG_BLOCK_ID), id, sizeof(id)));
    if (outcome != OUTCOME_DONE) return outcome;
    if (length > (unsigned long long)max_block_bytes)
        return blob_refuse_size(call, "holdfast.max-block-bytes");
    if (length) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_INVALID_VALUE, "a block must not be empty");
}

/* Checks that blocks can be staged under this name. There are no conditions, since staging changes nothing that
 * they look at. */
static enum outcome check_staging(struct call *call, const struct blob *blob) {
    if (!blob) return call_lease_id(call) ? OUTCOME_LEASE_ABSENT_BLOB : OUTCOME_DONE;
    enum outcome outcome = blob_exists(blob) ? blob_check_kind(blob, KIND_BLOCK) : OUTCOME_DONE;
    if (outcome != OUTCOME_DONE) return outcome;
    return blob_is_being_copied(blob) ? OUTCOME_PENDING_COPY : blob_check_lease(call, blob, LEASE_WRITE);
}

/* All staged blocks of a blob have ids of one length, also those that one transaction stages. */
static enum outcome check_staged_block(struct call *call, const struct staging *staging, struct bytes id) {
    struct bytes name = call_word(call, ARG_BLOB);
    bool known = staging && staging_find(staging, id);
    uint64_t before = limits_taken_before(call, "blocks", name, !known);
    uint64_t ids = limits_taken_before(call, "ids", name, 1);
    uint64_t id_bytes = limits_taken_before(call, "bytes of ids", name, id.length);
    if (id_bytes != ids * id.length) return OUTCOME_INVALID_BLOB_OR_BLOCK;
    if (staging && id.length != staging->id_length) return OUTCOME_INVALID_BLOB_OR_BLOCK;
    bool fits = known || (staging ? staging->count : 0) + before < BLOCKS_STAGED_MAX;
    return fits ? OUTCOME_DONE : OUTCOME_BLOCK_COUNT_EXCEEDED;
}

enum outcome blob_putblock_decide(struct call *call) {
    char *bytes = call_alloc(call, BLOCK_ID_MAX_BYTES);
    long length = base64_read(call_word(call, ARG_BLOCK_ID), (unsigned char *)bytes, BLOCK_ID_MAX_BYTES);
    struct bytes id = bytes_of(bytes, (size_t)length);
    struct blob *blob = blob_named(call);
    enum outcome outcome = check_staging(call, blob);
    if (outcome == OUTCOME_DONE)
        outcome = check_staged_block(call, blob_staging(blob, call_now_ms(call)), id);
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = blob_decide_touch(call, BLOB_STAGE, blob, call->argv[ARG_BLOCK]);
    change->block_id = id;
    change->touched_ms = call_now_ms(call);
    return call_done(call);
}

/* --- Committing --- */

/* The pairs of the call as a list for block_plan_make; their ids have been checked. */
static struct packed_list given_blocks(const struct call *call, struct record_writer *writer) {
    const struct argument *pairs = &call->args.slots[SLOT_BLOCKS];
    const struct clause words = {.words = block_words};
    unsigned char id[BLOCK_ID_MAX_BYTES];
    for (int i = 0; i < pairs->count; i++) {
        int choice = args_word(&words, call_word(call, pairs->at + 2 * i));
        long length = base64_read(call_word(call, pairs->at + 2 * i + 1), id, sizeof(id));
        block_choice_put(writer, (enum block_choice)choice, bytes_of((const char *)id, (size_t)length));
    }
    return (struct packed_list){(uint64_t)pairs->count, record_written(writer)};
}

enum outcome blob_putblocklist_check(struct call *call) {
    const struct argument *pairs = &call->args.slots[SLOT_BLOCKS];
    unsigned char id[BLOCK_ID_MAX_BYTES];
    if (pairs->count > BLOCKS_COMMITTED_MAX) return OUTCOME_BLOCK_LIST_TOO_LONG;
    for (int i = 0; i < pairs->count; i++) {
        long length = base64_read(call_word(call, pairs->at + 2 * i + 1), id, sizeof(id));
        if (length < 1 || length > BLOCK_ID_MAX_BYTES) return OUTCOME_INVALID_BLOCK_ID;
    }
    return OUTCOME_DONE;
}

static void *keep_block(struct call *call, const void *bytes, size_t length) {
    return length ? memcpy(call_alloc(call, length), bytes, length) : NULL;
}

static void keep_record(struct call *call, const struct record_writer *record, struct record_writer *kept) {
    kept->data = keep_block(call, record->data, record->length);
    kept->length = kept->capacity = record->length;
}

/* A copy of the plan in memory of the call. */
static const struct block_plan *keep_plan(struct call *call, const struct block_plan *plan) {
    struct block_plan *kept = call_alloc(call, sizeof(*kept));
    kept->count = plan->count;
    kept->chunks = keep_block(call, plan->chunks, plan->count * sizeof(*plan->chunks));
    keep_record(call, &plan->choices, &kept->choices);
    keep_record(call, &plan->ids, &kept->ids);
    return kept;
}

static void decide_commit(struct call *call, struct blob *blob, const struct block_plan *plan) {
    struct container_change *change = blob_decide_new(call, BLOB_COMMIT, blob, NULL);
    change->plan = keep_plan(call, plan);
    change->list = block_plan_list(change->plan);
    if (blob_exists(blob)) change->created_ms = blob->created_ms;
    reply_version(&call->out, change->stamp.etag);
}

enum outcome blob_putblocklist_decide(struct call *call) {
    struct blob *blob;
    struct record_writer given;
    struct block_plan plan;
    enum outcome outcome = blob_find_to_create(call, KIND_BLOCK, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    record_start(&given);
    outcome = block_plan_make(blob, blob_staging(blob, call_now_ms(call)), given_blocks(call, &given), &plan);
    record_end(&given);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_commit(call, blob, &plan);
    block_plan_end(&plan);
    return OUTCOME_DONE;
}

/* --- Listing --- */

static void reply_block(struct reply *out, struct bytes id, const struct chunk *chunk) {
    char text[ID_TEXT_MAX_BYTES];
    base64_write(id, text);
    reply_array(out, 2);
    reply_bytes(out, bytes_of(text, base64_length(id.length)));
    reply_number(out, (long long)chunk_bytes(chunk).length);
}

static void reply_committed(struct reply *out, const struct blob *blob) {
    struct packed_list ids = block_list_view(blob_special(blob)->blocks);
    struct record_reader reader = record_reader(ids.items);
    reply_array(out, (long)ids.count);
    for (size_t i = 0; i < ids.count; i++)
        reply_block(out, record_bytes(&reader), content_chunk(blob_content(blob), i));
}

static void reply_staged(struct reply *out, const struct staging *staging) {
    reply_array(out, staging ? (long)staging->count : 0);
    if (!staging) return;
    struct order_cursor cursor = staging_walk(staging);
    for (const struct staged_block *block; (block = staged_block_at(&cursor)); order_cursor_next(&cursor))
        reply_block(out, entry_name(&block->entry), block->chunk);
}

/* A blob, its snapshot, or a name that has only staged blocks. */
static enum outcome find_listed(struct call *call, const struct blob **blob) {
    *blob = blob_named(call);
    bool snapshot = args_given(&call->args, SLOT_SNAPSHOT);
    bool there = blob_exists(*blob) || (!snapshot && *blob);
    if (there && snapshot) *blob = blob_given_snapshot(call, *blob);
    if (!there || !*blob) return OUTCOME_BLOB_NOT_FOUND;
    enum outcome outcome = blob_exists(*blob) ? blob_check_kind(*blob, KIND_BLOCK) : OUTCOME_DONE;
    if (outcome == OUTCOME_DONE) outcome = blob_check_lease(call, *blob, LEASE_READ);
    return outcome == OUTCOME_DONE && blob_is_arriving(*blob) ? OUTCOME_PENDING_COPY : outcome;
}

/* The bytes of a block in the reply, besides its id. */
enum { BLOCK_REPLY_BYTES = 48 };

static uint64_t listed_bytes(struct call *call, const struct blob *blob, int64_t which) {
    const struct staging *staging = blob_staging(blob, call_now_ms(call));
    struct packed_list committed = block_list_view(blob_special(blob)->blocks);
    uint64_t bytes = 0;
    if (which != LIST_UNCOMMITTED)
        bytes += committed.count * BLOCK_REPLY_BYTES + base64_length(committed.items.length);
    if (which != LIST_COMMITTED && staging)
        bytes += staging->count * (BLOCK_REPLY_BYTES + base64_length(staging->id_length));
    return bytes;
}

enum outcome blob_getblocklist_decide(struct call *call) {
    const struct blob *blob;
    enum outcome outcome = find_listed(call, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct argument *given = &call->args.slots[SLOT_BLOCKS];
    int64_t which = args_given(&call->args, SLOT_BLOCKS) ? given->word : LIST_COMMITTED;
    outcome = reply_check_size(call, listed_bytes(call, blob, which),
                               which == LIST_ALL ? "ask for COMMITTED and UNCOMMITTED one by one"
                                                 : "a list of blocks has no parts");
    if (outcome != OUTCOME_DONE) return outcome;
    long fields = 2 * blob_exists(blob) + (which != LIST_UNCOMMITTED) + (which != LIST_COMMITTED);
    struct reply_map map = reply_map(&call->out, fields);
    if (blob_exists(blob)) {
        reply_field_version(&map, "etag", blob->stamp.etag);
        reply_field_number(&map, "content-length", (long long)blob_length(blob));
    }
    if (which != LIST_UNCOMMITTED) {
        reply_field(&map, "committed");
        reply_committed(&call->out, blob);
    }
    if (which != LIST_COMMITTED) {
        reply_field(&map, "uncommitted");
        reply_staged(&call->out, blob_staging(blob, call_now_ms(call)));
    }
    return OUTCOME_DONE;
}
