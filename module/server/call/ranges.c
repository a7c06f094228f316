#include "server/call/ranges.h"

#include "core/memory.h"
#include "core/page_ranges.h"
#include "core/sparse.h"
#include "server/call/refusal.h"
#include "server/call/reply.h"
#include "server/call/reply_limit.h"

#include <string.h>

/* What one range may take in a reply: two numbers of the server's protocol in an array. */
enum { RANGE_REPLY_BYTES = 48 };

enum outcome range_read(const struct call *call, uint64_t all, struct page_range *range) {
    *range = (struct page_range){0, all};
    if (!args_given(&call->args, SLOT_RANGE)) return OUTCOME_DONE;
    const struct argument *given = &call->args.slots[SLOT_RANGE];
    if ((uint64_t)given->number >= all) return OUTCOME_INVALID_RANGE;
    range->offset = (uint64_t)given->number;
    range->length = all - range->offset;
    if (given->length >= 0 && (uint64_t)given->length < range->length)
        range->length = (uint64_t)given->length;
    return OUTCOME_DONE;
}

/* --- Bytes --- */

/* Puts several runs together, since a string of a reply is one. */
static void reply_put_together(struct reply *out, const struct range_bytes *bytes, struct page_range range) {
    if (!reply_is_wanted(out)) return;
    char *whole = memory_alloc((size_t)range.length);
    for (uint64_t at = 0; at < range.length;) {
        struct bytes run = bytes->view(bytes->content, range.offset + at, range.length - at);
        memcpy(whole + at, run.data, run.length);
        at += run.length;
    }
    reply_bytes(out, bytes_of(whole, (size_t)range.length));
    memory_free(whole);
}

enum outcome range_answer_part(struct call *call, const struct range_bytes *bytes, struct page_range range,
                               const char *advice) {
    struct bytes view = bytes->view(bytes->content, range.offset, range.length);
    bool one_piece = view.length == range.length;
    enum outcome outcome = reply_check_content_size(call, range.length, one_piece, advice);
    if (outcome != OUTCOME_DONE) return outcome;
    if (bytes->etag) {
        reply_array(&call->out, 2);
        reply_version(&call->out, bytes->etag);
    }
    if (one_piece)
        reply_bytes(&call->out, view);
    else
        reply_put_together(&call->out, bytes, range);
    return OUTCOME_DONE;
}

enum outcome range_answer(struct call *call, const struct range_bytes *bytes) {
    struct page_range range;
    enum outcome outcome = range_read(call, bytes->length, &range);
    return outcome == OUTCOME_DONE ? range_answer_part(call, bytes, range, "use RANGE") : outcome;
}

/* --- Pages --- */

/* The last page ends at the end of the content. */
static void clip_ranges(struct range_list *list, uint64_t length) {
    struct page_range *last = list->count ? &list->ranges[list->count - 1] : NULL;
    if (last && last->offset + last->length > length) last->length = length - last->offset;
}

static enum outcome collect_ranges(struct call *call, const struct range_pages *pages,
                                   struct page_range window, struct page_ranges *ranges) {
    bool whole = pages->previous ? page_ranges_between(ranges, pages->pages, pages->previous, window)
                                 : page_ranges_of(ranges, pages->pages, window);
    if (!whole)
        return refusal_because_format(call, OUTCOME_INVALID_RANGE,
                                      "too many %s for one answer, use a smaller RANGE", pages->noun);
    clip_ranges(&ranges->pages, pages->length);
    clip_ranges(&ranges->cleared, pages->length);
    uint64_t count = ranges->pages.count + ranges->cleared.count;
    return reply_check_size(call, count * RANGE_REPLY_BYTES, "use a smaller RANGE");
}

static void reply_ranges(struct reply *out, const struct range_list *list) {
    reply_array(out, (long)list->count);
    for (size_t i = 0; i < list->count; i++) {
        reply_array(out, 2);
        reply_number(out, (long long)list->ranges[i].offset);
        reply_number(out, (long long)list->ranges[i].length);
    }
}

static void reply_pages(struct reply *out, const struct range_pages *pages,
                        const struct page_ranges *ranges) {
    struct reply_map map = reply_map(out, pages->previous ? 4 : 3);
    reply_field_version(&map, "etag", pages->etag);
    reply_field_number(&map, "content-length", (long long)pages->length);
    reply_field(&map, pages->noun);
    reply_ranges(out, &ranges->pages);
    if (!pages->previous) return;
    reply_field(&map, "cleared");
    reply_ranges(out, &ranges->cleared);
}

enum outcome range_answer_pages(struct call *call, const struct range_pages *pages, struct page_range range) {
    struct page_ranges ranges = {0};
    enum outcome outcome = collect_ranges(call, pages, sparse_window(range), &ranges);
    if (outcome == OUTCOME_DONE) reply_pages(&call->out, pages, &ranges);
    page_ranges_end(&ranges);
    return outcome;
}
