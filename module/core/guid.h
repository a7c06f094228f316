/* GUIDs: 128-bit ids, compared as numbers. Read in every form that the storage service takes, in any case:
 *
 *   N  00112233445566778899aabbccddeeff          D  00112233-4455-6677-8899-aabbccddeeff
 *   B  {D}     P  (D)     X  {0x00112233,0x4455,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}}
 *
 * Written as D in lower case. */
#ifndef HOLDFAST_GUID_H
#define HOLDFAST_GUID_H

#include "core/bytes.h"

#include <stdint.h>

struct guid {
    uint64_t high, low;
};

enum { GUID_TEXT_LENGTH = 36, GUID_DIGITS = 32 };

static inline bool guid_equal(struct guid a, struct guid b) {
    return a.high == b.high && a.low == b.low;
}

/* As bytes in memory, for example as a key of an index. */
static inline struct bytes guid_bytes(const struct guid *id) {
    return bytes_of(id, sizeof(*id));
}

bool guid_read(struct bytes text, struct guid *guid);
void guid_write(struct guid guid, char text[GUID_TEXT_LENGTH]);
/* The digits alone, form N. */
void guid_write_digits(struct guid guid, char text[GUID_DIGITS]);

/* Makes a random GUID (version 4) from 16 random bytes. */
struct guid guid_random(const unsigned char random[16]);

#endif
