/* Strict UTF-8: shortest form only, no surrogates, nothing above U+10FFFF. */
#ifndef HOLDFAST_UTF8_H
#define HOLDFAST_UTF8_H

#include "core/bytes.h"

#include <stdint.h>

enum { UTF8_MAX_BYTES = 4 };

/* Takes the first character off a non-empty text. Returns its length in bytes; 0 when it is invalid,
 * and nothing is taken. */
size_t utf8_take_long(struct bytes *text, uint32_t *character);

/* The same. Most characters are ASCII. */
static inline size_t utf8_take(struct bytes *text, uint32_t *character) {
    unsigned char first = (unsigned char)text->data[0];
    if (first >= 0x80) return utf8_take_long(text, character);
    *character = first;
    *text = bytes_of(text->data + 1, text->length - 1);
    return 1;
}

/* Writes a valid character and returns its length in bytes. */
size_t utf8_put(char text[UTF8_MAX_BYTES], uint32_t character);

#endif
