/* A layout: a table that says how a struct becomes a packed record, and a record a struct again.
 *
 *   struct ──layout_write──▶ record ──layout_read──▶ struct
 *
 * Each row is a field: where it lies in the struct, how it is written, and what makes it sound. A record has the fields
 * that a mask names, one bit for each row, in the order of the rows. One of the fields may be a set of parts: then
 * fields that belong to a part are in the record only if that part is in the set.
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
    CODEC_NUMBER,        /* uint64_t, as few bytes as it needs */
    CODEC_COUNT,         /* uint32_t, likewise */
    CODEC_WORD,          /* uint64_t, always eight bytes */
    CODEC_INSTANT,       /* int64_t, never negative, as few bytes as it needs */
    CODEC_VERSION,       /* version, never 0 */
    CODEC_MAYBE_VERSION, /* version, 0 for none */
    CODEC_STAMP,         /* struct stamp */
    CODEC_GUID,          /* struct guid */
    CODEC_BYTES,         /* struct bytes, borrowed from the record */
    CODEC_LIST,          /* struct packed_list, likewise */
    CODEC_OWN,           /* the field's own: see below */
};

/* How a field is written that no codec fits. */
struct own_codec {
    void (*write)(const void *field, struct record_writer *writer);
    void (*read)(struct record_reader *reader, void *field); /* fails the reader if it has to */
    version (*version_of)(const void *field); /* the newest version that it speaks of; may be NULL */
};

struct field {
    uint16_t offset;
    uint8_t codec;
    uint8_t part; /* the part that the field belongs to; 0 for a field that is always there */
    uint64_t max; /* the greatest number, the longest string; 0 for no limit */
    bool (*sound)(const void *field); /* may be NULL */
    const struct own_codec *own;
};

struct layout {
    const struct field *fields;
    unsigned count;
    uint64_t parts;        /* the mask of the field that is the set of parts; 0 for none */
    uint16_t parts_offset; /* an unsigned */
};

/* The row of the field whose mask has this one bit. */
#define FIELD(mask) [__builtin_ctzll(mask)]

void layout_write(const struct layout *layout, uint64_t mask, const void *from, struct record_writer *writer);

/* Fails the reader if a field does not fit or is not sound. */
void layout_read(const struct layout *layout, uint64_t mask, struct record_reader *reader, void *to);

/* The newest version that a struct's fields speak of; 0 for none. */
version layout_newest_version(const struct layout *layout, uint64_t mask, const void *from);

#endif
