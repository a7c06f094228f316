/* Kept replies: an answer as bytes, until somebody can be told. The same bytes are what a value remembers of a call that
 * was made with a token (see remembered.h), so they stand in files and effects, too: the numbers are a promise, new ones
 * go to the end.
 *
 * Each value is a byte that says what it is, and what that sort of value has. An array or a map has its count in front.
 * server/reply.h writes and plays them; here is what makes them sound. */
#ifndef HOLDFAST_KEPT_H
#define HOLDFAST_KEPT_H

#include "core/record.h"

#include <stdbool.h>

enum kept {
    KEPT_OK,
    KEPT_NULL,
    KEPT_ERROR,  /* a text, class and code in front, ended by a zero */
    KEPT_BYTES,  /* a string */
    KEPT_NUMBER, /* signed, as 64 bits */
    KEPT_REAL,   /* the bits of a double */
    KEPT_FLAG,
    KEPT_ARRAY,
    KEPT_MAP,
    KEPT_EXISTS,
    KEPT_VERSION, /* a string that is a version's text */
    KEPT_GUID,    /* likewise a GUID's */
    KEPT_DIGITS,  /* likewise a GUID's without its dashes */
};

/* How deep arrays and maps may stand in each other. */
enum { KEPT_DEPTH_MAX = 16 };

/* Steps through a reply that is an array of GUIDs; a reader of zeros stands before the first. False at the end, and for
 * what is another reply. */
bool kept_next_guid(struct bytes kept, struct record_reader *reader, struct guid *id);

/* Whether these bytes are one reply and nothing else, which can be played to a client. */
bool kept_is_sound(struct bytes kept);

#endif
