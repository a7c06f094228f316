#include "core/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DIGITS_IN_WORD = 19, /* any number of 19 digits fits into 64 bits */
    /* Doubles, and the midpoints between two of them, have at most 768 digits. More digits only say "a little more". */
    DIGITS_THAT_COUNT = 800,
    EXPONENT_MAX = 100000, /* beyond all doubles, however many digits there are */
    POWERS = 23,
};

/* All powers are exact, as are whole numbers up to WHOLE_EXACT, so one division or multiplication
 * rounds only once. */
#define WHOLE_EXACT (UINT64_C(1) << 53)
static const double powers[POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct decimal {
    bool negative;
    struct bytes whole, fraction; /* digits in front of the point and behind it */
    int64_t exponent;
};

static bool decimal_take_char(struct bytes *text, char a, char b) {
    if (!text->length || (text->data[0] != a && text->data[0] != b)) return false;
    *text = bytes_of(text->data + 1, text->length - 1);
    return true;
}

static bool take_sign(struct bytes *text) {
    bool negative = text->length && text->data[0] == '-';
    decimal_take_char(text, '+', '-');
    return negative;
}

static struct bytes take_digits(struct bytes *text) {
    struct bytes digits = {text->data, 0};
    while (digits.length < text->length && text->data[digits.length] >= '0' &&
           text->data[digits.length] <= '9')
        digits.length++;
    *text = bytes_of(text->data + digits.length, text->length - digits.length);
    return digits;
}

static int64_t small_number(struct bytes digits) {
    int64_t number = 0;
    for (size_t i = 0; i < digits.length && number < EXPONENT_MAX; i++)
        number = number * 10 + (digits.data[i] - '0');
    return number;
}

static bool split_decimal(struct bytes text, struct decimal *decimal) {
    *decimal = (struct decimal){.negative = take_sign(&text)};
    decimal->whole = take_digits(&text);
    if (decimal_take_char(&text, '.', '.')) decimal->fraction = take_digits(&text);
    if (!decimal->whole.length && !decimal->fraction.length) return false;
    if (decimal_take_char(&text, 'e', 'E')) {
        bool negative = take_sign(&text);
        struct bytes digits = take_digits(&text);
        if (!digits.length) return false;
        decimal->exponent = negative ? -small_number(digits) : small_number(digits);
    }
    return !text.length;
}

static char digit_at(const struct decimal *decimal, size_t at) {
    size_t whole = decimal->whole.length;
    return at < whole ? decimal->whole.data[at] : decimal->fraction.data[at - whole];
}

/* Gives strtod the digits without a decimal point, which would depend on the locale. */
static double read_slowly(const struct decimal *decimal, size_t from, int64_t exponent) {
    char text[DIGITS_THAT_COUNT + 16];
    size_t count = decimal->whole.length + decimal->fraction.length, length = 0;
    bool more = false;
    for (size_t at = from; at < count; at++) {
        char digit = digit_at(decimal, at);
        if (length < DIGITS_THAT_COUNT) {
            text[length++] = digit;
        } else {
            more = more || digit != '0';
            exponent++;
        }
    }
    if (more) {
        text[length++] = '1';
        exponent--;
    }
    (void)snprintf(text + length, sizeof(text) - length, "e%d", (int)exponent);
    return strtod(text, NULL);
}

static double read_magnitude(const struct decimal *decimal) {
    size_t count = decimal->whole.length + decimal->fraction.length, from = 0;
    while (from < count && digit_at(decimal, from) == '0') from++;
    int64_t exponent = decimal->exponent - (int64_t)decimal->fraction.length;
    if (count - from > DIGITS_IN_WORD) return read_slowly(decimal, from, exponent);
    uint64_t whole = 0;
    for (size_t at = from; at < count; at++) whole = whole * 10 + (uint64_t)(digit_at(decimal, at) - '0');
    if (!whole) return 0;
    if (whole > WHOLE_EXACT || exponent >= POWERS || exponent <= -POWERS)
        return read_slowly(decimal, from, exponent);
    return exponent < 0 ? (double)whole / powers[-exponent] : (double)whole * powers[exponent];
}

bool decimal_read(struct bytes text, double *real) {
    struct decimal decimal;
    if (text.length > DECIMAL_MAX_BYTES || !split_decimal(text, &decimal)) return false;
    double value = read_magnitude(&decimal);
    if (!isfinite(value)) return false;
    *real = decimal.negative && value > 0 ? -value : value;
    return true;
}
