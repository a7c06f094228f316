/* Unicode, naively: characters one by one, as a textbook has them. */
#ifndef HOLDFAST_UNIT_UNICODE_H
#define HOLDFAST_UNIT_UNICODE_H

#include "core/bytes.h"
#include "dice.h"

enum { UTF8_MAX = 4, UNICODE_MAX = 0x10ffff };

/* Writes a character as UTF-8, and answers in how many bytes; surrogates, too, which are none. */
size_t unicode_put(uint32_t character, char room[UTF8_MAX]);

/* Converts to UTF-16; false for what is not UTF-8. There must be room for a unit per byte. */
bool utf16_convert(struct bytes text, uint16_t *units, size_t *count);

/* Compares two arrays of units. */
int utf16_order(const uint16_t *a, size_t a_count, const uint16_t *b, size_t b_count);

/* Compares two texts by their units. */
int utf16_order_of(struct bytes a, struct bytes b);

/* So many characters of text; there must be room for four times as many bytes. */
struct bytes text_draw(struct dice *dice, char *room, size_t characters);

#endif
