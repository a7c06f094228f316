#include "core/number.h"

#include "core/inlining.h"

#include "ccan/array_size/array_size.h"

static bool add_up(struct bytes digits, uint64_t max, uint64_t *sum) {
    *sum = 0;
    for (size_t at = 0; at < digits.length; at++) {
        if (digits.data[at] < '0' || digits.data[at] > '9') return false;
        uint64_t digit = (uint64_t)(digits.data[at] - '0');
        if (*sum > (max - digit) / 10) return false;
        *sum = *sum * 10 + digit;
    }
    return digits.length > 0;
}

bool number_read_digits(struct bytes digits, bool negative, int64_t *number) {
    uint64_t sum;
    if (!add_up(digits, (uint64_t)INT64_MAX + negative, &sum)) return false;
    *number = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

bool number_read_unsigned(struct bytes text, uint64_t *number) {
    return !(text.length > 1 && text.data[0] == '0') && add_up(text, UINT64_MAX, number);
}

enum { SAFE_DIGITS = 18 }; /* as many are below INT64_MAX, whatever they are */

/* A sum of so many digits does not overflow. */
static bool add_up_few(struct bytes digits, int64_t *number) {
    int64_t sum = 0;
    for (size_t at = 0; at < digits.length; at++) {
        unsigned digit = (unsigned char)digits.data[at] - (unsigned)'0';
        if (digit > 9) return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

/* A sign, a leading zero, or many digits. */
ASIDE static bool read_rare(struct bytes text, int64_t *number) {
    bool negative = text.length && text.data[0] == '-';
    if (text.length == negative || (text.data[negative] == '0' && (negative || text.length > 1)))
        return false;
    return number_read_digits(bytes_of(text.data + negative, text.length - negative), negative, number);
}

bool number_read(struct bytes text, int64_t *number) {
    bool is_usual = text.length && text.length <= SAFE_DIGITS && text.data[0] > '0';
    return is_usual ? add_up_few(text, number) : read_rare(text, number);
}

static const struct {
    const char *name;
    int64_t bytes;
} units[] = {
    {"", 1},           {"b", 1},
    {"k", 1000},       {"kb", 1024},
    {"m", 1000000},    {"mb", INT64_C(1) << 20},
    {"g", 1000000000}, {"gb", INT64_C(1) << 30},
};

bool number_read_bytes(struct bytes text, int64_t *count) {
    size_t digits = 0;
    int64_t number;
    while (digits < text.length && text.data[digits] >= '0' && text.data[digits] <= '9') digits++;
    struct bytes unit = bytes_of(text.data + digits, text.length - digits);
    if (!number_read(bytes_of(text.data, digits), &number)) return false;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (bytes_same_word(unit, bytes_text(units[i].name)))
            return !__builtin_mul_overflow(number, units[i].bytes, count);
    return false;
}

size_t number_write(int64_t number, char text[NUMBER_TEXT_MAX]) {
    char digits[NUMBER_TEXT_MAX];
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t at = sizeof(digits), sign = number < 0;
    do digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    text[0] = '-';
    memcpy(text + sign, digits + at, sizeof(digits) - at);
    return sign + sizeof(digits) - at;
}
