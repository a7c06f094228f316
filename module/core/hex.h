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

/* Two words that are worked on at once, eight digits in each. */
typedef uint64_t hex_words __attribute__((vector_size(16)));

/* The same byte in each place. */
static inline hex_words hex_bytes(unsigned byte) {
    uint64_t word = UINT64_C(0x0101010101010101) * byte;
    return (hex_words){word, word};
}

/* Bytes that are one become 255, zeros remain. */
static inline hex_words hex_mask(hex_words ones) {
    return (ones << 8) - ones;
}

/* Writes a number as sixteen digits; the first letter is 'a' or 'A'. All at once: each nibble gets its own byte, then
 * the offset of the letters is added. */
static inline void hex_write(uint64_t number, char first_letter, char text[16]) {
    hex_words v = {number >> 32, (uint32_t)number};
    v = (v | v << 16) & UINT64_C(0x0000ffff0000ffff);
    v = (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    hex_words letters = (v + hex_bytes(6)) >> 4 & hex_bytes(1);
    v += hex_bytes('0') + (hex_mask(letters) & hex_bytes((unsigned)(first_letter - '9' - 1)));
    uint64_t words[2] = {cpu_to_be64(v[0]), cpu_to_be64(v[1])};
    memcpy(text, words, sizeof(words));
}

/* Reads sixteen digits as a number; false when one of them is not a digit. All at once, too: each byte becomes its
 * distance from '0', or from 'a' in either case, which is at most 9, or 5. In a byte where it is greater, or below
 * zero, it has its top bit set itself or gets it by the addition. */
static inline bool hex_read(const char text[16], uint64_t *number) {
    uint64_t words[2];
    memcpy(words, text, sizeof(words));
    hex_words v = {be64_to_cpu(words[0]), be64_to_cpu(words[1])};
    hex_words letters = v >> 6 & hex_bytes(1), mask = hex_mask(letters);
    v = (v | letters << 5) - hex_bytes('0') - (mask & hex_bytes('a' - '0'));
    hex_words wrong = (v | (v + hex_bytes(0x80 - 10) + (letters << 2))) & hex_bytes(0x80);
    v += mask & hex_bytes(10);
    v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
    v |= v >> 16;
    if (wrong[0] | wrong[1]) return false;
    *number = v[0] << 32 | (uint32_t)v[1];
    return true;
}

#endif
