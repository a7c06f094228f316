#include "core/text.h"

enum { DIGITS_MAX = 20 };

struct text text_start(char *buffer, size_t size) {
    buffer[0] = '\0';
    return (struct text){buffer, buffer + size};
}

void text_put_bytes(struct text *text, const char *bytes, size_t length) {
    size_t space = (size_t)(text->end - text->at) - 1;
    if (length > space) length = space;
    memcpy(text->at, bytes, length);
    text->at += length;
    *text->at = '\0';
}

void text_put_number(struct text *text, uint64_t number, int digits) {
    char piece[DIGITS_MAX];
    int count = 0;
    do {
        piece[DIGITS_MAX - ++count] = (char)('0' + number % 10);
        number /= 10;
    } while (number || (count < digits && count < DIGITS_MAX));
    text_put_bytes(text, piece + DIGITS_MAX - count, (size_t)count);
}
