#include "property_draw.h"

#include "ccan/array_size/array_size.h"
#include "core/memory.h"
#include "table/key.h"
#include "table/property.h"
#include "table/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONG_TEXT = 300, PADDING_MAX = 3000, MANY = 120 };

static const char *const names[DRAWN_NAMES] = {"p0", "p1", "p2", "p3", "p4", "p5"};

struct bytes name_drawn(size_t number) {
    return bytes_text(names[number]);
}

/* Short ones of every kind, and long ones that differ where an index does not look any more. */
static struct bytes text_value(struct dice *dice) {
    static const struct bytes texts[] = {{"", 0},
                                         {"a", 1},
                                         {"b", 1},
                                         {"aa", 2},
                                         {"ab", 2},
                                         {"a\0b", 3},
                                         {"\xef\xbd\x9e", 3},
                                         {"\xf0\x9f\x98\x80", 4}};
    static char room[2][LONG_TEXT + 1];
    if (dice_percent(dice, 90)) return texts[dice_roll(dice, ARRAY_SIZE(texts))];
    size_t which = dice_roll(dice, 2);
    memset(room[which], 'x', LONG_TEXT);
    room[which][LONG_TEXT] = (char)('a' + which);
    return bytes_of(room[which], LONG_TEXT + dice_roll(dice, 2));
}

static struct value value_draw(struct dice *dice) {
    static const double reals[] = {-1.5, 0, 1, 2, (double)NAN, (double)INFINITY, -(double)INFINITY};
    static const int64_t wide[] = {-2, 0, 1, 2, INT64_MAX, INT64_MIN};
    static const int64_t instants[] = {0, 1, TICKS_MAX};
    static const struct bytes binaries[] = {{"", 0}, {"\0", 1}, {"\0\xff", 2}, {"\1", 1}};
    struct value value = {.type = (enum value_type)dice_roll(dice, VALUE_TYPES)};
    switch (value.type) {
    case VALUE_STRING: value.bytes = text_value(dice); break;
    case VALUE_INT32: value.number = (int64_t)dice_roll(dice, 5) - 2; break;
    case VALUE_INT64: value.number = wide[dice_roll(dice, ARRAY_SIZE(wide))]; break;
    case VALUE_DOUBLE: value.real = reals[dice_roll(dice, ARRAY_SIZE(reals))]; break;
    case VALUE_BOOL: value.number = (int64_t)dice_roll(dice, 2); break;
    case VALUE_DATETIME: value.number = instants[dice_roll(dice, ARRAY_SIZE(instants))]; break;
    case VALUE_GUID: value.guid = (struct guid){dice_roll(dice, 2), dice_roll(dice, 2)}; break;
    default: value.bytes = binaries[dice_roll(dice, ARRAY_SIZE(binaries))];
    }
    return value;
}

static void put_padding(struct dice *dice, struct record_writer *room) {
    size_t length = dice_roll(dice, PADDING_MAX);
    char *bytes = memory_zeroed(length);
    struct property property = {bytes_text("padding"),
                                {.type = VALUE_BINARY, .bytes = bytes_of(bytes, length)}};
    property_put(room, &property);
    memory_free(bytes);
}

/* One of two ranges of names, which together are too many. */
static void put_many(struct dice *dice, struct record_writer *room) {
    size_t from = dice_roll(dice, 3) * MANY;
    for (size_t i = 0; i < MANY; i++) {
        char name[8];
        int length = snprintf(name, sizeof(name), "n%zu", from + i);
        struct property property = {bytes_of(name, (size_t)length), {.type = VALUE_BOOL, .number = 1}};
        property_put(room, &property);
    }
}

struct packed_list properties_draw(struct dice *dice, struct record_writer *room) {
    uint64_t count = 0;
    size_t first = dice_roll(dice, DRAWN_NAMES), max = dice_roll(dice, DRAWN_NAMES);
    for (; count < max; count++) {
        struct property property = {name_drawn((first + count) % DRAWN_NAMES), value_draw(dice)};
        property_put(room, &property);
    }
    if (dice_percent(dice, 8)) {
        put_padding(dice, room);
        count++;
    }
    if (dice_percent(dice, 4)) {
        put_many(dice, room);
        count += MANY;
    }
    return (struct packed_list){count, record_written(room)};
}

struct bytes key_draw(struct dice *dice, struct record_writer *room) {
    static const char *const partitions[] = {"", "a", "ab", "\xef\xbd\x9e", "\xf0\x9f\x98\x80"};
    char row[8];
    size_t number = dice_roll(dice, 21);
    int length = number ? snprintf(row, sizeof(row), "r%zu", number) : 0;
    stored_key_put(room, bytes_text(partitions[dice_roll(dice, ARRAY_SIZE(partitions))]),
                   bytes_of(row, (size_t)length));
    return record_written(room);
}
