#include "unicode.h"
#include "ccan/array_size/array_size.h"
#include "require.h"

size_t unicode_put(uint32_t character, char room[UTF8_MAX]) {
    if (character < 0x80) {
        room[0] = (char)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        room[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    room[0] = (char)(leads[length] | character);
    return length;
}

/* Decodes one character by writing all that it could be: what is written as the text has it, is it. */
static size_t decode(struct bytes text, uint32_t *character) {
    for (size_t length = 1; length <= UTF8_MAX && length <= text.length; length++) {
        static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
        uint32_t value = (unsigned char)text.data[0] & masks[length];
        for (size_t i = 1; i < length; i++) value = value << 6 | ((unsigned char)text.data[i] & 0x3f);
        char again[UTF8_MAX];
        bool real = value <= UNICODE_MAX && (value < 0xd800 || value > 0xdfff);
        if (!real || unicode_put(value, again) != length || memcmp(again, text.data, length) != 0) continue;
        *character = value;
        return length;
    }
    return 0;
}

bool utf16_convert(struct bytes text, uint16_t *units, size_t *count) {
    *count = 0;
    while (text.length) {
        uint32_t character = 0;
        size_t length = decode(text, &character);
        if (!length) return false;
        if (character >= 0x10000) {
            units[(*count)++] = (uint16_t)(0xd800 + ((character - 0x10000) >> 10));
            character = 0xdc00 + (character & 0x3ff);
        }
        units[(*count)++] = (uint16_t)character;
        text = bytes_of(text.data + length, text.length - length);
    }
    return true;
}

int utf16_order(const uint16_t *a, size_t a_count, const uint16_t *b, size_t b_count) {
    for (size_t i = 0; i < a_count && i < b_count; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return a_count < b_count ? -1 : a_count > b_count;
}

/* A character of some kind: ASCII, of few bytes or many, at one of the edges. Never a surrogate. */
static uint32_t character_draw(struct dice *dice) {
    static const uint32_t edges[] = {0x7f,   0x80,   0x7ff,  0x800,   0xd7ff,  0xe000,
                                     0xefff, 0xf000, 0xffff, 0x10000, 0xfffff, UNICODE_MAX};
    switch (dice_roll(dice, 6)) {
    case 0: return edges[dice_roll(dice, ARRAY_SIZE(edges))];
    case 1: return 0xa0 + (uint32_t)dice_roll(dice, 0x700);
    case 2: return 0xe000 + (uint32_t)dice_roll(dice, 0x2000);
    case 3: return 0x10000 + (uint32_t)dice_roll(dice, 0x100000);
    default: return 'a' + (uint32_t)dice_roll(dice, 4);
    }
}

enum { UNITS_MAX = 256 };

int utf16_order_of(struct bytes a, struct bytes b) {
    uint16_t a_units[UNITS_MAX], b_units[UNITS_MAX];
    size_t a_count, b_count;
    require(a.length <= UNITS_MAX && b.length <= UNITS_MAX, "room for their units");
    require(utf16_convert(a, a_units, &a_count) && utf16_convert(b, b_units, &b_count), "both are UTF-8");
    return utf16_order(a_units, a_count, b_units, b_count);
}

struct bytes text_draw(struct dice *dice, char *room, size_t characters) {
    size_t length = 0;
    for (size_t i = 0; i < characters; i++) length += unicode_put(character_draw(dice), room + length);
    return bytes_of(room, length);
}
