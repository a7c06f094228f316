#include "change/layout.h"

#include "core/condition.h"
#include "core/guid.h"
#include "core/packed.h"

/* Whether the struct has the field at all: one that belongs to a part may be missing. */
static bool is_present(const struct layout *layout, uint64_t mask, const struct field *field,
                       const char *object) {
    if (!field->part || !(mask & layout->parts)) return true;
    const unsigned *parts = (const void *)(object + layout->parts_offset);
    return *parts & field->part;
}

/* --- Writing --- */

static void write_stamp(const struct stamp *stamp, struct record_writer *writer) {
    record_put_word(writer, stamp->etag);
    record_put_number(writer, (uint64_t)stamp->modified_ms);
}

static void write_field(const struct field *field, const void *at, struct record_writer *writer) {
    switch ((enum codec)field->codec) {
    case CODEC_BYTE: record_put_byte(writer, *(const uint8_t *)at); break;
    case CODEC_FLAG: record_put_byte(writer, *(const bool *)at); break;
    case CODEC_ENUM: record_put_byte(writer, (uint8_t) * (const unsigned *)at); break;
    case CODEC_NUMBER: record_put_number(writer, *(const uint64_t *)at); break;
    case CODEC_COUNT: record_put_number(writer, *(const uint32_t *)at); break;
    case CODEC_WORD:
    case CODEC_VERSION:
    case CODEC_MAYBE_VERSION: record_put_word(writer, *(const uint64_t *)at); break;
    case CODEC_INSTANT: record_put_number(writer, (uint64_t) * (const int64_t *)at); break;
    case CODEC_STAMP: write_stamp(at, writer); break;
    case CODEC_GUID: record_put_guid(writer, *(const struct guid *)at); break;
    case CODEC_BYTES: record_put_bytes(writer, *(const struct bytes *)at); break;
    case CODEC_LIST: record_put_list(writer, *(const struct packed_list *)at); break;
    case CODEC_OWN: field->own->write(at, writer); break;
    }
}

void layout_write(const struct layout *layout, uint64_t mask, const void *from,
                  struct record_writer *writer) {
    for (uint64_t left = mask; left; left &= left - 1) {
        const struct field *field = &layout->fields[__builtin_ctzll(left)];
        if (is_present(layout, mask, field, from))
            write_field(field, (const char *)from + field->offset, writer);
    }
}

/* --- Reading --- */

/* A number within its limit; 0 if it is not. */
static uint64_t limit_number(struct record_reader *reader, uint64_t number, uint64_t max) {
    if (max && number > max) reader->failed = true;
    return reader->failed ? 0 : number;
}

static int64_t read_instant(struct record_reader *reader, uint64_t max) {
    int64_t instant_ms = record_instant(reader);
    return (int64_t)limit_number(reader, (uint64_t)instant_ms, max);
}

static version read_version(struct record_reader *reader) {
    version v = record_word(reader);
    if (!v) reader->failed = true;
    return limit_number(reader, v, VERSION_MAX);
}

static struct bytes read_bytes(struct record_reader *reader, uint64_t max) {
    struct bytes bytes = record_bytes(reader);
    limit_number(reader, bytes.length, max);
    return reader->failed ? bytes_of("", 0) : bytes;
}

static version read_stamp(struct record_reader *reader, struct stamp *stamp) {
    stamp->etag = read_version(reader);
    stamp->modified_ms = record_instant(reader);
    return stamp->etag;
}

static version read_own(const struct own_codec *own, struct record_reader *reader, void *at) {
    own->read(reader, at);
    return own->version_of && !reader->failed ? own->version_of(at) : 0;
}

/* Returns the newest version in it. */
static version read_field(const struct field *field, struct record_reader *reader, void *at) {
    switch ((enum codec)field->codec) {
    case CODEC_BYTE: *(uint8_t *)at = (uint8_t)limit_number(reader, record_byte(reader), field->max); break;
    case CODEC_FLAG: *(bool *)at = limit_number(reader, record_byte(reader), 1); break;
    case CODEC_ENUM: *(unsigned *)at = (unsigned)limit_number(reader, record_byte(reader), field->max); break;
    case CODEC_NUMBER: *(uint64_t *)at = limit_number(reader, record_number(reader), field->max); break;
    case CODEC_COUNT:
        *(uint32_t *)at =
            (uint32_t)limit_number(reader, record_number(reader), field->max ? field->max : UINT32_MAX);
        break;
    case CODEC_WORD: *(uint64_t *)at = limit_number(reader, record_word(reader), field->max); break;
    case CODEC_INSTANT: *(int64_t *)at = read_instant(reader, field->max); break;
    case CODEC_VERSION: return *(version *)at = read_version(reader);
    case CODEC_MAYBE_VERSION: return *(version *)at = limit_number(reader, record_word(reader), VERSION_MAX);
    case CODEC_STAMP: return read_stamp(reader, at);
    case CODEC_GUID: *(struct guid *)at = record_guid(reader); break;
    case CODEC_BYTES: *(struct bytes *)at = read_bytes(reader, field->max); break;
    case CODEC_LIST: *(struct packed_list *)at = record_list(reader); break;
    case CODEC_OWN: return read_own(field->own, reader, at);
    }
    return 0;
}

version layout_read(const struct layout *layout, uint64_t mask, struct record_reader *reader, void *to) {
    version newest = 0;
    for (uint64_t left = mask; left && !reader->failed; left &= left - 1) {
        const struct field *field = &layout->fields[__builtin_ctzll(left)];
        if (!is_present(layout, mask, field, to)) continue;
        void *at = (char *)to + field->offset;
        version v = read_field(field, reader, at);
        if (v > newest) newest = v;
        if (!reader->failed && field->sound && !field->sound(at)) reader->failed = true;
    }
    return newest;
}
