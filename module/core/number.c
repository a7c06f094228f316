#include "core/number.h"

/* Digits without zeros in front, up to a limit. */
static bool read_digits(struct bytes digits, uint64_t most, uint64_t *number) {
    uint64_t sum = 0;
    if (!digits.length || (digits.data[0] == '0' && digits.length > 1)) return false;
    for (size_t at = 0; at < digits.length; at++) {
        if (digits.data[at] < '0' || digits.data[at] > '9') return false;
        uint64_t digit = (uint64_t)(digits.data[at] - '0');
        if (digit > most || sum > (most - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

bool number_read_unsigned(struct bytes text, uint64_t *number) {
    return read_digits(text, UINT64_MAX, number);
}

bool number_read(struct bytes text, int64_t *number) {
    bool negative = text.length && text.data[0] == '-';
    uint64_t sum, most = (uint64_t)INT64_MAX + negative;
    struct bytes digits = negative ? bytes_of(text.data + 1, text.length - 1) : text;
    if (!read_digits(digits, most, &sum) || (negative && !sum)) return false;
    *number = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}
