/* Text for people, built piece by piece in a buffer of the caller. Text that does not fit is cut; it always ends
 * with NUL. Cheaper than printf, for common replies. */
#ifndef HOLDFAST_TEXT_H
#define HOLDFAST_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
    char *at;
    const char *end; /* end of the buffer */
};

struct text text_start(char *buffer, size_t size);
void text_put_bytes(struct text *text, const char *bytes, size_t length);
/* Padded with zeros to this many digits; unsigned only. */
void text_put_number(struct text *text, uint64_t number, int digits);

/* Inline, since most pieces are literals, whose length the compiler knows. */
static inline void text_put(struct text *text, const char *piece) {
    text_put_bytes(text, piece, strlen(piece));
}

#endif
