/* Page blobs: CREATEPAGE, PUTPAGE, CLEARPAGE and GETPAGES. */
#include "blob/redis/blob_commands.h"
#include "blob/snapshots.h"
#include "core/number.h"
#include "server/call/form.h"
#include "server/call/ranges.h"

#include <inttypes.h>

const char *const comparison_words[] = {"LE", "LT", "EQ", NULL};

enum { COMPARE_LE, COMPARE_LT, COMPARE_EQ };
enum { ARG_PAGES = 4 };

static bool is_whole_pages(int64_t number) {
    return number % PAGE_BYTES == 0;
}

enum outcome blob_check_size(struct call *call) {
    int64_t size = call_number(call, SLOT_SIZE, 0);
    if (is_whole_pages(size)) return OUTCOME_DONE;
    return refusal_because_format(call, OUTCOME_INVALID_VALUE, "a size is a multiple of %d, not %" PRId64,
                                  PAGE_BYTES, size);
}

enum outcome blob_createpage_decide(struct call *call) {
    struct blob *blob;
    enum outcome outcome = blob_find_to_create(call, KIND_PAGE, &blob);
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = blob_decide_new(call, BLOB_CREATEPAGE, blob, NULL);
    change->length = call_size(call, SLOT_SIZE);
    if (args_given(&call->args, SLOT_SEQUENCE)) change->sequence = call->args.slots[SLOT_SEQUENCE].number;
    reply_version(&call->out, change->stamp.etag);
    return OUTCOME_DONE;
}

/* --- Writing --- */

enum outcome blob_putpage_check(struct call *call) {
    size_t length = call_word(call, ARG_PAGES).length;
    enum outcome outcome = form_check_bytes(call, length, "of pages can be put");
    if (outcome != OUTCOME_DONE) return outcome;
    bool sound = length && length % PAGE_BYTES == 0 && is_whole_pages(call->args.slots[SLOT_OFFSET].number);
    return sound ? OUTCOME_DONE : OUTCOME_INVALID_PAGE_RANGE;
}

enum outcome blob_clearpage_check(struct call *call) {
    bool sound = is_whole_pages(call->args.slots[SLOT_OFFSET].number) &&
                 is_whole_pages(call->args.slots[SLOT_LENGTH].number);
    return sound ? OUTCOME_DONE : OUTCOME_INVALID_PAGE_RANGE;
}

static enum outcome refuse_sequence(struct call *call, int64_t sequence) {
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, "the blob's sequence number is ");
    text_put_number(&text, (uint64_t)sequence, 1);
    return OUTCOME_SEQUENCE_NOT_MET;
}

static enum outcome check_sequence(struct call *call, int64_t sequence) {
    if (!args_given(&call->args, SLOT_IFSEQUENCE)) return OUTCOME_DONE;
    const struct argument *given = &call->args.slots[SLOT_IFSEQUENCE];
    bool met = given->word == COMPARE_LE   ? sequence <= given->number
               : given->word == COMPARE_LT ? sequence < given->number
                                           : sequence == given->number;
    return met ? OUTCOME_DONE : refuse_sequence(call, sequence);
}

/* Writes pages, or clears them when the content is NULL. Replies with the ETag and the sequence number. */
static enum outcome write_pages(struct call *call, uint64_t length, RedisModuleString *content) {
    struct blob *blob;
    uint64_t offset = call_size(call, SLOT_OFFSET);
    enum outcome outcome = blob_find_to_write(call, KIND_PAGE, &blob);
    if (outcome == OUTCOME_DONE) outcome = check_sequence(call, blob_special(blob)->sequence);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!size_fits(offset, length, blob_length(blob))) return OUTCOME_INVALID_PAGE_RANGE;
    struct container_change *change =
        blob_decide_write(call, content ? BLOB_PUTPAGE : BLOB_CLEARPAGE, blob, content);
    change->offset = offset;
    if (!content) change->length = length;
    reply_array(&call->out, 2);
    reply_version(&call->out, change->stamp.etag);
    reply_number(&call->out, blob_special(blob)->sequence);
    return OUTCOME_DONE;
}

enum outcome blob_putpage_decide(struct call *call) {
    return write_pages(call, call_word(call, ARG_PAGES).length, call->argv[ARG_PAGES]);
}

enum outcome blob_clearpage_decide(struct call *call) {
    return write_pages(call, call_size(call, SLOT_LENGTH), NULL);
}

/* --- Ranges --- */

/* The snapshot given by SINCE, which must be an older state of the same pages. */
static enum outcome find_previous_blob(const struct call *call, const struct blob *blob,
                                       const struct blob **previous) {
    version since = call->args.slots[SLOT_SINCE].version;
    if (args_given(&call->args, SLOT_SNAPSHOT) && since > call->args.slots[SLOT_SNAPSHOT].version)
        return OUTCOME_PREVIOUS_NEWER;
    *previous = snapshots_find(blob_found(call), since);
    if (!*previous) return OUTCOME_PREVIOUS_NOT_FOUND;
    return blob_special(*previous)->born == blob_special(blob)->born ? OUTCOME_DONE
                                                                     : OUTCOME_BLOB_OVERWRITTEN;
}

enum outcome blob_getpages_decide(struct call *call) {
    const struct blob *blob, *previous = NULL;
    struct page_range range;
    enum outcome outcome = blob_find_content_to_read(call, KIND_PAGE, &blob);
    if (outcome == OUTCOME_DONE) outcome = range_read(call, blob_length(blob), &range);
    if (outcome == OUTCOME_DONE && args_given(&call->args, SLOT_SINCE))
        outcome = find_previous_blob(call, blob, &previous);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct range_pages pages = {.noun = "pages",
                                      .pages = blob_pages(blob),
                                      .previous = previous ? blob_pages(previous) : NULL,
                                      .length = blob_length(blob),
                                      .etag = blob->stamp.etag};
    return range_answer_pages(call, &pages, range);
}
