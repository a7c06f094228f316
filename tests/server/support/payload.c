#include "payload.h"

enum { CHECKSUM_BYTES = 8, BITS = 8 };

/* The polynomial 0xad93d23594c935a9 with its bits in reverse order, as the checksum runs from the lowest bit up. */
static const uint64_t polynomial = UINT64_C(0x95ac9329ac4bc9b5);

uint64_t payload_checksum(const void *bytes, size_t length) {
    uint64_t checksum = 0;
    for (const unsigned char *byte = bytes; length--; byte++) {
        checksum ^= *byte;
        for (int bit = 0; bit < BITS; bit++) checksum = (checksum >> 1) ^ (checksum & 1 ? polynomial : 0);
    }
    return checksum;
}

void payload_sign(void *payload, size_t length) {
    uint64_t checksum = payload_checksum(payload, length - CHECKSUM_BYTES);
    unsigned char *byte = (unsigned char *)payload + length - CHECKSUM_BYTES;
    for (int i = 0; i < CHECKSUM_BYTES; i++) byte[i] = (unsigned char)(checksum >> (BITS * i));
}
