/* UTF-8, strictly: the shortest form only, no halves of surrogate pairs, nothing above U+10FFFF. */
#ifndef HOLDFAST_UTF8_H
#define HOLDFAST_UTF8_H

#include "core/bytes.h"

#include <stdint.h>

enum { UTF8_MAX_BYTES = 4 };

/* Takes the first character off the text, which is not empty. Answers how many bytes it had; 0 when it is none, and
 * nothing is taken. */
size_t utf8_take(struct bytes *text, uint32_t *character);

/* Answers how many bytes the character has; it is one. */
size_t utf8_put(char room[UTF8_MAX_BYTES], uint32_t character);

#endif
