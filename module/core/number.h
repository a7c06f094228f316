/* Numbers as people write them: strict, whole, nothing in front or behind. */
#ifndef HOLDFAST_NUMBER_H
#define HOLDFAST_NUMBER_H

#include "core/bytes.h"

#include <stdint.h>

/* Decimal digits with an optional minus sign; no plus sign, no spaces, no leading zeros, no overflow. */
bool number_read(struct bytes text, int64_t *number);

/* The same without a sign, up to 2^64 - 1. */
bool number_read_unsigned(struct bytes text, uint64_t *number);
/* Digits alone, at least one, leading zeros allowed. `negative` tells whether a minus sign came before them. */
bool number_read_digits(struct bytes digits, bool negative, int64_t *number);

/* A count of bytes with an optional unit, in any case: b, k (1000), kb (1024), m, mb, g, gb. */
bool number_read_bytes(struct bytes text, int64_t *count);

/* Writes the form that number_read accepts; returns its length. */
enum { NUMBER_TEXT_MAX = 20 };
size_t number_write(int64_t number, char text[NUMBER_TEXT_MAX]);

/* The lesser and the greater one. */
static inline int64_t number_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t number_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}
/* As much of a sum as a signed number holds. */
static inline int64_t number_of_sum(uint64_t sum) {
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}
static inline size_t size_min(size_t a, size_t b) {
    return a < b ? a : b;
}
static inline size_t size_max(size_t a, size_t b) {
    return a > b ? a : b;
}
/* Whether a part lies within a whole of this size. */
static inline bool size_fits(uint64_t offset, uint64_t length, uint64_t whole) {
    return length <= whole && offset <= whole - length;
}

#endif
