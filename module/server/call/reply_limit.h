/* Limits on the size of one reply.
 *
 * With a few bytes a client can ask for more than the server has memory for: a sparse content of any declared size,
 * a block that is listed 50,000 times. So the size of a reply is counted before anything is allocated for it. A
 * content that can be read in parts is refused beyond the limit, and pages of lists end before it; the description
 * of a single object (its properties, metadata, policies; one entity, one message) is always replied.
 *
 * The limit is holdfast.max-reply-bytes; no string is longer than proto-max-bulk-len, either. Replies wait
 * in the server's memory until they are read, so near maxmemory a reply may take half of what is left, and
 * above it REPLY_LIMIT_MIN_BYTES. */
#ifndef HOLDFAST_REPLY_LIMIT_H
#define HOLDFAST_REPLY_LIMIT_H

#include "core/number.h"
#include "server/call/call.h"

extern long long max_reply_bytes; /* holdfast.max-reply-bytes */

/* The limit is never below this, however short memory is. */
enum { REPLY_LIMIT_MIN_BYTES = 1 << 20 };

/* The limit in bytes, for pages of at most `max` bytes. */
size_t reply_limit_up_to(size_t max);

/* Refuses a reply of this many bytes if it is too large, alone or together with what the transaction returns already;
 * `advice` tells how to get less. */
enum outcome reply_check_size(struct call *call, uint64_t length, const char *advice);

/* Refuses so many bytes of content that they may not be one string of a reply. Content that is not contiguous is copied
 * together first, so it counts twice. */
enum outcome reply_check_content_size(struct call *call, uint64_t length, bool one_piece, const char *advice);

/* How many items a page may have: as many as the option says, or else `otherwise`, but at most `limit`. */
static inline size_t reply_page_max(const struct call *call, int slot, int64_t otherwise, int64_t limit) {
    return (size_t)number_min(call_number(call, slot, otherwise), limit);
}

/* The size of a page of a list so far. A zeroed struct is an empty page. */
struct page_bytes {
    size_t taken;
    bool begun;
};

/* Adds an item of this size. False when it does not fit; the first item always does. */
bool page_bytes_take(struct page_bytes *page, size_t bytes);

#endif
