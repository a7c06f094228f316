#include "core/duration.h"

#include "core/number.h"

enum { DECIMALS = 3 };

#define SECONDS_MAX (DURATION_MAX_MS / 1000)

/* The digits after the point, in thousandths. */
static bool read_decimals(struct bytes text, int64_t *thousandths) {
    *thousandths = 0;
    for (size_t i = 0; i < text.length || i < DECIMALS; i++) {
        char digit = i < text.length ? text.data[i] : '0';
        if (digit < '0' || digit > '9' || (i >= DECIMALS && digit != '0')) return false;
        if (i < DECIMALS) *thousandths = *thousandths * 10 + (digit - '0');
    }
    return true;
}

/* Any number of digits: a number that overflows counts as the greatest one. */
static bool read_seconds(struct bytes text, int64_t *seconds) {
    if (number_read(text, seconds)) return *seconds >= 0;
    if (!text.length || text.data[0] == '0') return false;
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] < '0' || text.data[i] > '9') return false;
    *seconds = INT64_MAX;
    return true;
}

bool duration_read(struct bytes text, int64_t *duration_ms) {
    int64_t seconds, thousandths = 0;
    if (number_read(text, &seconds) && seconds >= 0 && seconds <= SECONDS_MAX) {
        *duration_ms = seconds * 1000;
        return true;
    }
    *duration_ms = DURATION_INFINITE_MS;
    if (bytes_same_word(text, bytes_text("INFINITE")) || bytes_equal(text, bytes_text("-1"))) return true;
    const char *point = text.length ? memchr(text.data, '.', text.length) : NULL;
    struct bytes whole = text;
    if (point) {
        whole.length = (size_t)(point - text.data);
        struct bytes decimals = bytes_of(point + 1, text.length - whole.length - 1);
        if (!decimals.length || !read_decimals(decimals, &thousandths)) return false;
    }
    if (!read_seconds(whole, &seconds)) return false;
    *duration_ms = seconds > SECONDS_MAX ? DURATION_MAX_MS : seconds * 1000 + thousandths;
    return true;
}
