#include "core/hash_slot.h"

#include <string.h>

enum { SLOTS = 16384, CRC16_POLYNOMIAL = 0x1021 };

static unsigned checksum_of(struct bytes bytes) {
    unsigned crc = 0;
    for (size_t i = 0; i < bytes.length; i++) {
        crc ^= (unsigned)(unsigned char)bytes.data[i] << 8;
        for (int bit = 0; bit < 8; bit++) crc = (crc << 1 ^ (crc & 0x8000 ? CRC16_POLYNOMIAL : 0)) & 0xffff;
    }
    return crc;
}

static struct bytes hash_tag(struct bytes key) {
    const char *open = key.length ? memchr(key.data, '{', key.length) : NULL;
    if (!open) return key;
    const char *tag = open + 1, *end = key.data + key.length;
    const char *close = memchr(tag, '}', (size_t)(end - tag));
    return close && close != tag ? bytes_of(tag, (size_t)(close - tag)) : key;
}

unsigned hash_slot(struct bytes key) {
    return checksum_of(hash_tag(key)) % SLOTS;
}
