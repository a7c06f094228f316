/* UTF-16 as a measure. Text is UTF-8 here; the storage service counts and sorts it by UTF-16 code units, and so must
 * we: a character beyond U+FFFF counts twice, and sorts before U+E000 to U+FFFF, which bytes of UTF-8 do not.
 *
 * Strict about what UTF-8 is: no overlong forms, no surrogates, nothing above U+10FFFF. Text is never converted. */
#ifndef HOLDFAST_UTF16_H
#define HOLDFAST_UTF16_H

#include "core/bytes.h"

#include <stdint.h>

/* How many units the text has. False, and no count, when it is not UTF-8. */
bool utf16_count(struct bytes text, size_t *units);

/* How many bytes at the beginning of the text are UTF-8, in whole characters. */
size_t utf16_sound_length(struct bytes text, size_t *units);

/* A byte's rank: texts compare by the ranks of their bytes as they would by their units. */
static inline unsigned char utf16_rank(char byte) {
    unsigned char value = (unsigned char)byte;
    return (unsigned char)(value + ((value & 0xfe) == 0xee ? 0x10 : 0));
}

/* And back, for what is a rank of a byte of text. */
static inline char utf16_unrank(char rank) {
    unsigned char value = (unsigned char)rank;
    return (char)(value - (value >= 0xfe ? 0x10 : 0));
}

/* Of two texts. For bytes that are not UTF-8 some order, always the same. */
int utf16_compare(struct bytes a, struct bytes b);

#endif
