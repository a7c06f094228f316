/* Keys: which there are, how they are stored, and that stored keys stand in the order of the service. */
#include "table/key.h"

#include "unicode.h"
#include "unit.h"

struct row {
    const char *key;
    enum outcome outcome;
};

static const struct row rows[] = {
    {"", OUTCOME_DONE},
    {"eu", OUTCOME_DONE},
    {" %'+,(){}\"~^", OUTCOME_DONE},
    {"\xc2\xa0", OUTCOME_DONE},
    {"\xc3\x80", OUTCOME_DONE},
    {"\xf0\x9f\x98\x80", OUTCOME_DONE},
    {"\xef\xbf\xbf", OUTCOME_DONE},
    {"\xe2\x82\x85", OUTCOME_DONE}, /* a byte of a control character is none */
    {"a/b", OUTCOME_KEY_CHARACTER},
    {"a\\b", OUTCOME_KEY_CHARACTER},
    {"#", OUTCOME_KEY_CHARACTER},
    {"what?", OUTCOME_KEY_CHARACTER},
    {"\x01", OUTCOME_KEY_CHARACTER},
    {"a\tb", OUTCOME_KEY_CHARACTER},
    {"\x1f", OUTCOME_KEY_CHARACTER},
    {"\x7f", OUTCOME_KEY_CHARACTER},
    {"\xc2\x80", OUTCOME_KEY_CHARACTER},
    {"ab\xc2\x9f", OUTCOME_KEY_CHARACTER},
    {"\xc2\x80zzz", OUTCOME_KEY_CHARACTER},
    {"\xff", OUTCOME_KEY_NOT_TEXT},
    {"/\xff", OUTCOME_KEY_NOT_TEXT},
    {"\xed\xa0\x80", OUTCOME_KEY_NOT_TEXT},
};

TEST(keys_of_entities_keep_the_rules) {
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        require_same(key_check(bytes_text(rows[i].key)), rows[i].outcome, "row %zu '%s'", i, rows[i].key);
    require_same(key_check(bytes_of("a\0b", 3)), OUTCOME_KEY_CHARACTER, "a zero byte");
    require_same(key_check(bytes_of(NULL, 0)), OUTCOME_DONE, "nothing");
}

TEST(every_character_of_two_bytes_is_checked) {
    for (uint32_t character = 0; character < 0x800; character++) {
        char key[UTF8_MAX + 2] = "k";
        size_t length = unicode_put(character, key + 1);
        bool forbidden = character < 0x20 || (character >= 0x7f && character <= 0x9f) ||
                         (character && character < 0x80 && strchr("/\\#?", (char)character));
        require_same(key_check(bytes_of(key, length + 1)), forbidden ? OUTCOME_KEY_CHARACTER : OUTCOME_DONE,
                     "U+%x", character);
    }
}

TEST(the_length_of_a_key_counts_in_units) {
    static const struct {
        const char *piece;
        size_t max;
    } kinds[] = {{"k", 512}, {"\xc3\xa9", 512}, {"\xe2\x82\xac", 512}, {"\xf0\x9f\x98\x80", 256}};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        char key[2000];
        size_t step = strlen(kinds[i].piece), length = step * kinds[i].max;
        for (size_t at = 0; at <= length; at += step) memcpy(key + at, kinds[i].piece, step);
        require_same(key_check(bytes_of(key, length)), OUTCOME_DONE, "%zu bytes", length);
        require_same(key_check(bytes_of(key, length + step)), OUTCOME_PROPERTY_VALUE_TOO_LARGE, "%zu bytes",
                     length + step);
        key[0] = '/';
        bool broken = kinds[i].piece[1] && length + step <= KEY_MAX_BYTES;
        require_same(key_check(bytes_of(key, length + step)),
                     broken ? OUTCOME_KEY_NOT_TEXT : OUTCOME_PROPERTY_VALUE_TOO_LARGE, "both");
    }
}

enum { CHARACTERS = 12, ROOM = CHARACTERS * UTF8_MAX };

static struct bytes key_draw(struct dice *dice, char *room) {
    return text_draw(dice, room, dice_roll(dice, CHARACTERS));
}

/* partition 00 row, owned. */
static struct bytes stored_of(struct bytes partition, struct bytes row, char room[2 * ROOM + 1]) {
    key_store(partition, room);
    room[partition.length] = '\0';
    key_store(row, room + partition.length + 1);
    return bytes_of(room, partition.length + 1 + row.length);
}

TEST(stored_keys_stand_in_order) {
    struct dice dice = {1};
    for (int round = 0; round < 60000; round++) {
        char rooms[4][ROOM], stored[2][2 * ROOM + 1];
        struct bytes keys[4];
        for (size_t i = 0; i < 4; i++) keys[i] = key_draw(&dice, rooms[i]);
        if (dice_percent(&dice, 30)) keys[2] = keys[0];
        int expected = utf16_order_of(keys[0], keys[2]);
        if (!expected) expected = utf16_order_of(keys[1], keys[3]);
        int order =
            bytes_compare(stored_of(keys[0], keys[1], stored[0]), stored_of(keys[2], keys[3], stored[1]));
        require_same(order < 0 ? -1 : order > 0, expected, "round %d", round);
    }
}

TEST(stored_keys_are_split_as_they_were_joined) {
    struct dice dice = {2};
    for (int round = 0; round < 20000; round++) {
        char rooms[2][ROOM], room[2 * ROOM + 1], shown[ROOM];
        struct bytes partition = key_draw(&dice, rooms[0]), row = key_draw(&dice, rooms[1]);
        bool legal = key_check(partition) == OUTCOME_DONE && key_check(row) == OUTCOME_DONE;
        struct bytes stored = stored_of(partition, row, room);
        struct stored_key parts;
        require_same(stored_key_sound(stored), legal, "round %d", round);
        require(stored_key_split(stored, &parts), "it has two parts");
        key_show(parts.partition, shown);
        require_bytes(bytes_of(shown, parts.partition.length), partition, "partition");
        key_show(parts.row, shown);
        require_bytes(bytes_of(shown, parts.row.length), row, "row");
        key_store(partition, rooms[0]);
        require_bytes(partition, parts.partition, "stored in place");
        key_show(parts.row, room + partition.length + 1);
        require_bytes(parts.row, row, "shown in place");
    }
}

TEST(malformed_stored_keys_are_found) {
    static const struct bytes split[] = {{"", 0}, {"abc", 3}, {"a\0b\0", 4}, {"\0\0", 2}, {NULL, 0}};
    static const struct bytes sound[] = {{"a/\0b", 4},          {"a\0?", 3},       {"\xee\x80\x80\0", 4},
                                         {"\0\xef\xbf\xbf", 4}, {"\xfe\x80\0", 3}, {"a\0\xff", 3},
                                         {"\xff\x7f\xbf\0", 4}};
    static const struct bytes good[] = {{"\0", 1}, {"a\0", 2}, {"\0b", 2}, {"\xfe\x80\x80\0\xff\xbf\xbf", 7}};
    struct stored_key parts;
    for (size_t i = 0; i < ARRAY_SIZE(split); i++) {
        require(!stored_key_split(split[i], &parts), "%zu has two parts", i);
        require(!stored_key_sound(split[i]), "%zu is sound", i);
    }
    for (size_t i = 0; i < ARRAY_SIZE(sound); i++) require(!stored_key_sound(sound[i]), "%zu is sound", i);
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) require(stored_key_sound(good[i]), "%zu is not sound", i);
    char longest[STORED_KEY_MAX_BYTES + 3];
    for (size_t at = 0; at + 3 <= sizeof(longest); at += 3) memcpy(longest + at, "\xe2\x82\xac", 3);
    longest[KEY_MAX_BYTES] = '\0';
    memmove(longest + KEY_MAX_BYTES + 1, longest, KEY_MAX_BYTES);
    require(stored_key_sound(bytes_of(longest, STORED_KEY_MAX_BYTES)), "the longest is not sound");
    memcpy(longest + STORED_KEY_MAX_BYTES, "x", 1);
    require(!stored_key_sound(bytes_of(longest, STORED_KEY_MAX_BYTES + 1)), "one more is sound");
}
