/* Keys of an index: values of one type in the order of the type, entities of one value in the order of their keys. */
#include "table/index_key.h"

#include "unicode.h"
#include "unit.h"

#include <math.h>

enum { TEXT_ROOM = 64 };

static struct bytes put(struct record_writer *writer, const struct value *value, struct bytes stored) {
    record_start(writer);
    index_key_put_value(writer, value);
    require(writer->length <= INDEX_KEY_VALUE_MAX, "%zu bytes", writer->length);
    record_put_raw(writer, stored);
    return record_written(writer);
}

static int compare_bytes(struct bytes a, struct bytes b) {
    int order = bytes_compare(a, b);
    return order < 0 ? -1 : order > 0;
}

static int compare_numbers(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

static int compare_ids(struct guid a, struct guid b) {
    char texts[2][GUID_TEXT_LENGTH];
    guid_write(a, texts[0]);
    guid_write(b, texts[1]);
    return compare_bytes(bytes_of(texts[0], GUID_TEXT_LENGTH), bytes_of(texts[1], GUID_TEXT_LENGTH));
}

/* NaN behind all others. */
static int compare_reals(double a, double b) {
    if (isnan(a) || isnan(b)) return !!isnan(a) - !!isnan(b);
    return a < b ? -1 : a > b;
}

static int compare(const struct value *a, const struct value *b) {
    if (a->type != b->type) return a->type < b->type ? -1 : 1;
    switch (a->type) {
    case VALUE_STRING: return utf16_order_of(a->bytes, b->bytes);
    case VALUE_BINARY: return compare_bytes(a->bytes, b->bytes);
    case VALUE_DOUBLE: return compare_reals(a->real, b->real);
    case VALUE_GUID: return compare_ids(a->guid, b->guid);
    default: return compare_numbers(a->number, b->number);
    }
}

static int64_t number_draw(struct dice *dice) {
    static const int64_t edges[] = {0,     1,     -1,     255,    256,       -255,      -256,      -257,
                                    65535, 65536, -65536, -65537, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    if (dice_percent(dice, 50)) return edges[dice_roll(dice, ARRAY_SIZE(edges))];
    return (int64_t)dice_word(dice) >> dice_roll(dice, 64);
}

static double real_draw(struct dice *dice) {
    static const double edges[] = {
        0, 1, -1, 1.5, -1.5, 5e-324, -5e-324, (double)INFINITY, -(double)INFINITY, (double)NAN, 256, 1e300};
    if (dice_percent(dice, 50)) return edges[dice_roll(dice, ARRAY_SIZE(edges))];
    return (double)((int64_t)dice_word(dice) >> dice_roll(dice, 64)) / 1024;
}

static struct value value_draw(struct dice *dice, enum value_type type, char room[TEXT_ROOM]) {
    struct value value = {.type = type};
    switch (type) {
    case VALUE_STRING: value.bytes = text_draw(dice, room, dice_roll(dice, 6)); break;
    case VALUE_BINARY:
        value.bytes = bytes_of(room, dice_roll(dice, 5));
        for (size_t i = 0; i < 4; i++) room[i] = "\0\1\377"[dice_roll(dice, 3)];
        break;
    case VALUE_DOUBLE: value.real = real_draw(dice); break;
    case VALUE_GUID:
        value.guid =
            (struct guid){dice_word(dice) >> dice_roll(dice, 64), dice_word(dice) << dice_roll(dice, 64)};
        break;
    case VALUE_BOOL: value.number = (int64_t)dice_roll(dice, 2); break;
    case VALUE_INT32: value.number = (int32_t)number_draw(dice); break;
    case VALUE_DATETIME: value.number = number_draw(dice) & INT64_MAX; break;
    default: value.number = number_draw(dice);
    }
    return value;
}

TEST(index_keys_sort_as_their_values) {
    struct dice dice = {1};
    int equal = 0;
    for (int round = 0; round < 200000; round++) {
        char rooms[2][TEXT_ROOM];
        struct value values[2];
        struct record_writer writers[2];
        enum value_type type = (enum value_type)dice_roll(&dice, VALUE_TYPES);
        int stored = (int)dice_roll(&dice, 3) - 1;
        values[0] = value_draw(&dice, type, rooms[0]);
        values[1] = value_draw(
            &dice, dice_percent(&dice, 5) ? (enum value_type)dice_roll(&dice, VALUE_TYPES) : type, rooms[1]);
        int expected = compare(&values[0], &values[1]);
        if (!expected) expected = stored, equal++;
        struct bytes a = put(&writers[0], &values[0], bytes_text(stored < 0 ? "a" : "b"));
        struct bytes b = put(&writers[1], &values[1], bytes_text(stored > 0 ? "a" : "b"));
        require_same(compare_bytes(a, b), expected, "types %u and %u in round %d", values[0].type,
                     values[1].type, round);
        record_end(&writers[0]);
        record_end(&writers[1]);
    }
    require(equal > 1000, "%d were equal", equal);
}

/* Where the value ends: behind the first zero byte that is followed by a one. */
static size_t value_end(struct bytes key) {
    size_t at = 0;
    while (at + 1 < key.length && (key.data[at] || key.data[at + 1] != 1)) at++;
    return at + 2;
}

TEST(index_keys_are_split_as_they_were_joined) {
    struct dice dice = {2};
    for (int round = 0; round < 20000; round++) {
        char room[TEXT_ROOM];
        struct record_writer writer ENDS_BY(record_end);
        struct value value = value_draw(&dice, (enum value_type)dice_roll(&dice, VALUE_TYPES), room);
        struct bytes stored = bytes_of("\1k\0\1r", dice_roll(&dice, 6));
        struct bytes key = put(&writer, &value, stored);
        require_same(value_end(key) + stored.length, key.length, "both");
        require_bytes(bytes_of(key.data + value_end(key), stored.length), stored, "the stored key");
    }
}

/* Small numbers, which are most, do not cost eight bytes. */
TEST(small_values_have_short_index_keys) {
    static const struct {
        struct value value;
        size_t length;
    } kinds[] = {
        {{.type = VALUE_INT32, .number = 0}, 4},   {{.type = VALUE_INT64, .number = -1}, 4},
        {{.type = VALUE_INT32, .number = 200}, 5}, {{.type = VALUE_BOOL, .number = 1}, 5},
        {{.type = VALUE_DOUBLE, .real = 1.5}, 5},  {{.type = VALUE_STRING, .bytes = {"abc", 3}}, 6},
        {{.type = VALUE_INT64, .number = 256}, 7}, /* one of its bytes is zero */
    };
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct record_writer writer ENDS_BY(record_end);
        require_same(put(&writer, &kinds[i].value, bytes_of("", 0)).length, kinds[i].length, "%zu", i);
    }
}

/* Up to the 256th byte all of a value counts, behind it nothing does. */
TEST(long_values_are_truncated_in_index_keys) {
    static char text[70000];
    struct record_writer writers[2];
    for (int binary = 0; binary < 2; binary++) {
        struct value value = {.type = binary ? VALUE_BINARY : VALUE_STRING};
        memset(text, binary ? 0 : 'x', sizeof(text));
        value.bytes = bytes_of(text, INDEX_VALUE_MAX_BYTES);
        struct bytes cut = put(&writers[0], &value, bytes_of("", 0));
        value.bytes.length--;
        require(compare_bytes(put(&writers[1], &value, bytes_of("", 0)), cut) < 0, "one less is less");
        record_end(&writers[1]);
        value.bytes.length = 60000;
        require_bytes(put(&writers[1], &value, bytes_of("", 0)), cut, "the rest does not count");
        record_end(&writers[1]);
        text[INDEX_VALUE_MAX_BYTES - 1]++;
        require(compare_bytes(put(&writers[1], &value, bytes_of("", 0)), cut) > 0,
                "the last byte that counts");
        record_end(&writers[1]);
        record_end(&writers[0]);
    }
}
