/* Values: their words, text in every type, sizes, packed forms that are the only ones of their values. */
#include "table/value.h"

#include "dice.h"
#include "table/ticks.h"
#include "unicode.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

/* --- Types --- */

TEST(types_of_values_have_names) {
    static const char *const words[VALUE_TYPES] = {"string", "int32",    "int64", "double",
                                                   "bool",   "datetime", "guid",  "binary"};
    static const char *const others[] = {"",      "int", "Int32",   "int32 ", "strin",
                                         "float", "str", "integer", "boolean"};
    enum value_type type;
    for (enum value_type i = 0; i < VALUE_TYPES; i++) {
        require_bytes(bytes_text(value_type_word(i)), bytes_text(words[i]), "type %u", i);
        require(value_type_read(bytes_text(words[i]), &type) && type == i, "%s", words[i]);
    }
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        require(!value_type_read(bytes_text(others[i]), &type), "'%s' is a type", others[i]);
}

/* --- Text --- */

struct number_row { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    enum value_type type;
    const char *text;
    enum outcome outcome;
    int64_t number;
};

static const struct number_row number_rows[] = {
    {VALUE_INT32, "0", OUTCOME_DONE, 0},
    {VALUE_INT32, "-1", OUTCOME_DONE, -1},
    {VALUE_INT32, "2147483647", OUTCOME_DONE, INT32_MAX},
    {VALUE_INT32, "-2147483648", OUTCOME_DONE, INT32_MIN},
    {VALUE_INT32, "2147483648", OUTCOME_INVALID_INPUT, 0},
    {VALUE_INT32, "-2147483649", OUTCOME_INVALID_INPUT, 0},
    {VALUE_INT32, "", OUTCOME_INVALID_INPUT, 0},
    {VALUE_INT32, "1.0", OUTCOME_INVALID_INPUT, 0},
    {VALUE_INT32, "1 ", OUTCOME_INVALID_INPUT, 0},
    {VALUE_INT32, "0x10", OUTCOME_INVALID_INPUT, 0},
    {VALUE_INT64, "9223372036854775807", OUTCOME_DONE, INT64_MAX},
    {VALUE_INT64, "-9223372036854775808", OUTCOME_DONE, INT64_MIN},
    {VALUE_INT64, "9223372036854775808", OUTCOME_INVALID_INPUT, 0},
    {VALUE_INT64, "12L", OUTCOME_INVALID_INPUT, 0},
    {VALUE_BOOL, "true", OUTCOME_DONE, 1},
    {VALUE_BOOL, "false", OUTCOME_DONE, 0},
    {VALUE_BOOL, "1", OUTCOME_DONE, 1},
    {VALUE_BOOL, "0", OUTCOME_DONE, 0},
    {VALUE_BOOL, "True", OUTCOME_INVALID_INPUT, 0},
    {VALUE_BOOL, "2", OUTCOME_INVALID_INPUT, 0},
    {VALUE_BOOL, "", OUTCOME_INVALID_INPUT, 0},
    {VALUE_BOOL, "yes", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DATETIME, "1601-01-01T00:00:01Z", OUTCOME_DONE, 10000000},
    {VALUE_DATETIME, "1600-01-01", OUTCOME_INSTANT_OUT_OF_RANGE, 0},
    {VALUE_DATETIME, "yesterday", OUTCOME_INVALID_INPUT, 0},
    {VALUE_GUID, "00112233-4455-6677-8899-aabbccddeef", OUTCOME_INVALID_INPUT, 0},
    {VALUE_GUID, "", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, "", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, "1e999", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, "0x1p3", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, "nano", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, "infinit", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, "-", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, "--inf", OUTCOME_INVALID_INPUT, 0},
    {VALUE_DOUBLE, " nan", OUTCOME_INVALID_INPUT, 0},
};

TEST(numeric_values_are_read) {
    for (size_t i = 0; i < ARRAY_SIZE(number_rows); i++) {
        const struct number_row *row = &number_rows[i];
        struct value value;
        require_same(value_read(row->type, bytes_text(row->text), &value), row->outcome, "%s '%s'",
                     value_type_word(row->type), row->text);
        if (row->outcome == OUTCOME_DONE)
            require(value.type == row->type && value.number == row->number, "'%s' is %lld", row->text,
                    (long long)value.number);
    }
}

TEST(doubles_are_read) {
    static const struct {
        const char *text;
        double real;
    } rows[] = {
        {"1.5", 1.5},
        {"-0", 0},
        {"-0.0", 0},
        {"1e-999", 0},
        {"12", 12},
        {"Infinity", (double)INFINITY},
        {"inf", (double)INFINITY},
        {"+inf", (double)INFINITY},
        {"-Infinity", -(double)INFINITY},
        {"-inf", -(double)INFINITY},
    };
    static const char *const nans[] = {"NaN", "nan", "-nan", "+NAN"};
    struct value value;
    uint64_t bits[ARRAY_SIZE(nans)];
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        require_same(value_read(VALUE_DOUBLE, bytes_text(rows[i].text), &value), OUTCOME_DONE, "%s",
                     rows[i].text);
        require(value.real == rows[i].real && !signbit(value.real) == !(rows[i].real < 0), "%s is %g",
                rows[i].text, value.real);
    }
    for (size_t i = 0; i < ARRAY_SIZE(nans); i++) {
        require_same(value_read(VALUE_DOUBLE, bytes_text(nans[i]), &value), OUTCOME_DONE, "%s", nans[i]);
        require(isnan(value.real), "%s", nans[i]);
        memcpy(&bits[i], &value.real, sizeof(bits[i]));
        require_same(bits[i], bits[0], "there is one NaN");
    }
}

static char *filled(size_t length, const char *piece) {
    char *text = malloc(length + 1);
    require(text, "there is memory");
    for (size_t i = 0; i < length; i++) text[i] = piece[i % strlen(piece)];
    return text;
}

/* A text of pieces, as long as may be, and one byte of ASCII longer. */
static void require_limit(enum value_type type, const char *piece, size_t max) {
    char *text = filled(max + 1, piece);
    struct value value;
    require_same(value_read(type, bytes_of(text, max), &value), OUTCOME_DONE, "as many as can be");
    require_bytes(value.bytes, bytes_of(text, max), "borrowed");
    require(value_sound(&value), "what is read is sound");
    text[max] = 'x';
    require_same(value_read(type, bytes_of(text, max + 1), &value), OUTCOME_PROPERTY_VALUE_TOO_LARGE,
                 "one more");
    value.bytes = bytes_of(text, max + 1);
    require(!value_sound(&value), "one more is not sound");
    free(text);
}

TEST(strings_and_bytes_have_limits) {
    require_limit(VALUE_STRING, "a", 32768);
    require_limit(VALUE_STRING, "\xc3\xa9", 65536);
    require_limit(VALUE_STRING, "\xe2\x82\xac", 98304);
    require_limit(VALUE_STRING, "\xf0\x9f\x98\x80", 65536);
    require_limit(VALUE_BINARY, "\xff", 65536);
    struct value value;
    char *endless = filled(98305, "\xff");
    require_same(value_read(VALUE_STRING, bytes_of(endless, 98304), &value), OUTCOME_INVALID_INPUT,
                 "no UTF-8");
    require_same(value_read(VALUE_STRING, bytes_of(endless, 98305), &value), OUTCOME_PROPERTY_VALUE_TOO_LARGE,
                 "not even looked at");
    free(endless);
    require_same(value_read(VALUE_STRING, bytes_of("a\xff", 2), &value), OUTCOME_INVALID_INPUT, "no UTF-8");
    require(!value_sound(&value), "no UTF-8 is not sound");
    require_same(value_read(VALUE_STRING, bytes_of("a\0b", 3), &value), OUTCOME_DONE,
                 "a zero byte is a character");
    require_same(value_read(VALUE_STRING, bytes_of("", 0), &value), OUTCOME_DONE, "empty");
    require_same(value_read(VALUE_BINARY, bytes_of("", 0), &value), OUTCOME_DONE, "empty");
    require_same(value_read(VALUE_TYPES, bytes_of("", 0), &value), OUTCOME_INVALID_INPUT, "no type");
}

TEST(guid_values_are_read) {
    struct value value;
    require_same(value_read(VALUE_GUID, bytes_text("00112233-4455-6677-8899-AABBccddeeff"), &value),
                 OUTCOME_DONE, "an id");
    require(guid_equal(value.guid, (struct guid){UINT64_C(0x0011223344556677), UINT64_C(0x8899aabbccddeeff)}),
            "it is that one");
}

/* --- Sizes --- */

static void require_size(enum value_type type, const char *text, size_t size) {
    struct value value;
    require_same(value_read(type, bytes_text(text), &value), OUTCOME_DONE, "%s", text);
    require_same(value_size(&value), size, "%s '%s'", value_type_word(type), text);
}

TEST(sizes_of_values_are_those_of_the_service) {
    require_size(VALUE_STRING, "", 4);
    require_size(VALUE_STRING, "abc", 10);
    require_size(VALUE_STRING, "\xe2\x82\xac", 6);
    require_size(VALUE_STRING, "\xf0\x9f\x98\x80", 8);
    require_size(VALUE_BINARY, "", 4);
    require_size(VALUE_BINARY, "abc", 7);
    require_size(VALUE_INT32, "1", 4);
    require_size(VALUE_INT64, "1", 8);
    require_size(VALUE_DOUBLE, "1", 8);
    require_size(VALUE_DATETIME, "2000-01-01", 8);
    require_size(VALUE_BOOL, "1", 1);
    require_size(VALUE_GUID, "00112233-4455-6677-8899-aabbccddeeff", 16);
}

/* --- Packed --- */

static bool same(const struct value *a, const struct value *b) {
    if (a->type != b->type) return false;
    switch (a->type) {
    case VALUE_STRING:
    case VALUE_BINARY: return bytes_equal(a->bytes, b->bytes);
    case VALUE_DOUBLE: return memcmp((const char *)&a->real, (const char *)&b->real, sizeof(a->real)) == 0;
    case VALUE_GUID: return guid_equal(a->guid, b->guid);
    default: return a->number == b->number;
    }
}

/* Packs, reads back from exactly as many bytes, and from every number less. */
static void require_packed(const struct value *value, size_t max_bytes) {
    RECORD_WRITER(writer);
    value_put(&writer, value);
    require(writer.length <= max_bytes, "%s takes %zu bytes", value_type_word(value->type), writer.length);
    for (size_t length = 0; length <= writer.length; length++) {
        if (length > 40 && length < writer.length) continue;
        char *copy = malloc(length + !length);
        require(copy, "there is memory");
        memcpy(copy, writer.data, length);
        struct record_reader reader = record_reader(bytes_of(copy, length));
        struct value again = value_next(&reader);
        require_same(record_complete(&reader), length == writer.length, "%zu of %zu bytes", length,
                     writer.length);
        if (length == writer.length) require(same(value, &again), "another %s", value_type_word(value->type));
        free(copy);
    }
}

TEST(packed_values_are_read_back) {
    static char room[70000];
    struct dice dice = {1};
    for (int round = 0; round < 60000; round++) {
        struct value value = {.type = (enum value_type)dice_roll(&dice, VALUE_TYPES)};
        size_t max = 9;
        switch (value.type) {
        case VALUE_STRING:
        case VALUE_BINARY:
            value.bytes = bytes_of(room, dice_roll(&dice, round % 500 ? 300 : 65537));
            max = value.bytes.length + (value.bytes.length < 31 ? 1 : 4);
            break;
        case VALUE_INT32: value.number = (int32_t)dice_word(&dice) >> dice_roll(&dice, 32), max = 5; break;
        case VALUE_INT64: value.number = (int64_t)dice_word(&dice) >> dice_roll(&dice, 64); break;
        case VALUE_BOOL: value.number = (int64_t)dice_roll(&dice, 2), max = 2; break;
        case VALUE_DATETIME:
            value.number = (int64_t)(dice_word(&dice) % (uint64_t)(TICKS_MAX + 1)) >> dice_roll(&dice, 62);
            break;
        case VALUE_DOUBLE:
            value.real = (double)((int64_t)dice_word(&dice) >> dice_roll(&dice, 64)) / 1024;
            break;
        default: value.guid = (struct guid){dice_word(&dice), dice_word(&dice)}, max = 17;
        }
        require_packed(&value, max);
    }
}

TEST(extreme_values_are_packed_and_read_back) {
    static const double reals[] = {
        0, 1, -1, 1.5, 0.1, 5e-324, 1.7976931348623157e308, (double)INFINITY, -(double)INFINITY, (double)NAN};
    static const int64_t numbers[] = {0, 1, -1, 127, 128, -128, -129, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < ARRAY_SIZE(reals); i++)
        require_packed(&(struct value){.type = VALUE_DOUBLE, .real = reals[i]}, 9);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        require_packed(&(struct value){.type = VALUE_INT32, .number = numbers[i]}, 5);
        require_packed(&(struct value){.type = VALUE_INT64, .number = numbers[i]}, 5);
    }
    require_packed(&(struct value){.type = VALUE_INT64, .number = INT64_MAX}, 9);
    require_packed(&(struct value){.type = VALUE_INT64, .number = INT64_MIN}, 9);
    require_packed(&(struct value){.type = VALUE_DATETIME, .number = TICKS_MAX}, 9);
    require_packed(&(struct value){.type = VALUE_DOUBLE, .real = 1}, 3);
    require_packed(&(struct value){.type = VALUE_INT32, .number = 7}, 2);
    require_packed(&(struct value){.type = VALUE_BOOL, .number = 0}, 1);
}

#define RECORD(bytes)                                                                                        \
    { bytes, sizeof(bytes) - 1 }

/* Types that are not there cannot be: three bits are eight types. */
TEST(value_records_of_other_forms_are_refused) {
    static const struct bytes records[] = {
        RECORD("\x09\x00"),                                 /* int32: a zero on top */
        RECORD("\x29\x01\x02\x03\x04\x05"),                 /* int32: five bytes */
        RECORD("\x4a\x01\x02\x03\x04\x05\x06\x07\x08\x09"), /* int64: nine bytes */
        RECORD("\x0c\x02"),                                 /* bool: two */
        RECORD("\x0c\x00"),                                 /* bool: a zero on top */
        RECORD("\x0b\x80"),                                 /* double: less than zero, and zero */
        RECORD("\x13\x3f\x00"),                             /* double: a zero at the bottom */
        RECORD("\x1b\x7f\xf8\x01"),                         /* double: another NaN */
        RECORD("\x13\xff\xf8"),                             /* double: a NaN with a sign */
        RECORD("\x45\xff\xff\xff\xff\xff\xff\xff\x7f"),     /* datetime: behind all years */
        RECORD("\x7e"
               "0123456789abcde"), /* guid: fifteen bytes */
        RECORD("\x8e"
               "0123456789abcdefg"), /* guid: seventeen bytes */
        RECORD("\x06"),              /* guid: none */
        RECORD("\xf8\x03"
               "abc"), /* string: short, and written as a long one */
        RECORD("\xf8\xa0\x00"
               "0123456789abcdef0123456789abcdef"),             /* string: its length in a byte too many */
        RECORD("\xf9\x01\x02"),                                 /* int32: likewise */
        RECORD("\xf8\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* string: longer than memory */
        RECORD("\x18"
               "ab"), /* string: cut */
        RECORD(""),
    };
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        struct record_reader reader = record_reader(records[i]);
        struct value value = value_next(&reader);
        require(reader.failed, "record %zu", i);
        require(value.type == VALUE_STRING && !value.bytes.length, "what failed is empty, %zu", i);
    }
}

/* Any bytes that can be read are written as the same bytes. */
TEST(each_value_has_one_packed_form) {
    struct dice dice = {3};
    int read = 0;
    for (int round = 0; round < 300000; round++) {
        char bytes[24];
        dice_fill(&dice, bytes, sizeof(bytes));
        if (dice_percent(&dice, 60)) bytes[0] = (char)((unsigned char)bytes[0] & 0x7f);
        struct record_reader reader = record_reader(bytes_of(bytes, sizeof(bytes)));
        struct value value = value_next(&reader);
        if (reader.failed) continue;
        read++;
        RECORD_WRITER(writer);
        value_put(&writer, &value);
        require_bytes(record_written(&writer), bytes_of(bytes, (size_t)(reader.at - bytes)), "round %d",
                      round);
    }
    require(read > 10000, "%d were values", read);
}
