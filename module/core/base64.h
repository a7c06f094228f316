/* Base64 as in RFC 4648, with padding. Only the canonical form is accepted. */
#ifndef HOLDFAST_BASE64_H
#define HOLDFAST_BASE64_H

#include "core/bytes.h"

/* The length of the text for this many bytes. */
static inline size_t base64_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

/* Returns how many bytes the text encodes, even if that exceeds `max`; in that case nothing is written. Returns -1
 * if the text is not valid base64. */
long base64_read(struct bytes text, unsigned char *bytes, size_t max);

/* Writes base64_length(bytes.length) characters. */
void base64_write(struct bytes bytes, char *text);

#endif
