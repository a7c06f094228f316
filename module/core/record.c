#include "core/record.h"

#include "core/inlining.h"
#include "core/memory.h"

#include "ccan/endian/endian.h"

enum { NUMBER_MAX_BYTES = 10 };

void record_start(struct record_writer *writer) {
    writer->data = writer->buffer;
    writer->length = 0;
    writer->capacity = sizeof(writer->buffer);
}

void record_end(struct record_writer *writer) {
    if (writer->data != writer->buffer) memory_free(writer->data);
    writer->data = NULL;
}

void record_grow(struct record_writer *writer, size_t more) {
    size_t capacity = (writer->length + more) * 2;
    bool at_home = writer->data == writer->buffer;
    char *data = memory_resize(at_home ? NULL : writer->data, capacity);
    if (at_home) memcpy(data, writer->buffer, writer->length);
    writer->data = data;
    writer->capacity = capacity;
}

/* LEB128. Reserves bytes for the longest number and gives back those that it does not need. */
void record_put_long_number(struct record_writer *writer, uint64_t value) {
    char *start = record_reserve(writer, NUMBER_MAX_BYTES), *at = start;
    for (; value >= 0x80; value >>= 7) *at++ = (char)(value | 0x80);
    *at++ = (char)value;
    writer->length -= (size_t)(NUMBER_MAX_BYTES - (at - start));
}

void record_put_word(struct record_writer *writer, uint64_t value) {
    uint64_t little = cpu_to_le64(value);
    memcpy(record_reserve(writer, sizeof(little)), &little, sizeof(little));
}

void record_put_guid(struct record_writer *writer, struct guid id) {
    uint64_t little[] = {cpu_to_le64(id.high), cpu_to_le64(id.low)};
    memcpy(record_reserve(writer, sizeof(little)), little, sizeof(little));
}

void record_put_raw(struct record_writer *writer, struct bytes value) {
    if (value.length) memcpy(record_reserve(writer, value.length), value.data, value.length);
}

void record_put_bytes(struct record_writer *writer, struct bytes value) {
    record_put_number(writer, value.length);
    record_put_raw(writer, value);
}

static const char *record_take(struct record_reader *reader, size_t length) {
    if (reader->failed || (size_t)(reader->end - reader->at) < length) {
        reader->failed = true;
        return NULL;
    }
    const char *at = reader->at;
    reader->at += length;
    return at;
}

uint8_t record_byte(struct record_reader *reader) {
    const char *at = record_take(reader, 1);
    return at ? (uint8_t)*at : 0;
}

/* The low seven bits of each byte, side by side. */
static uint64_t pack_sevens(uint64_t bytes) {
    bytes = (bytes & UINT64_C(0x007f007f007f007f)) | (bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
    bytes = (bytes & UINT64_C(0x00003fff00003fff)) | (bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (bytes & UINT64_C(0x000000000fffffff)) | (bytes & UINT64_C(0x0fffffff00000000)) >> 4;
}

ASIDE static uint64_t record_number_bytewise(struct record_reader *reader) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = record_byte(reader);
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    reader->failed = true;
    return 0;
}

/* Instants take six bytes. The last byte of a number is the first one whose top bit is not set. */
uint64_t record_long_number(struct record_reader *reader) {
    uint64_t word, last = 0;
    if (!reader->failed && reader->end - reader->at >= (ptrdiff_t)sizeof(word)) {
        memcpy(&word, reader->at, sizeof(word));
        word = le64_to_cpu(word);
        last = ~word & UINT64_C(0x8080808080808080);
    }
    if (!last) return record_number_bytewise(reader);
    reader->at += __builtin_ctzll(last) / 8 + 1;
    return pack_sevens(word & (last ^ (last - 1)));
}

uint64_t record_word(struct record_reader *reader) {
    uint64_t little = 0;
    const char *at = record_take(reader, sizeof(little));
    if (at) memcpy(&little, at, sizeof(little));
    return le64_to_cpu(little);
}

struct guid record_guid(struct record_reader *reader) {
    uint64_t little[2] = {0, 0};
    const char *at = record_take(reader, sizeof(little));
    if (at) memcpy(little, at, sizeof(little));
    return (struct guid){le64_to_cpu(little[0]), le64_to_cpu(little[1])};
}

int64_t record_instant(struct record_reader *reader) {
    uint64_t value = record_number(reader);
    if (value > INT64_MAX) reader->failed = true;
    return reader->failed ? 0 : (int64_t)value;
}

struct bytes record_raw(struct record_reader *reader, uint64_t length) {
    if (length > (size_t)(reader->end - reader->at)) reader->failed = true;
    if (reader->failed) return bytes_of("", 0);
    reader->at += length;
    return bytes_of(reader->at - length, (size_t)length);
}

struct bytes record_bytes(struct record_reader *reader) {
    return record_raw(reader, record_number(reader));
}
