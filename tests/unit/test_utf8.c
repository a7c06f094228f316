/* UTF-8: every character there and back, and every sequence that is none. */
#include "core/utf8.h"

#include "core/memory.h"
#include "unit.h"

enum { LAST = 0x10ffff };

static bool is_character(uint32_t value) {
    return value <= LAST && (value < 0xd800 || value > 0xdfff);
}

/* As the bits are drawn in textbooks, whatever the value. */
static size_t draw(char room[UTF8_MAX_BYTES], uint32_t value, size_t length) {
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    room[0] = (char)(marks[length] | value >> (6 * (length - 1)));
    for (size_t i = 1; i < length; i++) room[i] = (char)(0x80 | (value >> (6 * (length - 1 - i)) & 0x3f));
    return length;
}

static size_t shortest(uint32_t value) {
    return value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
}

TEST(every_character_is_written_and_read_back) {
    for (uint32_t value = 0; value <= LAST; value++) {
        char drawn[UTF8_MAX_BYTES], room[UTF8_MAX_BYTES];
        size_t length = draw(drawn, value, shortest(value));
        struct bytes text = bytes_of(drawn, length);
        uint32_t character = LAST + 1;
        if (!is_character(value)) {
            require_same(utf8_take(&text, &character), 0, "%x is half a character", value);
            require_same(text.length, length, "nothing is taken");
            continue;
        }
        require_same(utf8_take(&text, &character), length, "character %x", value);
        require_same(character, value, "the character that was drawn");
        require(text.length == 0 && text.data == drawn + length, "all of %x is taken", value);
        require_same(utf8_put(room, value), length, "character %x", value);
        require_bytes(bytes_of(room, length), bytes_of(drawn, length), "character %x", value);
    }
}

TEST(overlong_utf8_is_refused) {
    static const uint32_t values[] = {0, 1, '/', '.', 0x7f, 0x80, 0x7ff, 0x800, 0xfffd, 0xffff};
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        for (size_t length = shortest(values[i]) + 1; length <= UTF8_MAX_BYTES; length++) {
            char drawn[UTF8_MAX_BYTES];
            uint32_t character;
            struct bytes text = bytes_of(drawn, draw(drawn, values[i], length));
            require_same(utf8_take(&text, &character), 0, "%x in %zu bytes", values[i], length);
        }
    }
}

TEST(no_character_follows_the_last_one) {
    for (uint32_t value = LAST + 1; value < 0x200000; value++) {
        char drawn[UTF8_MAX_BYTES];
        uint32_t character;
        struct bytes text = bytes_of(drawn, draw(drawn, value, 4));
        require_same(utf8_take(&text, &character), 0, "%x", value);
    }
}

/* Every text of two bytes, and one cut short in all ways that there are. The text ends with its allocation, so that to
 * look behind it is found out. */
TEST(malformed_utf8_is_refused) {
    for (unsigned first = 0; first < 256; first++) {
        for (unsigned second = 0; second < 256; second++) {
            char pair[] = {(char)first, (char)second};
            struct bytes text = bytes_of(pair, 2);
            uint32_t character;
            bool two = first >= 0xc2 && first <= 0xdf && second >= 0x80 && second <= 0xbf;
            require_same(utf8_take(&text, &character),
                         first < 0x80 ? 1
                         : two        ? 2
                                      : 0,
                         "%02x %02x", first, second);
        }
    }
    static const char *const whole[] = {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
        for (size_t length = 1; length < strlen(whole[i]); length++) {
            void *cut = owner_new(bytes_of(whole[i], length));
            struct bytes text = owner_bytes(cut);
            uint32_t character;
            require_same(utf8_take(&text, &character), 0, "%zu bytes of number %zu", length, i);
            require_same(text.length, length, "nothing is taken");
            memory_drop_owner(cut);
        }
    }
}

TEST(utf8_is_read_character_by_character) {
    struct bytes text = bytes_text("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z\xff");
    static const uint32_t expected[] = {'a', 0xe4, 0x20ac, 0x1f600, 'z'};
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        uint32_t character = 0;
        require(utf8_take(&text, &character) > 0, "character %zu", i);
        require_same(character, expected[i], "character %zu", i);
    }
    uint32_t character;
    require_same(utf8_take(&text, &character), 0, "what follows is none");
}
