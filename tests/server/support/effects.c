#include "effects.h"

#include <string.h>

#include "harness.h"

enum { FAMILY = 'C' };

void effect_byte(struct text *record, unsigned char byte) {
    text_add(record, &byte, 1);
}

void effect_number(struct text *record, uint64_t number) {
    for (; number >= 0x80; number >>= 7) effect_byte(record, (unsigned char)(number | 0x80));
    effect_byte(record, (unsigned char)number);
}

void effect_word(struct text *record, uint64_t word) {
    for (int i = 0; i < 8; i++, word >>= 8) effect_byte(record, (unsigned char)word);
}

void effect_bytes(struct text *record, const void *bytes, size_t length) {
    effect_number(record, length);
    text_add(record, bytes, length);
}

void effect_text(struct text *record, const char *text) {
    effect_bytes(record, text, strlen(text));
}

struct text effect_start(int kind, const char *name) {
    struct text record = {0};
    effect_byte(&record, FAMILY);
    effect_byte(&record, (unsigned char)kind);
    if (name) effect_text(&record, name);
    return record;
}

void effect_bundle_add(struct text *bundle, uint64_t beside, const struct text *record) {
    effect_number(bundle, 1);
    effect_number(bundle, beside);
    effect_bytes(bundle, record->bytes, record->length);
}

redisReply *effect_play(const char *key, const struct text *record, const char *content) {
    struct words words = words_of_line("HOLDFAST.APPLY");
    words_add(&words, key);
    words_add_bytes(&words, record->bytes, record->length);
    if (content) words_add(&words, content);
    configure(primary, "holdfast.accept-effects", "yes");
    return call_words(primary, &words);
}
