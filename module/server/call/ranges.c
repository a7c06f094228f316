#include "server/call/ranges.h"

enum outcome range_check_size(struct call *call, uint64_t length, bool one_piece) {
    return reply_check_content_size(call, length, one_piece, "use RANGE");
}

/* What one range may take: two numbers of the server's protocol in an array. */
enum { RANGE_REPLY_BYTES = 48 };

enum outcome range_list_check_size(struct call *call, size_t count) {
    return reply_check_size(call, (uint64_t)count * RANGE_REPLY_BYTES, "use a smaller RANGE");
}

enum outcome range_read(const struct call *call, int slot, uint64_t all, struct page_range *range) {
    *range = (struct page_range){0, all};
    if (!args_given(&call->args, slot)) return OUTCOME_DONE;
    const struct argument *asked = &call->args.slots[slot];
    if ((uint64_t)asked->number >= all) return OUTCOME_INVALID_RANGE;
    range->offset = (uint64_t)asked->number;
    range->length = all - range->offset;
    if (asked->length >= 0 && (uint64_t)asked->length < range->length)
        range->length = (uint64_t)asked->length;
    return OUTCOME_DONE;
}

void reply_ranges(struct reply *out, const struct page_range *ranges, size_t count) {
    reply_array(out, (long)count);
    for (size_t i = 0; i < count; i++) {
        reply_array(out, 2);
        reply_number(out, (long long)ranges[i].offset);
        reply_number(out, (long long)ranges[i].length);
    }
}
