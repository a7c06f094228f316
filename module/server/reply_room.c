#include "server/reply_room.h"

#include "server/limits.h"
#include "server/refusal.h"
#include "server/settings.h"

#include <inttypes.h>

long long max_reply_bytes = 64LL << 20;

/* Half of what is left, since a content in pieces is put together before it is answered. */
static uint64_t left_in_memory(void) {
    if (!server_max_memory) return UINT64_MAX;
    double left = (1.0 - (double)RedisModule_GetUsedMemoryRatio()) * (double)server_max_memory / 2;
    return left > REPLY_ROOM_MIN_BYTES ? (uint64_t)left : REPLY_ROOM_MIN_BYTES;
}

/* How much memory is left is asked only when it matters. */
static uint64_t room_up_to(uint64_t max) {
    uint64_t room = size_min((uint64_t)max_reply_bytes, max);
    return room <= REPLY_ROOM_MIN_BYTES ? room : size_min(room, left_in_memory());
}

size_t reply_room_up_to(size_t max) {
    return (size_t)room_up_to(max);
}

static enum outcome refuse(struct call *call, uint64_t length, uint64_t room, const char *limit,
                           const char *advice) {
    call_note(call, "%" PRIu64 " bytes are more than the %" PRIu64 " that %s, %s", length, room, limit,
              advice);
    return OUTCOME_INVALID_RANGE;
}

enum outcome reply_fits(struct call *call, uint64_t length, const char *advice) {
    length += call_replied_before(call, length);
    if (length <= room_up_to(length)) return OUTCOME_DONE;
    uint64_t room = room_up_to(UINT64_MAX);
    bool configured = room == (uint64_t)max_reply_bytes;
    return refuse(call, length, room,
                  configured ? "holdfast.max-reply-bytes allows" : "the memory that is left allows", advice);
}

/* The memory that is left counts half already. */
enum outcome reply_content_fits(struct call *call, uint64_t length, bool one_piece, const char *advice) {
    uint64_t max_in_pieces = (uint64_t)max_reply_bytes / 2, longest = (uint64_t)longest_reply_bytes;
    if (length > longest) return refuse(call, length, longest, "proto-max-bulk-len allows", advice);
    if (one_piece || length <= max_in_pieces) return reply_fits(call, length, advice);
    return refuse(call, length, max_in_pieces, "holdfast.max-reply-bytes allows for a content in pieces",
                  advice);
}

bool page_room_take(struct page_room *room, size_t bytes) {
    if (room->begun && room->taken + bytes > room_up_to(room->taken + bytes)) return false;
    room->taken += bytes;
    room->begun = true;
    return true;
}
