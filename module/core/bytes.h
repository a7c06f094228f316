/* Bytes: a borrowed, binary-safe view of memory that someone else owns. It is never freed here, and
 * need not end with NUL. */
#ifndef HOLDFAST_BYTES_H
#define HOLDFAST_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bytes {
    const char *data;
    size_t length;
};

static inline struct bytes bytes_of(const void *data, size_t length) {
    return (struct bytes){data, length};
}

static inline struct bytes bytes_text(const char *text) {
    return (struct bytes){text, strlen(text)};
}

static inline bool bytes_equal(struct bytes a, struct bytes b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static inline bool bytes_start_with(struct bytes whole, struct bytes start) {
    return whole.length >= start.length &&
           (start.length == 0 || memcmp(whole.data, start.data, start.length) == 0);
}

/* Compares by byte value; a prefix sorts before the longer string. */
static inline int bytes_compare(struct bytes a, struct bytes b) {
    size_t common = a.length < b.length ? a.length : b.length;
    int difference = common ? memcmp(a.data, b.data, common) : 0;
    if (difference) return difference;
    return a.length < b.length ? -1 : a.length > b.length;
}

/* How many bytes the two begin with alike. */
static inline size_t bytes_common_length(struct bytes a, struct bytes b) {
    size_t max = a.length < b.length ? a.length : b.length, length = 0;
    while (length < max && a.data[length] == b.data[length]) length++;
    return length;
}

static inline char bytes_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Compares without regard to the case of ASCII letters. Most words are equal byte for byte, so that is tried first. */
static inline bool bytes_same_word(struct bytes a, struct bytes b) {
    if (a.length != b.length) return false;
    if (a.length == 0 || memcmp(a.data, b.data, a.length) == 0) return true;
    for (size_t i = 0; i < a.length; i++)
        if (bytes_lower(a.data[i]) != bytes_lower(b.data[i])) return false;
    return true;
}

#endif
