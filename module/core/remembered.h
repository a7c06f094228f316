/* Remembered calls: what a value stores of calls made with a token, so that a repeated call gets
 * the first one's reply.
 *
 *   by token ─▶ call              found in constant time
 *   segments ─▶ call call call …  in the order in which they were made; the oldest are forgotten first
 *
 * Calls are packed into segments, so that a million of them take a few thousand allocations. To remember one more, and
 * to forget the oldest, takes constant time. A call that is forgotten out of turn leaves a gap, which closes when it
 * is the oldest.
 *
 * Nothing here reads a clock. Most values remember nothing: then the pointer is NULL, which all functions accept. */
#ifndef HOLDFAST_REMEMBERED_H
#define HOLDFAST_REMEMBERED_H

#include "core/bytes.h"
#include "core/relocation.h"

#include <stdbool.h>
#include <stdint.h>

enum { TOKEN_MAX_BYTES = 64 };

struct remembered;

struct remembered_call {
    struct bytes token;
    uint32_t fingerprint; /* of the call's words */
    int64_t called_ms;
    struct bytes answer; /* a kept reply: see kept.h */
};

/* Valid until the next change. */
bool remembered_find(const struct remembered *remembered, struct bytes token, struct remembered_call *found);

/* A call with the same token is forgotten first. The new call must not be older than any other. */
void remembered_add(struct remembered **place, const struct remembered_call *call);

/* Forgets the `count` oldest calls; there must be that many. */
void remembered_forget(struct remembered **place, size_t count);
/* Forgets one; false when it is missing. */
bool remembered_forget_token(struct remembered **place, struct bytes token);

/* A mark outside of the remembered data: set when a call is remembered, to see later whether the entry
 * still is that call. */
void remembered_mark(struct remembered *remembered, struct bytes token, bool marked);
bool remembered_is_marked(const struct remembered *remembered, struct bytes token);

size_t remembered_count(const struct remembered *remembered);
/* The size of all of them, tokens and answers. */
size_t remembered_bytes(const struct remembered *remembered);
/* When the oldest and the newest call were made; INT64_MAX and 0 when there is none. */
int64_t remembered_oldest_ms(const struct remembered *remembered);
int64_t remembered_newest_ms(const struct remembered *remembered);
/* How many of the oldest calls were made up to this instant, counting at most `max`. */
size_t remembered_made_by(const struct remembered *remembered, int64_t instant_ms, size_t max);
/* How many of the oldest calls make up this many bytes, counting at most `max`. */
size_t remembered_taking(const struct remembered *remembered, size_t bytes, size_t max);

/* A walk from the oldest to the newest. It starts with a zeroed cursor. */
struct remembered_cursor {
    size_t segment, at;
};

bool remembered_next(const struct remembered *remembered, struct remembered_cursor *cursor,
                     struct remembered_call *call);

void remembered_end(struct remembered **place);

/* --- Memory --- */

size_t remembered_memory(const struct remembered *remembered);
/* How many allocations freeing it takes. */
size_t remembered_allocations(const struct remembered *remembered);

/* Moves the head, then the parts at one of this many places. */
void remembered_relocate(struct remembered **place, const struct relocation *relocation);
size_t remembered_places(const struct remembered *remembered);
void remembered_relocate_place(struct remembered *remembered, size_t at, const struct relocation *relocation);

/* The total of the process, for INFO. Values may be freed on another thread. */
size_t remembered_census(void);

#endif
