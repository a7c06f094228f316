/* Hexadecimal digits. */
#ifndef HOLDFAST_HEX_H
#define HOLDFAST_HEX_H

#include <stdint.h>

/* The digit's value plus one, in either case of letters; 0 for what is no digit. */
extern const unsigned char hex_values[256];

/* -1 for what is no digit. */
static inline int hex_value(char c) {
    return hex_values[(unsigned char)c] - 1;
}

/* A number as eight digits; the first letter is 'a' or 'A'. */
void hex_write(uint32_t number, char first_letter, char text[8]);

#endif
