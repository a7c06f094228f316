#include "core/number.h"

bool number_read(struct bytes text, int64_t *number) {
    bool negative = text.length && text.data[0] == '-';
    size_t at = negative;
    if (at == text.length || (text.data[at] == '0' && (negative || text.length > 1))) return false;
    uint64_t sum = 0, most = (uint64_t)INT64_MAX + negative;
    for (; at < text.length; at++) {
        if (text.data[at] < '0' || text.data[at] > '9') return false;
        uint64_t digit = (uint64_t)(text.data[at] - '0');
        if (sum > (most - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *number = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}
