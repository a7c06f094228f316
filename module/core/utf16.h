/* UTF-16 as a measure. Text is UTF-8 here; the storage service counts and sorts it by UTF-16 code units, and so must
 * we: a character beyond U+FFFF counts twice, and sorts before U+E000 to U+FFFF, which bytes of UTF-8 do not.
 *
 * Strict about what UTF-8 is: no overlong forms, no surrogates, nothing above U+10FFFF. Text is never converted. */
#ifndef HOLDFAST_UTF16_H
#define HOLDFAST_UTF16_H

#include "core/bytes.h"

/* Counts the units. False, and no count, when the text is not UTF-8. */
bool utf16_count(struct bytes text, size_t *units);

/* How many bytes at the start of the text are valid UTF-8, in whole characters. */
size_t utf16_sound_length(struct bytes text, size_t *units);

/* A byte's rank: comparing texts by the ranks of their bytes orders them by UTF-16 units. */
static inline unsigned char utf16_rank(char byte) {
    unsigned char value = (unsigned char)byte;
    return (unsigned char)(value + ((value & 0xfe) == 0xee ? 0x10 : 0));
}

/* The byte that has this rank. */
static inline char utf16_unrank(char rank) {
    unsigned char value = (unsigned char)rank;
    return (char)(value - (value >= 0xfe ? 0x10 : 0));
}

/* Compares two texts. Invalid UTF-8 is ordered somehow, but always in the same way. */
int utf16_compare(struct bytes a, struct bytes b);

#endif
