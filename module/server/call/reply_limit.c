#include "server/call/reply_limit.h"

#include "server/base/server_config.h"
#include "server/call/limits.h"
#include "server/call/refusal.h"

#include <inttypes.h>

long long max_reply_bytes = 64LL << 20;

/* Half of what is left, since a content in pieces is put together before it is answered. */
static uint64_t left_in_memory(void) {
    if (!server_max_memory) return UINT64_MAX;
    double left = (1.0 - (double)RedisModule_GetUsedMemoryRatio()) * (double)server_max_memory / 2;
    return left > (double)REPLY_LIMIT_MIN_BYTES ? (uint64_t)left : REPLY_LIMIT_MIN_BYTES;
}

/* How much memory is left is asked only when it matters. */
static uint64_t limit_up_to(uint64_t max) {
    uint64_t limit = size_min((uint64_t)max_reply_bytes, max);
    return limit <= REPLY_LIMIT_MIN_BYTES ? limit : size_min(limit, left_in_memory());
}

size_t reply_limit_up_to(size_t max) {
    return (size_t)limit_up_to(max);
}

static enum outcome refuse_length(struct call *call, uint64_t length, uint64_t limit, const char *allowing,
                                  const char *advice) {
    return refusal_because_format(call, OUTCOME_INVALID_RANGE,
                                  "%" PRIu64 " bytes are more than the %" PRIu64 " that %s, %s", length,
                                  limit, allowing, advice);
}

enum outcome reply_check_size(struct call *call, uint64_t length, const char *advice) {
    length += limits_replied_before(call, length);
    if (length <= limit_up_to(length)) return OUTCOME_DONE;
    uint64_t limit = limit_up_to(UINT64_MAX);
    bool configured = limit == (uint64_t)max_reply_bytes;
    return refuse_length(call, length, limit,
                         configured ? "holdfast.max-reply-bytes allows" : "the memory that is left allows",
                         advice);
}

/* The bound that is told is the smallest one that the length exceeds. The memory that is left counts half already. */
enum outcome reply_check_content_size(struct call *call, uint64_t length, bool one_piece,
                                      const char *advice) {
    uint64_t longest = (uint64_t)server_max_string_bytes, most = (uint64_t)max_reply_bytes;
    if (!one_piece) most /= 2;
    if (length > longest && longest <= most)
        return refuse_length(call, length, longest, "proto-max-bulk-len allows", advice);
    if (one_piece || length <= most) return reply_check_size(call, length, advice);
    return refuse_length(call, length, most, "holdfast.max-reply-bytes allows for a content in pieces",
                         advice);
}

bool page_bytes_take(struct page_bytes *page, size_t bytes) {
    if (page->begun && page->taken + bytes > limit_up_to(page->taken + bytes)) return false;
    page->taken += bytes;
    page->begun = true;
    return true;
}
