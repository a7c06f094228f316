#include "table/index_key.h"

#include "core/number.h"
#include "core/utf16.h"

/* The class is the type, counted from 1. A zero byte in a value is written as 00 FF, so that 00 01 can end it.
 *
 *   string                  the ranks of its bytes, see utf16.h
 *   binary                  its bytes
 *   guid                    its bytes in the order of its text
 *   double                  its bits, flipped so that they ascend, without zero bytes at the end
 *   int32, int64, bool,     80 plus the number of significant bytes, and those bytes; for a negative number 7F minus
 *   datetime                the number of significant bytes of its complement, and the number's own low bytes */
enum { ZERO_KEPT = 0xff, NEGATIVE = 0x7f, POSITIVE = 0x80 };

static void put_byte(struct record_writer *writer, unsigned char byte) {
    record_put_byte(writer, byte);
    if (!byte) record_put_byte(writer, ZERO_KEPT);
}

static void index_put_bytes(struct record_writer *writer, struct bytes bytes, bool ranked) {
    size_t length = size_min(bytes.length, INDEX_VALUE_MAX_BYTES);
    for (size_t i = 0; i < length; i++)
        put_byte(writer, ranked ? utf16_rank(bytes.data[i]) : (unsigned char)bytes.data[i]);
}

static void put_number(struct record_writer *writer, int64_t number) {
    unsigned char flip = number < 0 ? 0xff : 0;
    uint64_t word = number < 0 ? ~(uint64_t)number : (uint64_t)number;
    unsigned length = word ? 8 - (unsigned)__builtin_clzll(word) / 8 : 0;
    put_byte(writer, (unsigned char)(number < 0 ? NEGATIVE - length : POSITIVE + length));
    while (length-- > 0) put_byte(writer, (unsigned char)(word >> length * 8) ^ flip);
}

static void index_put_real(struct record_writer *writer, double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof(bits));
    bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
    for (; bits; bits <<= 8) put_byte(writer, (unsigned char)(bits >> 56));
}

static void index_put_word(struct record_writer *writer, uint64_t word) {
    for (int shift = 56; shift >= 0; shift -= 8) put_byte(writer, (unsigned char)(word >> shift));
}

void index_key_put_value(struct record_writer *writer, const struct value *value) {
    record_put_byte(writer, (uint8_t)(value->type + 1));
    switch (value->type) {
    case VALUE_STRING: index_put_bytes(writer, value->bytes, true); break;
    case VALUE_BINARY: index_put_bytes(writer, value->bytes, false); break;
    case VALUE_DOUBLE: index_put_real(writer, value->real); break;
    case VALUE_GUID:
        index_put_word(writer, value->guid.high);
        index_put_word(writer, value->guid.low);
        break;
    default: put_number(writer, value->number);
    }
    record_put_raw(writer, bytes_of("\0\1", 2));
}
