#include "change/bundle.h"

void bundle_start(struct record_writer *writer) {
    record_start(writer);
    record_put_byte(writer, BUNDLE_LETTER);
}

void bundle_add(struct record_writer *writer, const struct bundle_item *item) {
    record_put_number(writer, item->key);
    record_put_number(writer, item->beside);
    record_put_bytes(writer, item->record);
}

struct record_reader bundle_reader(struct bytes bundle) {
    struct record_reader reader = record_reader(bundle);
    record_byte(&reader);
    return reader;
}

static bool is_further_word(uint64_t at, int words) {
    return at >= BUNDLE_MORE_AT && at < (uint64_t)words;
}

static bool is_sound(const struct bundle_item *item, int words) {
    if (item->key != BUNDLE_KEY_AT && !is_further_word(item->key, words)) return false;
    if (item->beside && !is_further_word(item->beside, words)) return false;
    return item->record.length;
}

bool bundle_next(struct record_reader *reader, int words, struct bundle_item *item) {
    if (!record_more(reader)) return false;
    item->key = record_number(reader);
    item->beside = record_number(reader);
    item->record = record_bytes(reader);
    if (!is_sound(item, words)) reader->failed = true;
    return !reader->failed;
}
