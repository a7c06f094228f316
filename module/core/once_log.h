/* The log of ONCE: what a value stores of calls made with a token, so that a repeated call gets the first one's
 * reply.
 *
 *   by token ─▶ call              found in constant time
 *   segments ─▶ call call call …  in the order in which they were made; the oldest are forgotten first
 *
 * Calls are packed into segments, so that a million of them take a few thousand allocations. To remember one more, and
 * to forget the oldest, takes constant time. A call that is forgotten out of turn leaves a gap, which closes when it
 * is the oldest.
 *
 * Nothing here reads a clock. Most values remember nothing: then the pointer is NULL, which all functions accept. */
#ifndef HOLDFAST_ONCE_LOG_H
#define HOLDFAST_ONCE_LOG_H

#include "core/bytes.h"
#include "core/relocation.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TOKEN_MAX_BYTES = 64,
    ONCE_BYTES_MAX = 64 << 20, /* what one value remembers, and the longest reply */
};

struct once_log;

struct logged_call {
    struct bytes token;
    uint32_t fingerprint; /* of the call's words */
    int64_t called_ms;
    struct bytes answer; /* see packed_reply.h */
};

/* Valid until the next change. */
bool once_log_find(const struct once_log *log, struct bytes token, struct logged_call *found);

/* A call with the same token is forgotten first. The new call must not be older than any other. */
void once_log_add(struct once_log **place, const struct logged_call *call);

/* Forgets the `count` oldest calls; there must be that many. */
void once_log_forget(struct once_log **place, size_t count);
/* Forgets one; false when it is missing. */
bool once_log_forget_token(struct once_log **place, struct bytes token);

/* A mark outside of the stored data: set when a call is added, to see later whether the entry still is that call. */
void once_log_mark(struct once_log *log, struct bytes token, bool marked);
bool once_log_is_marked(const struct once_log *log, struct bytes token);

size_t once_log_count(const struct once_log *log);
/* The size of all of them, tokens and answers. */
size_t once_log_bytes(const struct once_log *log);
/* When the oldest and the newest call were made; INT64_MAX and 0 when there is none. */
int64_t once_log_oldest_ms(const struct once_log *log);
int64_t once_log_newest_ms(const struct once_log *log);
/* How many of the oldest calls were made up to this instant, counting at most `max`. */
size_t once_log_made_by(const struct once_log *log, int64_t instant_ms, size_t max);
/* How many of the oldest calls make up this many bytes, counting at most `max`. */
size_t once_log_taking(const struct once_log *log, size_t bytes, size_t max);

/* A walk from the oldest to the newest. It starts with a zeroed cursor. */
struct once_log_cursor {
    size_t segment, at;
};

bool once_log_next(const struct once_log *log, struct once_log_cursor *cursor, struct logged_call *call);

void once_log_end(struct once_log **place);

/* --- Memory --- */

size_t once_log_memory(const struct once_log *log);
/* How many allocations freeing it takes. */
size_t once_log_allocations(const struct once_log *log);

/* Moves the head, then the parts at one of this many places. */
void once_log_relocate(struct once_log **place, const struct relocation *relocation);
size_t once_log_places(const struct once_log *log);
void once_log_relocate_place(struct once_log *log, size_t at, const struct relocation *relocation);

/* The total of the process, for INFO. Values may be freed on another thread. */
size_t once_log_census(void);

#endif
