/* Decimals: what is one, and that it is the nearest double. */
#include "core/decimal.h"

#include "dice.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void require_read(const char *text, double expected) {
    double real = 77;
    require(decimal_read(bytes_text(text), &real), "'%s' is no decimal", text);
    require(real == expected && !signbit(real) == !(expected < 0), "'%s' is %.17g, not %.17g", text, real,
            expected);
}

TEST(every_form_of_a_decimal_is_read) {
    require_read("0", 0);
    require_read("-0", 0);
    require_read("-0.000e5", 0);
    require_read("+12", 12);
    require_read("007.50", 7.5);
    require_read(".5", 0.5);
    require_read("-5.", -5);
    require_read("1e3", 1000);
    require_read("1E+3", 1000);
    require_read("125e-3", 0.125);
    require_read("9007199254740993", 9007199254740992.0);
    require_read("9007199254740993.0000001", 9007199254740994.0);
    require_read("18446744073709551617", 18446744073709551616.0);
    require_read("1e22", 1e22);
    require_read("1e23", 1e23);
    require_read("1e-22", 1e-22);
    require_read("1e-23", 1e-23);
    require_read("1.7976931348623157e308", 1.7976931348623157e308);
    require_read("1.7976931348623158e308", 1.7976931348623157e308);
    require_read("4.9e-324", 4.9e-324);
    require_read("1e-400", 0);
    require_read("-1e-99999999999999999999", 0);
    require_read("0e99999999999999999999", 0);
}

TEST(malformed_decimals_are_refused) {
    static const char *const texts[] = {
        "",      ".",        "-",
        "+",     "e5",       ".e5",
        "1e",    "1e+",      "1e-",
        "1.2.3", "1 ",       " 1",
        "1\n",   "--1",      "+-1",
        "0x10",  "1,5",      "nan",
        "inf",   "infinity", "1e5.0",
        "1f",    "1e5x",     "1_0",
        "- 1",   "1e 5",     "½",
        "1e+-5", "1.8e308",  "-1e309",
        "2e308", "1e400",    "1e99999999999999999999",
    };
    double real;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        require(!decimal_read(bytes_text(texts[i]), &real), "'%s' is %g", texts[i], real);
    require(!decimal_read(bytes_of(NULL, 0), &real), "nothing is");
    require(!decimal_read(bytes_of("1\0", 2), &real), "a zero byte behind it");
}

/* The C library's reader, in the one locale that is set here, is the judge. */
static void compare(const char *text) {
    double real = 77, expected = strtod(text, NULL);
    bool read = decimal_read(bytes_text(text), &real);
    require_same(read, isfinite(expected), "'%s'", text);
    require(!read || (real == expected && (!signbit(real) || real < 0)), "'%s' is %.17g, not %.17g", text,
            real, expected);
}

TEST(random_doubles_are_read_exactly) {
    struct dice dice = {1};
    for (int round = 0; round < 100000; round++) {
        char text[64];
        uint64_t bits = dice_word(&dice);
        double real;
        memcpy(&real, &bits, sizeof(real));
        if (!isfinite(real)) continue;
        (void)snprintf(text, sizeof(text), "%.*g", (int)dice_roll(&dice, 20) + 1, real);
        compare(text);
        (void)snprintf(text, sizeof(text), "%.*f", (int)dice_roll(&dice, 8),
                       (double)((int64_t)bits >> dice_roll(&dice, 63)) / 1024);
        compare(text);
        (void)snprintf(text, sizeof(text), "%llu.%03ue%d", (unsigned long long)(bits >> dice_roll(&dice, 64)),
                       (unsigned)dice_roll(&dice, 1000), (int)dice_roll(&dice, 60) - 30);
        compare(text);
    }
}

/* Half way between two doubles, and a little more or less, a thousand digits behind. */
TEST(a_digit_after_many_zeros_counts) {
    for (unsigned zeros = 1; zeros < 1200; zeros += 13) {
        char text[1300], *at = text;
        at += sprintf(at, "9007199254740993.");
        memset(at, '0', zeros);
        memcpy(at + zeros, "1", sizeof("1"));
        require_read(text, 9007199254740994.0);
        at[zeros] = '0';
        require_read(text, 9007199254740992.0);
    }
}

TEST(points_and_exponents_balance) {
    for (int zeros = 0; zeros < 3000; zeros += 37) {
        char text[DECIMAL_MAX_BYTES];
        if (zeros)
            (void)sprintf(text, "0.%0*d25e%d", zeros, 0, zeros + 1);
        else
            (void)sprintf(text, "0.25e0");
        require_read(text, zeros ? 2.5 : 0.25);
        (void)sprintf(text, "25%0*de-%d", zeros + 1, 0, zeros + 1);
        require_read(text, 25);
    }
}

TEST(a_decimal_may_be_long_but_not_endless) {
    static char text[DECIMAL_MAX_BYTES + 1];
    double real;
    memset(text, '0', sizeof(text));
    text[DECIMAL_MAX_BYTES - 1] = '7';
    require(decimal_read(bytes_of(text, DECIMAL_MAX_BYTES), &real) && real == 7, "as long as can be");
    require(!decimal_read(bytes_of(text, DECIMAL_MAX_BYTES + 1), &real), "one too many");
}
