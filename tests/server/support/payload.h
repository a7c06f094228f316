/* The envelope of DUMP and RESTORE, so that a doctored value can carry a valid checksum. */
#ifndef HOLDFAST_TESTS_PAYLOAD_H
#define HOLDFAST_TESTS_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

/* Bytes behind the value: two of the RDB version, eight of the checksum. */
enum { PAYLOAD_FOOTER = 10 };

/* CRC-64 of Jones as Redis computes it. */
uint64_t payload_checksum(const void *bytes, size_t length);

/* Writes the checksum of all that comes before it into the last eight bytes. */
void payload_sign(void *payload, size_t length);

#endif
