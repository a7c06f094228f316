/* Hexadecimal digits: all of them, and nothing else. */
#include "core/hex.h"

#include "unit.h"

static void only_digits_have_a_value(void **state) {
    (void)state;
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    for (int c = 0; c < 256; c++) {
        int expected = -1;
        for (int value = 0; value < 16; value++)
            if ((char)c == lower[value] || (char)c == upper[value]) expected = value;
        require_same(hex_value((char)c), expected, "the byte %d", c);
    }
}

static void numbers_are_eight_digits(void **state) {
    (void)state;
    char text[8];
    hex_write(UINT32_C(0x0129abef), 'a', text);
    require_bytes(bytes_of(text, 8), bytes_text("0129abef"), "small letters");
    hex_write(UINT32_C(0xf0dc5a09), 'A', text);
    require_bytes(bytes_of(text, 8), bytes_text("F0DC5A09"), "capitals");
}

int main(void) {
    const struct CMUnitTest tests[] = {tidy_test(only_digits_have_a_value),
                                       tidy_test(numbers_are_eight_digits)};
    return cmocka_run_group_tests_name("hex", tests, NULL, NULL);
}
