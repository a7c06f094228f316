/* Append blobs: CREATEAPPEND, APPEND and SEAL. */
#include "blob/redis/blob_commands.h"
#include "blob/redis/settings.h"

enum outcome blob_createappend_decide(struct call *call) {
    struct blob *blob;
    enum outcome outcome = blob_find_to_create(call, KIND_APPEND, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct container_change *change = blob_decide_new(call, BLOB_CREATEAPPEND, blob, NULL);
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

enum outcome blob_append_check(struct call *call) {
    size_t length = call_word(call, ARG_CONTENT).length;
    if (!length) return refusal_because(call, OUTCOME_INVALID_VALUE, "there is nothing to append");
    return length <= (unsigned long long)max_append_bytes
               ? OUTCOME_DONE
               : blob_refuse_size(call, "holdfast.max-append-bytes");
}

static void note_length(struct call *call, const char *subject, uint64_t length) {
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, subject);
    text_put_number(&text, length, 1);
    text_put(&text, " bytes");
}

/* Checks the conditions that only BLOB.APPEND has, and the number of blocks. */
static enum outcome check_append(struct call *call, const struct blob *blob, size_t more) {
    const struct argument *slots = call->args.slots;
    uint64_t length = blob_length(blob);
    if (blob_special(blob)->sealed) return OUTCOME_BLOB_SEALED;
    if (args_given(&call->args, SLOT_IFPOSITION) && length != (uint64_t)slots[SLOT_IFPOSITION].number) {
        note_length(call, "the blob has ", length);
        return OUTCOME_APPEND_POSITION_NOT_MET;
    }
    if (args_given(&call->args, SLOT_IFMAXSIZE) && length + more > (uint64_t)slots[SLOT_IFMAXSIZE].number) {
        note_length(call, "the blob would have ", length + more);
        return OUTCOME_MAX_SIZE_NOT_MET;
    }
    return blob_special(blob)->appended < APPEND_BLOCKS_MAX ? OUTCOME_DONE : OUTCOME_BLOCK_COUNT_EXCEEDED;
}

enum outcome blob_append_decide(struct call *call) {
    struct blob *blob;
    RedisModuleString *content = call->argv[ARG_CONTENT];
    enum outcome outcome = blob_find_to_write(call, KIND_APPEND, &blob);
    if (outcome == OUTCOME_DONE) outcome = check_append(call, blob, api_bytes(content).length);
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = blob_decide_write(call, BLOB_APPEND, blob, content);
    change->offset = blob_length(blob);
    reply_array(&call->out, 3);
    reply_version(&call->out, change->stamp.etag);
    reply_number(&call->out, (long long)change->offset);
    reply_number(&call->out, (long long)blob_special(blob)->appended + 1);
    return OUTCOME_DONE;
}

/* Sealing a sealed blob changes nothing, so that a caller may try again. */
enum outcome blob_seal_decide(struct call *call) {
    struct blob *blob;
    enum outcome outcome = blob_find_to_write(call, KIND_APPEND, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    version etag = blob->stamp.etag;
    if (!blob_special(blob)->sealed) etag = blob_decide_write(call, BLOB_SEAL, blob, NULL)->stamp.etag;
    reply_version(&call->out, etag);
    return OUTCOME_DONE;
}
