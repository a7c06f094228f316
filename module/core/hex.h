/* Hexadecimal digits. */
#ifndef HOLDFAST_HEX_H
#define HOLDFAST_HEX_H

/* The digit's value plus one, in either case of letters; 0 for what is no digit. */
extern const unsigned char hex_values[256];

/* -1 for what is no digit. */
static inline int hex_value(char c) {
    return hex_values[(unsigned char)c] - 1;
}

#endif
