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

/* Reads eight digits as a number; sets top bits of *wrong when one of them is not a digit. All at once, too: each byte
 * becomes its distance from '0', or from 'a' in either case, which is at most 9, or 5. In a byte where it is greater,
 * or below zero, it has its top bit set itself or gets it by the addition. */
static inline uint32_t hex_read_part(const char text[8], uint64_t *wrong) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t v;
    memcpy(&v, text, sizeof(v));
    v = be64_to_cpu(v);
    uint64_t letters = v >> 6 & ones;
    v = (v | letters << 5) - ones * '0' - letters * ('a' - '0');
    *wrong |= v | (v + ones * (0x80 - 10) + letters * 4);
    v += letters * 10;
    v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(v | v >> 16);
}

/* Reads sixteen digits as a number; false when one of them is not a digit. */
static inline bool hex_read(const char text[16], uint64_t *number) {
    uint64_t wrong = 0;
    uint64_t high = hex_read_part(text, &wrong), low = hex_read_part(text + 8, &wrong);
    if (wrong & UINT64_C(0x8080808080808080)) return false;
    *number = high << 32 | low;
    return true;
}

#endif
