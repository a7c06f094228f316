/* Hexadecimal digits. */
#ifndef HOLDFAST_HEX_H
#define HOLDFAST_HEX_H

#include "ccan/endian/endian.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The digit's value plus one, for either case; 0 for anything but a digit. */
extern const unsigned char hex_values[256];

/* The digit's value; -1 for anything but a digit. */
static inline int hex_value(char c) {
    return hex_values[(unsigned char)c] - 1;
}

/* Writes a number as eight digits; the first letter is 'a' or 'A'. All at once: each nibble gets its own byte, then
 * the offset of the letters is added. */
static inline void hex_write(uint32_t number, char first_letter, char text[8]) {
    uint64_t v = number;
    v = (v | v << 16) & UINT64_C(0x0000ffff0000ffff);
    v = (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t letters = ((v + UINT64_C(0x0606060606060606)) >> 4) & UINT64_C(0x0101010101010101);
    v = cpu_to_be64(v + UINT64_C(0x3030303030303030) + letters * (uint64_t)(first_letter - '9' - 1));
    memcpy(text, &v, sizeof(v));
}

/* Reads eight digits as a number; false when one of them is not a digit. All at once, too: a byte's top bit is set by
 * adding what the first character of a range lacks to 0x80. */
static inline bool hex_read(const char text[8], uint32_t *number) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    uint64_t v;
    memcpy(&v, text, sizeof(v));
    v = be64_to_cpu(v);
    uint64_t plain = v & ~tops, small = plain | ones * 0x20;
    uint64_t digits = (plain + ones * (0x80 - '0')) & ~(plain + ones * (0x80 - '9' - 1)) & tops;
    uint64_t letters = (small + ones * (0x80 - 'a')) & ~(small + ones * (0x80 - 'f' - 1)) & tops;
    uint64_t nibbles = (v & ones * 0x0f) + (letters >> 7) * 9;
    nibbles = (nibbles | nibbles >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    nibbles = (nibbles | nibbles >> 8) & UINT64_C(0x0000ffff0000ffff);
    *number = (uint32_t)(nibbles | nibbles >> 16);
    return !(v & tops) && (digits | letters) == tops;
}

#endif
