/* UTF-16 as a measure, against characters that are decoded one by one. */
#include "core/utf16.h"

#include "unicode.h"
#include "unit.h"

enum { CHARACTERS = 24, ROOM = CHARACTERS * UTF8_MAX };

static int sign(int number) {
    return number < 0 ? -1 : number > 0;
}

static void require_counted(struct bytes text) {
    uint16_t units[ROOM + 8];
    size_t count = 77, expected;
    bool sound = utf16_convert(text, units, &expected);
    require_same(utf16_count(text, &count), sound, "%zu bytes from %02x on", text.length,
                 text.length ? (unsigned char)text.data[0] : 0);
    require_same(count, sound ? expected : 77, "units of %zu bytes", text.length);
}

TEST(every_character_counts_once_or_twice) {
    for (uint32_t character = 0; character <= UNICODE_MAX + 0x100; character++) {
        char text[UTF8_MAX];
        size_t units = 0, length = unicode_put(character, text);
        bool real = character <= UNICODE_MAX && (character < 0xd800 || character > 0xdfff);
        require_same(utf16_count(bytes_of(text, length), &units), real, "U+%x", character);
        require_same(units, !real ? 0 : character > 0xffff ? 2 : 1, "U+%x", character);
    }
}

/* All of two bytes, and all of four whose third and fourth are near an edge. */
TEST(malformed_utf8_is_found) {
    static const unsigned char edges[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        unsigned char text[4] = {(unsigned char)(pair >> 8), (unsigned char)pair};
        require_counted(bytes_of(text, 1));
        require_counted(bytes_of(text, 2));
        for (size_t i = 0; i < ARRAY_SIZE(edges) * ARRAY_SIZE(edges); i++) {
            text[2] = edges[i / ARRAY_SIZE(edges)], text[3] = edges[i % ARRAY_SIZE(edges)];
            require_counted(bytes_of(text, 3));
            require_counted(bytes_of(text, 4));
        }
    }
    require_counted(bytes_of("", 0));
    require_counted(bytes_of(NULL, 0));
}

/* A fault is found wherever it stands, and however much ASCII is around it. */
TEST(random_text_is_counted) {
    struct dice dice = {1};
    for (int round = 0; round < 60000; round++) {
        char room[ROOM];
        struct bytes text = text_draw(&dice, room, dice_roll(&dice, CHARACTERS));
        if (text.length && dice_percent(&dice, 40))
            room[dice_roll(&dice, text.length)] = (char)dice_word(&dice);
        if (text.length && dice_percent(&dice, 20)) text.length = dice_roll(&dice, text.length);
        if (dice_percent(&dice, 30)) memset(room, 'a', text.length * 2 / 3);
        require_counted(text);
    }
}

/* Both begin alike, so that the difference stands anywhere. */
TEST(texts_compare_as_their_units_do) {
    struct dice dice = {2};
    int seen[3] = {0};
    for (int round = 0; round < 100000; round++) {
        char rooms[2][ROOM];
        struct bytes texts[2];
        uint16_t units[2][ROOM];
        size_t counts[2], common = dice_roll(&dice, CHARACTERS);
        size_t length = text_draw(&dice, rooms[0], common).length;
        memcpy(rooms[1], rooms[0], length);
        for (size_t i = 0; i < 2; i++) {
            size_t more = text_draw(&dice, rooms[i] + length, dice_roll(&dice, CHARACTERS - common)).length;
            texts[i] = bytes_of(rooms[i], length + more);
            require(utf16_convert(texts[i], units[i], &counts[i]), "it was drawn");
        }
        int expected = utf16_order(units[0], counts[0], units[1], counts[1]);
        require_same(sign(utf16_compare(texts[0], texts[1])), expected, "round %d", round);
        require_same(sign(utf16_compare(texts[1], texts[0])), -expected, "round %d, turned round", round);
        seen[expected + 1]++;
    }
    require(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 1000, "%d %d %d", seen[0], seen[1], seen[2]);
}

TEST(ranks_of_bytes_can_be_reversed) {
    for (int byte = 0; byte < 0xf5; byte++)
        require_same((unsigned char)utf16_unrank((char)utf16_rank((char)byte)), byte, "byte %02x", byte);
    require_same(utf16_rank('\xee'), 0xfe, "the first one that moves");
    require_same(utf16_rank('\xef'), 0xff, "the last one that moves");
    require(utf16_compare(bytes_text("\xef\xbf\xbd"), bytes_text("\xf0\x9f\x98\x80")) > 0, "a pair is below");
}
