/* Packed records: how facts are written down for replicas, files and memory, and how they are read back.
 *
 * Numbers are unsigned LEB128 or fixed little-endian words, byte strings have their length in front. A
 * reader takes nothing on trust: the first field that does not fit makes it fail for good, every later
 * field then reads as zero or empty, and the caller asks once, at the end. Nothing is allocated by what a
 * record says of itself. */
#ifndef HOLDFAST_RECORD_H
#define HOLDFAST_RECORD_H

#include "core/bytes.h"
#include "core/guid.h"

#include <stdint.h>

/* Grows on demand; small records stay in the buffer inside the struct. `data` may point to that buffer, so a writer
 * must not be copied or moved. */
struct record_writer {
    char *data;
    size_t length;
    size_t capacity;
    char buffer[256];
};

void record_start(struct record_writer *writer);
void record_end(struct record_writer *writer);
/* Makes space for `more` bytes; record_reserve does it only when needed. */
void record_grow(struct record_writer *writer, size_t more);

/* What has been written so far. */
static inline struct bytes record_written(const struct record_writer *writer) {
    return bytes_of(writer->data, writer->length);
}

static inline char *record_reserve(struct record_writer *writer, size_t more) {
    if (writer->capacity - writer->length < more) record_grow(writer, more);
    char *at = writer->data + writer->length;
    writer->length += more;
    return at;
}

static inline void record_put_byte(struct record_writer *writer, uint8_t value) {
    *record_reserve(writer, 1) = (char)value;
}

/* Of any length; see record_put_number. */
void record_put_long_number(struct record_writer *writer, uint64_t value);
void record_put_word(struct record_writer *writer, uint64_t value);
/* Most lengths and counts take one byte. */
static inline void record_put_number(struct record_writer *writer, uint64_t value) {
    if (value < 0x80)
        record_put_byte(writer, (uint8_t)value);
    else
        record_put_long_number(writer, value);
}

/* As two words. */
void record_put_guid(struct record_writer *writer, struct guid id);
void record_put_bytes(struct record_writer *writer, struct bytes value);
/* Without a length prefix. */
void record_put_raw(struct record_writer *writer, struct bytes value);

struct record_reader {
    const char *at;
    const char *end;
    bool failed;
};

/* The data of an empty record may be NULL, to which C allows no addition. */
static inline struct record_reader record_reader(struct bytes record) {
    const char *end = record.length ? record.data + record.length : record.data;
    return (struct record_reader){record.data, end, false};
}

uint8_t record_byte(struct record_reader *reader);
/* Of any length; see record_number. */
uint64_t record_long_number(struct record_reader *reader);
uint64_t record_word(struct record_reader *reader);
struct guid record_guid(struct record_reader *reader);
/* A number that must not be negative when signed: an instant, for example. */
int64_t record_instant(struct record_reader *reader);
/* Borrows from the record. */
struct bytes record_bytes(struct record_reader *reader);
/* Without a length prefix. */
struct bytes record_raw(struct record_reader *reader, uint64_t length);

/* As record_put_number has written it. */
static inline uint64_t record_number(struct record_reader *reader) {
    bool is_short = !reader->failed && reader->at < reader->end && (uint8_t)*reader->at < 0x80;
    return is_short ? (uint8_t)*reader->at++ : record_long_number(reader);
}

/* Whether there are bytes left to read. */
static inline bool record_more(const struct record_reader *reader) {
    return !reader->failed && reader->at != reader->end;
}

/* Every field was present and nothing is left over. */
static inline bool record_complete(const struct record_reader *reader) {
    return !reader->failed && reader->at == reader->end;
}

#endif
