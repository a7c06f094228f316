#include "core/number.h"

#include "core/inlining.h"

#include "ccan/array_size/array_size.h"
#include "ccan/endian/endian.h"

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

enum { DIGITS_AT_ONCE = 8 };

static const uint64_t hundred_million = 100000000;

/* Eight decimal digits as the bytes of a number, the first one lowest. All at once: the halves are split into pairs,
 * and these into digits, by multiplications that divide in each part of a word. */
static uint64_t split_digits(uint64_t number) {
    uint64_t halves = number / 10000 | number % 10000 << 32;
    uint64_t hundreds = halves * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
    uint64_t tens = pairs * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return tens | (pairs - tens * 10) << 8;
}

static void write_digits(uint64_t digits, char text[DIGITS_AT_ONCE]) {
    uint64_t v = cpu_to_le64(digits + UINT64_C(0x3030303030303030));
    memcpy(text, &v, sizeof(v));
}

/* All eight bytes are written, however few digits there are. The number is not 0. */
static size_t write_short(uint64_t number, char text[DIGITS_AT_ONCE]) {
    uint64_t digits = split_digits(number);
    unsigned zeros = (unsigned)__builtin_ctzll(digits) / 8;
    write_digits(digits >> zeros * 8, text);
    return DIGITS_AT_ONCE - zeros;
}

static size_t write_long(uint64_t number, char *text) {
    if (number < hundred_million) return write_short(number, text);
    size_t length = write_long(number / hundred_million, text);
    write_digits(split_digits(number % hundred_million), text + length);
    return length + DIGITS_AT_ONCE;
}

/* Lengths of words, and counts. */
static size_t write_small(unsigned number, char text[2]) {
    bool two = number >= 10;
    text[0] = (char)('0' + number / 10);
    text[two] = (char)('0' + number % 10);
    return 1 + two;
}

size_t number_write(int64_t number, char text[NUMBER_TEXT_MAX]) {
    if (number >= 0 && number < 100) return write_small((unsigned)number, text);
    if (number >= 0) return write_long((uint64_t)number, text);
    text[0] = '-';
    return 1 + write_long(0 - (uint64_t)number, text + 1);
}
