#include "core/hex.h"

#include "ccan/endian/endian.h"

#include <string.h>

const unsigned char hex_values[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* All at once: each nibble gets a byte of its own, then the letters' distance is added. */
void hex_write(uint32_t number, char first_letter, char text[8]) {
    uint64_t v = number;
    v = (v | v << 16) & UINT64_C(0x0000ffff0000ffff);
    v = (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v | v << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t letters = ((v + UINT64_C(0x0606060606060606)) >> 4) & UINT64_C(0x0101010101010101);
    v = cpu_to_be64(v + UINT64_C(0x3030303030303030) + letters * (uint64_t)(first_letter - '9' - 1));
    memcpy(text, &v, sizeof(v));
}
