/* A layout: a table that maps a struct to a packed record and back.
 *
 *   struct ──layout_write──▶ record ──layout_read──▶ struct
 *
 * Each row is a field: its offset in the struct, how it is written, and how it is checked. A record has the fields
 * in a mask, one bit for each row, in the order of the rows. One field may be a set of parts: fields that belong to
 * a part are then in the record only if that part is in the set.
 *
 * A reader takes nothing on trust: what is too large, too long or not sound fails, and nothing is allocated. */
#ifndef HOLDFAST_LAYOUT_H
#define HOLDFAST_LAYOUT_H

#include "core/record.h"
#include "core/version.h"

enum codec {
    CODEC_BYTE,          /* uint8_t */
    CODEC_FLAG,          /* bool */
    CODEC_ENUM,          /* an enum or an unsigned, one byte in the record */
    CODEC_NUMBER,        /* uint64_t, variable length */
    CODEC_COUNT,         /* uint32_t, variable length */
    CODEC_WORD,          /* uint64_t, always eight bytes */
    CODEC_INSTANT,       /* int64_t, never negative, variable length */
    CODEC_VERSION,       /* version, never 0 */
    CODEC_MAYBE_VERSION, /* version, 0 for none */
    CODEC_STAMP,         /* struct stamp */
    CODEC_GUID,          /* struct guid */
    CODEC_BYTES,         /* struct bytes, borrowed from the record */
    CODEC_LIST,          /* struct packed_list, borrowed from the record */
    CODEC_OWN,           /* see struct own_codec */
};

/* How to write a field that fits no other codec. */
struct own_codec {
    void (*write)(const void *field, struct record_writer *writer);
    void (*read)(struct record_reader *reader, void *field); /* fails the reader on bad input */
    version (*version_of)(const void *field); /* the newest version in the field; may be NULL */
};

struct field {
    uint16_t offset;
    uint8_t codec;
    uint8_t part; /* part that the field belongs to; 0 for a field that is always present */
    uint64_t max; /* maximum number or length; 0 for no limit */
    bool (*sound)(const void *field); /* may be NULL */
    const struct own_codec *own;
};

struct layout {
    const struct field *fields;
    uint64_t parts;        /* mask of the field that is the set of parts; 0 for none */
    uint16_t parts_offset; /* an unsigned */
};

void layout_write(const struct layout *layout, uint64_t mask, const void *from, struct record_writer *writer);

/* Fails the reader if a field does not fit or is not valid. Returns the newest version in the fields; 0 for none. */
version layout_read(const struct layout *layout, uint64_t mask, struct record_reader *reader, void *to);

#endif
