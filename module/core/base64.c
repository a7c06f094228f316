#include "core/base64.h"

#include <limits.h>

static int value_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

long base64_read(struct bytes text, unsigned char *bytes, size_t max) {
    size_t digits = text.length;
    if (digits % 4 || digits > LONG_MAX / 2) return -1;
    for (int padding = 0; padding < 2 && digits && text.data[digits - 1] == '='; padding++) digits--;
    size_t length = digits * 6 / 8;
    unsigned bits = 0, count = 0;
    for (size_t i = 0, at = 0; i < digits; i++) {
        int value = value_of(text.data[i]);
        if (value < 0) return -1;
        bits = (bits << 6 | (unsigned)value) & 0xffff;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        if (length <= max) bytes[at++] = (unsigned char)(bits >> count);
    }
    return bits & ((1U << count) - 1) ? -1 : (long)length; /* unused bits must be zero */
}

void base64_write(struct bytes bytes, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < bytes.length; at += 3) {
        size_t left = bytes.length - at;
        unsigned bits = (unsigned)(unsigned char)bytes.data[at] << 16;
        if (left > 1) bits |= (unsigned)(unsigned char)bytes.data[at + 1] << 8;
        if (left > 2) bits |= (unsigned char)bytes.data[at + 2];
        *text++ = digits[bits >> 18];
        *text++ = digits[bits >> 12 & 63];
        *text++ = '=';
        *text++ = '=';
        if (left > 1) text[-2] = digits[bits >> 6 & 63];
        if (left > 2) text[-1] = digits[bits & 63];
    }
}
