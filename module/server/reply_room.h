/* How much one reply may hold.
 *
 * A client can name with a few bytes more than the server has memory for: a sparse content of any declared size, a block
 * that is listed 50,000 times. So a reply is counted before anything is allocated for it. What can be read in parts is
 * refused beyond the bound, and pages of lists end before it; what one object alone has to say (its properties, metadata,
 * policies; one entity, one message) is always answered.
 *
 * The bound is holdfast.max-reply-bytes; no string is longer than proto-max-bulk-len, either. Replies wait in the server's
 * memory until they are read, so near maxmemory a reply may take half of what is left, and above it
 * REPLY_ROOM_MIN_BYTES. */
#ifndef HOLDFAST_REPLY_ROOM_H
#define HOLDFAST_REPLY_ROOM_H

#include "server/command.h"

/* However short memory is. */
enum { REPLY_ROOM_MIN_BYTES = 1 << 20 };

/* In bytes, for pages that never hold more than `most`. */
size_t reply_room_up_to(size_t most);

/* Whether a reply may hold so many bytes; `advice` tells how to get less. */
enum outcome reply_fits(struct call *call, uint64_t length, const char *advice);

/* Whether so many bytes of a content may be one string of a reply. What is not in one piece is put together first, so it
 * counts twice. */
enum outcome reply_content_fits(struct call *call, uint64_t length, bool one_piece, const char *advice);

/* What a page of a list has taken so far. A struct of zeros is an empty one. */
struct page_room {
    size_t taken;
    bool begun;
};

/* An item more, of so many bytes. False when the page has no room for it; the first one is always taken. */
bool page_room_take(struct page_room *room, size_t bytes);

#endif
