#include "core/utf16.h"

#include "core/utf8.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

static uint64_t utf16_word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

/* How many bytes from here on are ASCII, counted in steps of eight as long as possible. */
static size_t plain_length(const char *at, size_t left) {
    size_t length = 0;
    while (left - length >= sizeof(uint64_t) && !(utf16_word_at(at + length) & HIGH_BITS))
        length += sizeof(uint64_t);
    while (length < left && !((unsigned char)at[length] & 0x80)) length++;
    return length;
}

size_t utf16_sound_length(struct bytes text, size_t *units) {
    size_t at = 0, count = 0;
    while (at < text.length) {
        size_t plain = plain_length(text.data + at, text.length - at);
        count += plain;
        at += plain;
        if (at == text.length) break;
        struct bytes rest = bytes_of(text.data + at, text.length - at);
        uint32_t character;
        size_t length = utf8_take(&rest, &character);
        if (!length) break;
        count += length == 4 ? 2 : 1;
        at += length;
    }
    *units = count;
    return at;
}

bool utf16_count(struct bytes text, size_t *units) {
    size_t count;
    if (utf16_sound_length(text, &count) < text.length) return false;
    *units = count;
    return true;
}

int utf16_compare(struct bytes a, struct bytes b) {
    size_t common = a.length < b.length ? a.length : b.length, at = 0;
    while (common - at >= sizeof(uint64_t) && utf16_word_at(a.data + at) == utf16_word_at(b.data + at))
        at += sizeof(uint64_t);
    while (at < common && a.data[at] == b.data[at]) at++;
    if (at < common) return utf16_rank(a.data[at]) - utf16_rank(b.data[at]);
    return a.length < b.length ? -1 : a.length > b.length;
}
