#include "table/value.h"

#include "core/decimal.h"
#include "core/number.h"
#include "core/utf16.h"
#include "table/ticks.h"

#include <math.h>

#include "ccan/endian/endian.h"

/* Packed:
 *
 *   type and length in one byte | length, if it did not fit there | the body
 *
 *   string, binary            the bytes themselves
 *   int32, int64              zigzag, little-endian, without leading zero bytes
 *   bool, datetime            unsigned, little-endian, without leading zero bytes
 *   double                    big-endian, without trailing zero bytes
 *   guid                      its 16 bytes in the order of its text
 *
 * Every value has exactly one packed form, and a reader can skip a value without decoding it. */
enum {
    TYPE_BITS = 3,
    TYPE_MASK = (1 << TYPE_BITS) - 1,
    LONG = 31, /* in place of the length, which follows */
    WORD_BYTES = 8,
};

/* How the storage service counts the size of an entity. */
enum { STRING_OVERHEAD = 4, BINARY_OVERHEAD = 4 };

static const char *const words[VALUE_TYPES] = {
    [VALUE_STRING] = "string", [VALUE_INT32] = "int32",   [VALUE_INT64] = "int64",
    [VALUE_DOUBLE] = "double", [VALUE_BOOL] = "bool",     [VALUE_DATETIME] = "datetime",
    [VALUE_GUID] = "guid",     [VALUE_BINARY] = "binary",
};

const char *value_type_word(enum value_type type) {
    return words[type];
}

bool value_type_read(struct bytes word, enum value_type *type) {
    for (enum value_type candidate = 0; candidate < VALUE_TYPES; candidate++) {
        if (!bytes_equal(word, bytes_text(words[candidate]))) continue;
        *type = candidate;
        return true;
    }
    return false;
}

/* --- Text --- */

static enum outcome check_string(struct bytes text) {
    size_t units;
    if (text.length > VALUE_STRING_MAX_BYTES) return OUTCOME_PROPERTY_VALUE_TOO_LARGE;
    if (!utf16_count(text, &units)) return OUTCOME_INVALID_INPUT;
    return units > VALUE_STRING_MAX_UNITS ? OUTCOME_PROPERTY_VALUE_TOO_LARGE : OUTCOME_DONE;
}

static enum outcome check_binary(struct bytes bytes) {
    return bytes.length > VALUE_BINARY_MAX_BYTES ? OUTCOME_PROPERTY_VALUE_TOO_LARGE : OUTCOME_DONE;
}

static bool read_int32(struct bytes text, int64_t *number) {
    return number_read(text, number) && *number >= INT32_MIN && *number <= INT32_MAX;
}

static bool read_bool(struct bytes text, int64_t *number) {
    bool truth = bytes_equal(text, bytes_text("true")) || bytes_equal(text, bytes_text("1"));
    *number = truth;
    return truth || bytes_equal(text, bytes_text("false")) || bytes_equal(text, bytes_text("0"));
}

/* NaN and the infinities, in upper or lower case. */
static bool read_not_finite(struct bytes text, double *real) {
    bool sign = text.length && (text.data[0] == '-' || text.data[0] == '+');
    struct bytes word = bytes_of(text.data + sign, text.length - sign);
    if (bytes_same_word(word, bytes_text("nan"))) {
        *real = (double)NAN;
        return true;
    }
    *real = sign && text.data[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    return bytes_same_word(word, bytes_text("infinity")) || bytes_same_word(word, bytes_text("inf"));
}

static enum outcome check_sound(bool sound) {
    return sound ? OUTCOME_DONE : OUTCOME_INVALID_INPUT;
}

enum outcome value_read(enum value_type type, struct bytes text, struct value *value) {
    *value = (struct value){.type = type};
    switch (type) {
    case VALUE_STRING: value->bytes = text; return check_string(text);
    case VALUE_INT32: return check_sound(read_int32(text, &value->number));
    case VALUE_INT64: return check_sound(number_read(text, &value->number));
    case VALUE_DOUBLE:
        return check_sound(decimal_read(text, &value->real) || read_not_finite(text, &value->real));
    case VALUE_BOOL: return check_sound(read_bool(text, &value->number));
    case VALUE_DATETIME: return ticks_read(text, &value->number);
    case VALUE_GUID: return check_sound(guid_read(text, &value->guid));
    case VALUE_BINARY: value->bytes = text; return check_binary(text);
    default: return OUTCOME_INVALID_INPUT;
    }
}

size_t value_size(const struct value *value) {
    size_t units;
    switch (value->type) {
    case VALUE_STRING: return utf16_count(value->bytes, &units) ? 2 * units + STRING_OVERHEAD : 0;
    case VALUE_INT32: return 4;
    case VALUE_BOOL: return 1;
    case VALUE_GUID: return sizeof(struct guid);
    case VALUE_BINARY: return value->bytes.length + BINARY_OVERHEAD;
    default: return WORD_BYTES;
    }
}

/* --- Packed --- */

static void put_head(struct record_writer *writer, enum value_type type, size_t length) {
    size_t inside = length < LONG ? length : LONG;
    record_put_byte(writer, (uint8_t)((size_t)type | inside << TYPE_BITS));
    if (inside == LONG) record_put_number(writer, length);
}

static void value_put_bytes(struct record_writer *writer, enum value_type type, struct bytes bytes) {
    put_head(writer, type, bytes.length);
    record_put_raw(writer, bytes);
}

static void value_put_word(struct record_writer *writer, enum value_type type, uint64_t word) {
    size_t length = word ? WORD_BYTES - (size_t)__builtin_clzll(word) / 8 : 0;
    uint64_t little = cpu_to_le64(word);
    value_put_bytes(writer, type, bytes_of(&little, length));
}

static uint64_t zigzag_encode(int64_t number) {
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static int64_t zigzag_decode(uint64_t word) {
    return (int64_t)(word >> 1 ^ (word & 1 ? UINT64_MAX : 0));
}

static void value_put_real(struct record_writer *writer, double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof(bits));
    size_t length = bits ? WORD_BYTES - (size_t)__builtin_ctzll(bits) / 8 : 0;
    uint64_t big = cpu_to_be64(bits);
    value_put_bytes(writer, VALUE_DOUBLE, bytes_of(&big, length));
}

static void put_guid(struct record_writer *writer, struct guid guid) {
    uint64_t big[2] = {cpu_to_be64(guid.high), cpu_to_be64(guid.low)};
    value_put_bytes(writer, VALUE_GUID, bytes_of(big, sizeof(big)));
}

void value_put(struct record_writer *writer, const struct value *value) {
    switch (value->type) {
    case VALUE_INT32:
    case VALUE_INT64: value_put_word(writer, value->type, zigzag_encode(value->number)); break;
    case VALUE_BOOL:
    case VALUE_DATETIME: value_put_word(writer, value->type, (uint64_t)value->number); break;
    case VALUE_DOUBLE: value_put_real(writer, value->real); break;
    case VALUE_GUID: put_guid(writer, value->guid); break;
    default: value_put_bytes(writer, value->type, value->bytes);
    }
}

/* Missing bytes are zero; false if the body could have been shorter. */
static bool word_of(struct bytes bytes, uint64_t *word) {
    *word = 0;
    if (bytes.length > WORD_BYTES) return false;
    memcpy(word, bytes.data, bytes.length);
    return !bytes.length || bytes.data[bytes.length - 1];
}

static bool value_number(struct value *value, struct bytes bytes) {
    uint64_t word;
    bool sound = word_of(bytes, &word);
    word = le64_to_cpu(word);
    switch (value->type) {
    case VALUE_INT32: value->number = zigzag_decode(word); return sound && word <= UINT32_MAX;
    case VALUE_INT64: value->number = zigzag_decode(word); return sound;
    case VALUE_BOOL: value->number = (int64_t)word; return sound && word <= 1;
    default: value->number = (int64_t)word; return sound && word <= TICKS_MAX;
    }
}

static bool take_real(struct value *value, struct bytes bytes) {
    uint64_t word, only;
    double nan = (double)NAN;
    bool sound = word_of(bytes, &word);
    word = be64_to_cpu(word);
    memcpy(&value->real, &word, sizeof(word));
    memcpy(&only, &nan, sizeof(only));
    return sound && word != UINT64_C(1) << 63 && (!isnan(value->real) || word == only);
}

static bool take_guid(struct value *value, struct bytes bytes) {
    uint64_t big[2];
    if (bytes.length != sizeof(big)) return false;
    memcpy(big, bytes.data, sizeof(big));
    value->guid = (struct guid){be64_to_cpu(big[0]), be64_to_cpu(big[1])};
    return true;
}

static bool value_take(struct value *value, struct bytes bytes) {
    switch (value->type) {
    case VALUE_DOUBLE: return take_real(value, bytes);
    case VALUE_GUID: return take_guid(value, bytes);
    case VALUE_STRING:
    case VALUE_BINARY: value->bytes = bytes; return true;
    default: return value_number(value, bytes);
    }
}

struct bytes value_body(struct record_reader *reader, enum value_type *type) {
    uint8_t head = record_byte(reader);
    size_t length = head >> TYPE_BITS;
    *type = head & TYPE_MASK;
    if (length == LONG) {
        struct bytes bytes = record_bytes(reader);
        if (bytes.length < LONG || !bytes.data[-1]) reader->failed = true; /* not the shortest form */
        return bytes;
    }
    if (reader->failed || length > (size_t)(reader->end - reader->at)) {
        reader->failed = true;
        return bytes_of("", 0);
    }
    struct bytes bytes = bytes_of(reader->at, length);
    reader->at += length;
    return bytes;
}

bool value_unpack(enum value_type type, struct bytes body, struct value *value) {
    *value = (struct value){.type = type};
    return value_take(value, body);
}

struct value value_next(struct record_reader *reader) {
    enum value_type type;
    struct value value;
    struct bytes body = value_body(reader, &type);
    if (!reader->failed && value_unpack(type, body, &value)) return value;
    reader->failed = true;
    return (struct value){.type = VALUE_STRING, .bytes = {"", 0}};
}

bool value_sound(const struct value *value) {
    if (value->type == VALUE_STRING) return check_string(value->bytes) == OUTCOME_DONE;
    return value->type != VALUE_BINARY || check_binary(value->bytes) == OUTCOME_DONE;
}
