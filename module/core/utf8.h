/* Strict UTF-8: shortest form only, no surrogates, nothing above U+10FFFF. */
#ifndef HOLDFAST_UTF8_H
#define HOLDFAST_UTF8_H

#include "core/bytes.h"

#include <stdint.h>

enum { UTF8_MAX_BYTES = 4 };

/* Takes the first character off a non-empty text. Returns its length in bytes; 0 when it is invalid,
 * and nothing is taken. */
size_t utf8_take(struct bytes *text, uint32_t *character);

/* Writes a valid character and returns its length in bytes. */
size_t utf8_put(char text[UTF8_MAX_BYTES], uint32_t character);

#endif
