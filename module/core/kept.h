/* Kept replies: a reply as bytes, until its client can get it. A value remembers calls made with a token by
 * the same bytes (see remembered.h), so they are also in files and effects. The numbers must never change; new
 * ones go to the end.
 *
 * Each value is a type byte followed by its data. An array or a map begins with its count. The server side
 * writes and replays them; this file checks them. */
#ifndef HOLDFAST_KEPT_H
#define HOLDFAST_KEPT_H

#include "core/record.h"

#include <stdbool.h>

enum kept {
    KEPT_OK,
    KEPT_NULL,
    KEPT_ERROR,  /* class, code and text, NUL-terminated */
    KEPT_BYTES,  /* a string */
    KEPT_NUMBER, /* signed, as 64 bits */
    KEPT_REAL,   /* the bits of a double */
    KEPT_FLAG,
    KEPT_ARRAY,
    KEPT_MAP,
    KEPT_EXISTS,
    KEPT_VERSION, /* string: the text of a version */
    KEPT_GUID,    /* string: the text of a GUID */
    KEPT_DIGITS,  /* string: a GUID without dashes */
};

/* Maximum nesting of arrays and maps. */
enum { KEPT_DEPTH_MAX = 16 };

/* Iterates over a reply that is an array of GUIDs, starting with a zeroed reader. False at the end, and
 * for any other reply. */
bool kept_next_guid(struct bytes kept, struct record_reader *reader, struct guid *id);

/* Whether these bytes are exactly one valid reply. */
bool kept_is_sound(struct bytes kept);

#endif
