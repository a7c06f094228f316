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

TEST(numbers_are_sixteen_digits) {
    char text[16];
    hex_write(UINT64_C(0x0129abef8734c6d5), 'a', text);
    require_bytes(bytes_of(text, 16), bytes_text("0129abef8734c6d5"), "small letters");
    hex_write(UINT64_C(0xf0dc5a0987b6123e), 'A', text);
    require_bytes(bytes_of(text, 16), bytes_text("F0DC5A0987B6123E"), "capitals");
}

/* Each byte in each place, beside each byte: neither hides the other. */
TEST(sixteen_digits_are_a_number) {
    uint64_t number;
    for (size_t at = 0; at < 16; at++) {
        for (int c = 0; c < 256; c++) {
            for (int other = 0; other < 256; other++) {
                char text[] = "19aFA0f2c7D83e4B";
                text[(at + 1) % 16] = (char)other;
                text[at] = (char)c;
                uint64_t expected = 0;
                for (size_t i = 0; i < 16; i++)
                    expected = expected << 4 | ((uint64_t)hex_value(text[i]) & 15);
                bool is_right = hex_value((char)c) >= 0 && hex_value((char)other) >= 0;
                require_same(hex_read(text, &number), is_right, "the bytes %d, %d at %zu", c, other, at);
                if (is_right) require_same(number, expected, "the bytes %d, %d at %zu", c, other, at);
            }
        }
    }
}
