/* Hexadecimal digits: all of them, and nothing else. */
#include "core/hex.h"

#include "unit.h"

TEST(only_digits_have_a_value) {
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    for (int c = 0; c < 256; c++) {
        int expected = -1;
        for (int value = 0; value < 16; value++)
            if ((char)c == lower[value] || (char)c == upper[value]) expected = value;
        require_same(hex_value((char)c), expected, "the byte %d", c);
    }
}

TEST(numbers_are_eight_digits) {
    char text[8];
    hex_write(UINT32_C(0x0129abef), 'a', text);
    require_bytes(bytes_of(text, 8), bytes_text("0129abef"), "small letters");
    hex_write(UINT32_C(0xf0dc5a09), 'A', text);
    require_bytes(bytes_of(text, 8), bytes_text("F0DC5A09"), "capitals");
}

/* Each byte in each place of a number that is sound otherwise. */
TEST(eight_digits_are_a_number) {
    uint32_t number;
    for (size_t at = 0; at < 8; at++) {
        for (int c = 0; c < 256; c++) {
            char text[] = "19aFA0f2";
            text[at] = (char)c;
            uint32_t expected = 0;
            for (size_t i = 0; i < 8; i++) expected = expected << 4 | ((uint32_t)hex_value(text[i]) & 15);
            bool is_read = hex_read(text, &number);
            require_same(is_read, hex_value((char)c) >= 0, "the byte %d at %zu", c, at);
            if (is_read) require_same(number, expected, "the byte %d at %zu", c, at);
        }
    }
}
