/* Packed replies: a reply as bytes, until its client can get it. A value stores the answers to calls made with a
 * token as the same bytes (see once_log.h), so they are also in files and effects. The numbers must never change; new
 * ones go to the end.
 *
 * Each value is a type byte followed by its data. An array or a map begins with its count. The server side
 * writes and replays them; this file checks them. */
#ifndef HOLDFAST_PACKED_REPLY_H
#define HOLDFAST_PACKED_REPLY_H

#include "core/record.h"

#include <stdbool.h>

enum packed_reply {
    PACKED_OK,
    PACKED_NULL,
    PACKED_ERROR,  /* class, code and text, NUL-terminated */
    PACKED_BYTES,  /* a string */
    PACKED_NUMBER, /* signed, as 64 bits */
    PACKED_REAL,   /* the bits of a double */
    PACKED_FLAG,
    PACKED_ARRAY,
    PACKED_MAP,
    PACKED_EXISTS,
    PACKED_VERSION, /* string: the text of a version */
    PACKED_GUID,    /* string: the text of a GUID */
    PACKED_DIGITS,  /* string: a GUID without dashes */
};

/* Maximum nesting of arrays and maps. */
enum { PACKED_DEPTH_MAX = 16 };

/* Iterates over a reply that is an array of GUIDs, starting with a zeroed reader. False at the end, and
 * for any other reply. */
bool packed_reply_next_guid(struct bytes packed, struct record_reader *reader, struct guid *id);

/* Whether these bytes are exactly one valid reply. */
bool packed_reply_is_sound(struct bytes packed);

#endif
