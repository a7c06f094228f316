/* Text for people, built piece by piece in a buffer of the caller. Text that does not fit is cut; it always ends
 * with NUL. Cheaper than printf, for common replies. */
#ifndef HOLDFAST_TEXT_H
#define HOLDFAST_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *at;
    const char *end; /* end of the buffer */
};

struct text text_start(char *buffer, size_t size);
void text_put(struct text *text, const char *piece);
/* Padded with zeros to this many digits; unsigned only. */
void text_put_number(struct text *text, uint64_t number, int digits);

#endif
