#include "core/utf16.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

static uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

/* How many bytes from here on are ASCII, counted in steps of eight. */
static size_t plain_length(const char *at, size_t left) {
    size_t length = 0;
    while (left - length >= sizeof(uint64_t) && !(word_at(at + length) & HIGH_BITS))
        length += sizeof(uint64_t);
    return length;
}

static bool continues(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The second byte tells overlong forms, surrogates and what is too great. */
static bool may_follow(unsigned char lead, unsigned char second) {
    switch (lead) {
    case 0xe0: return second >= 0xa0;
    case 0xed: return second < 0xa0;
    case 0xf0: return second >= 0x90;
    case 0xf4: return second < 0x90;
    default: return true;
    }
}

/* Bytes of the character that begins here; 0 when none does. */
static size_t character_length(const char *at, size_t left) {
    unsigned char lead = (unsigned char)at[0];
    if (lead < 0x80) return 1;
    size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || left < length) return 0;
    if (!may_follow(lead, (unsigned char)at[1])) return 0;
    for (size_t i = 1; i < length; i++)
        if (!continues(at[i])) return 0;
    return length;
}

size_t utf16_sound_length(struct bytes text, size_t *units) {
    size_t at = 0, count = 0;
    while (at < text.length) {
        size_t plain = plain_length(text.data + at, text.length - at);
        count += plain;
        at += plain;
        if (at == text.length) break;
        size_t length = character_length(text.data + at, text.length - at);
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
    while (common - at >= sizeof(uint64_t) && word_at(a.data + at) == word_at(b.data + at))
        at += sizeof(uint64_t);
    while (at < common && a.data[at] == b.data[at]) at++;
    if (at < common) return utf16_rank(a.data[at]) - utf16_rank(b.data[at]);
    return a.length < b.length ? -1 : a.length > b.length;
}
