/* Packed records: what is written is read back, and what was not written so is refused. */
#include "core/record.h"

#include "dice.h"
#include "unit.h"

#include <stdlib.h>

static const struct {
    uint64_t number;
    size_t length;
    const char *bytes;
} numbers[] = {
    {0, 1, "\x00"},
    {1, 1, "\x01"},
    {127, 1, "\x7f"},
    {128, 2, "\x80\x01"},
    {300, 2, "\xac\x02"},
    {16383, 2, "\xff\x7f"},
    {16384, 3, "\x80\x80\x01"},
    {UINT32_MAX, 5, "\xff\xff\xff\xff\x0f"},
    {INT64_MAX, 9, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"},
    {(uint64_t)INT64_MAX + 1, 10, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"},
    {UINT64_MAX, 10, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
};

TEST(numbers_are_leb128) {
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        RECORD_WRITER(writer);
        record_put_number(&writer, numbers[i].number);
        require_bytes(record_written(&writer), bytes_of(numbers[i].bytes, numbers[i].length), "number %zu",
                      i);
        struct record_reader reader = record_reader(record_written(&writer));
        require(record_number(&reader) == numbers[i].number, "number %zu is read as another one", i);
        require(record_complete(&reader), "number %zu is not read completely", i);
    }
}

/* What no writer of ours has written. */
static const struct {
    const char *why;
    size_t length;
    const char *bytes;
    bool sound;
    uint64_t number;
} foreign_numbers[] = {
    {"nothing", 0, "", false, 0},
    {"a beginning", 1, "\x80", false, 0},
    {"a longer beginning", 9, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", false, 0},
    {"a zero in two bytes", 2, "\x80\x00", true, 0},
    {"a one in ten bytes", 10, "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00", true, 1},
    {"2 to the 64th", 10, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", false, 0},
    {"seventy bits", 10, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", false, 0},
    {"ten bytes that want another one", 11, "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x81\x00", false, 0},
    {"a zero in eleven bytes", 11, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", false, 0},
};

TEST(numbers_never_overflow) {
    for (size_t i = 0; i < ARRAY_SIZE(foreign_numbers); i++) {
        struct record_reader reader =
            record_reader(bytes_of(foreign_numbers[i].bytes, foreign_numbers[i].length));
        uint64_t number = record_number(&reader);
        require_same(!reader.failed, foreign_numbers[i].sound, "%s", foreign_numbers[i].why);
        if (foreign_numbers[i].sound)
            require_same(number, foreign_numbers[i].number, "%s", foreign_numbers[i].why);
    }
}

TEST(words_are_little_endian) {
    RECORD_WRITER(writer);
    record_put_word(&writer, UINT64_C(0x8807060504030201));
    require_bytes(record_written(&writer), bytes_text("\x01\x02\x03\x04\x05\x06\x07\x88"), "a word");
    struct record_reader reader = record_reader(record_written(&writer));
    require(record_word(&reader) == UINT64_C(0x8807060504030201), "a word is read as another one");
    require(record_complete(&reader), "a word is not read completely");
}

TEST(instants_are_not_negative) {
    const struct {
        uint64_t number;
        bool sound;
    } cases[] = {{0, true}, {INT64_MAX, true}, {(uint64_t)INT64_MAX + 1, false}, {UINT64_MAX, false}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        RECORD_WRITER(writer);
        record_put_number(&writer, cases[i].number);
        struct record_reader reader = record_reader(record_written(&writer));
        int64_t instant = record_instant(&reader);
        require_same(!reader.failed, cases[i].sound, "case %zu", i);
        require_same(instant, cases[i].sound ? (int64_t)cases[i].number : 0, "case %zu", i);
    }
}

/* The length says more than there is, by little and by much. */
TEST(record_lengths_beyond_the_end_are_refused) {
    const uint64_t lies[] = {
        4, 5, 100, UINT32_MAX, (uint64_t)UINT32_MAX + 4, INT64_MAX, UINT64_MAX - 3, UINT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
        RECORD_WRITER(writer);
        record_put_number(&writer, lies[i]);
        for (int n = 0; n < 3; n++) record_put_byte(&writer, 'x');
        struct record_reader reader = record_reader(record_written(&writer));
        struct bytes bytes = record_bytes(&reader);
        require(reader.failed && bytes.length == 0 && bytes.data, "lie %zu is believed", i);
    }
}

TEST(a_reader_fails_for_good) {
    struct record_reader reader = record_reader(bytes_of("\xff", 1));
    (void)record_number(&reader);
    require(reader.failed, "a number without an end is read");
    reader = (struct record_reader){"\x05hello\x01\x02\x03\x04\x05\x06\x07\x08", reader.at, true};
    reader.end = reader.at + 14;
    require_same(record_byte(&reader), 0, "behind a failure");
    require_same(record_number(&reader), 0, "behind a failure");
    require_same(record_word(&reader), 0, "behind a failure");
    require_same(record_instant(&reader), 0, "behind a failure");
    require_same(record_bytes(&reader).length, 0, "behind a failure");
    require(reader.failed && !record_complete(&reader), "a reader has recovered");
}

TEST(a_record_with_bytes_left_is_not_complete) {
    struct record_reader reader = record_reader(bytes_of("ab", 2));
    require_same(record_byte(&reader), 'a', "the first byte");
    require(!record_complete(&reader), "one of two bytes is all");
    require_same(record_byte(&reader), 'b', "the second byte");
    require(record_complete(&reader), "two of two bytes are not all");
    require_same(record_byte(&reader), 0, "behind the end");
    require(!record_complete(&reader), "three of two bytes are all");
}

/* Random fields, so that records of every size are written, in the writer's own room and beyond it. */
enum field { BYTE, NUMBER, WORD, BYTES, FIELD_KINDS };
enum { FIELDS_MAX = 24, TEXT_ROOM = 512 };

struct record_fields {
    size_t count;
    enum field kinds[FIELDS_MAX];
    uint64_t values[FIELDS_MAX]; /* of bytes, their length */
    char text[TEXT_ROOM];        /* what all byte strings begin with */
};

static void draw_fields(struct dice *dice, struct record_fields *fields) {
    fields->count = 1 + dice_roll(dice, FIELDS_MAX);
    dice_fill(dice, fields->text, TEXT_ROOM);
    for (size_t i = 0; i < fields->count; i++) {
        fields->kinds[i] = (enum field)dice_roll(dice, FIELD_KINDS);
        fields->values[i] = dice_word(dice) >> dice_roll(dice, 64);
        if (fields->kinds[i] == BYTE) fields->values[i] &= 255;
        if (fields->kinds[i] == BYTES)
            fields->values[i] = dice_roll(dice, dice_percent(dice, 20) ? TEXT_ROOM : 12);
    }
}

static void write_fields(const struct record_fields *fields, struct record_writer *writer) {
    for (size_t i = 0; i < fields->count; i++) {
        uint64_t value = fields->values[i];
        switch (fields->kinds[i]) {
        case BYTE: record_put_byte(writer, (uint8_t)value); break;
        case NUMBER: record_put_number(writer, value); break;
        case WORD: record_put_word(writer, value); break;
        default: record_put_bytes(writer, bytes_of(fields->text, (size_t)value));
        }
    }
}

/* Whether the next field is read as it was written. */
static bool read_field(const struct record_fields *fields, size_t i, struct record_reader *reader) {
    uint64_t value = fields->values[i];
    switch (fields->kinds[i]) {
    case BYTE: return record_byte(reader) == value;
    case NUMBER: return record_number(reader) == value;
    case WORD: return record_word(reader) == value;
    default: return bytes_equal(record_bytes(reader), bytes_of(fields->text, (size_t)value));
    }
}

/* Without its last byte, or more of them, a record never is complete; what comes
 * before the cut reads as it was. */
static void cut_anywhere(const struct record_fields *fields, struct bytes record) {
    for (size_t length = 0; length < record.length; length++) {
        char *copy = malloc(length + 1);
        require(copy, "there is memory");
        memcpy(copy, record.data, length);
        struct record_reader reader = record_reader(bytes_of(copy, length));
        for (size_t i = 0; i < fields->count; i++) {
            bool same = read_field(fields, i, &reader);
            require(same || reader.failed, "cut at %zu of %zu: field %zu has changed", length, record.length,
                    i);
        }
        require(!record_complete(&reader), "cut at %zu of %zu: complete", length, record.length);
        free(copy);
    }
}

TEST(written_fields_are_read_back) {
    struct dice dice = {3};
    struct record_fields fields;
    for (int trial = 0; trial < 300; trial++) {
        draw_fields(&dice, &fields);
        RECORD_WRITER(writer);
        write_fields(&fields, &writer);
        struct record_reader reader = record_reader(record_written(&writer));
        for (size_t i = 0; i < fields.count; i++)
            require(read_field(&fields, i, &reader), "trial %d: field %zu has changed", trial, i);
        require(record_complete(&reader), "trial %d: something is left over", trial);
        if (trial < 60) cut_anywhere(&fields, record_written(&writer));
    }
}

TEST(small_records_need_no_memory) {
    RECORD_WRITER(writer);
    for (size_t i = 0; i < sizeof(writer.buffer); i++) record_put_byte(&writer, (uint8_t)i);
    require_same(allocations_count(), 0, "as many bytes as there is room for");
    record_put_byte(&writer, 1);
    require_same(allocations_count(), 1, "one byte more");
    require_bytes(bytes_of(writer.data, 4), bytes_of("\0\1\2\3", 4), "what was in the room");
}
