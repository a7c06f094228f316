/* Base64 as RFC 4648 has it: with padding, and only the one form that each run of bytes has. */
#ifndef HOLDFAST_BASE64_H
#define HOLDFAST_BASE64_H

#include "core/bytes.h"

/* How many characters the text of so many bytes has. */
static inline size_t base64_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

/* How many bytes the text stands for, even if that is more than `most`; then they are not written. -1 if it is no
 * such text. */
long base64_read(struct bytes text, unsigned char *bytes, size_t most);

/* Writes base64_length(bytes.length) characters. */
void base64_write(struct bytes bytes, char *text);

#endif
