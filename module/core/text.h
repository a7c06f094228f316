/* Texts for people, put together piece by piece into room that the caller has. What does not fit is cut; the text
 * always ends with NUL. For everyday answers that must not cost what a format does. */
#ifndef HOLDFAST_TEXT_H
#define HOLDFAST_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *at;
    const char *end; /* behind the room */
};

struct text text_start(char *room, size_t size);
void text_put(struct text *text, const char *piece);
/* With zeros in front, up to so many digits; negative numbers are none of ours. */
void text_put_number(struct text *text, uint64_t number, int digits);

#endif
