#include "records.h"

#include <string.h>

#include "effects.h"
#include "failure.h"
#include "payload.h"
#include "pool.h"
#include "random.h"

enum { HEADER = 10, STRING_MARK = 5, END_MARK = 0, SIX_BITS = 0, FOURTEEN_BITS = 1, FOUR_BYTES = 2 };

/* The bytes of a string, which has less than 16 KiB. */
static struct record string_at(const char *start) {
    const unsigned char *byte = (const unsigned char *)start;
    bool is_short = *byte >> 6 == SIX_BITS;
    require(is_short || *byte >> 6 == FOURTEEN_BITS, "a string of another form");
    if (is_short) return (struct record){start + 1, (size_t)(*byte & 63), false, false};
    return (struct record){start + 2, (size_t)(*byte & 63) << 8 | byte[1], false, false};
}

static void records_put(struct records *records, struct record record) {
    require(records->count < RECORDS_MAX, "more records than expected");
    records->record[records->count++] = record;
}

static size_t number_at(const char **byte) {
    size_t number = 0;
    for (int shift = 0;; shift += 7) {
        unsigned char part = (unsigned char)*(*byte)++;
        number |= (size_t)(part & 127) << shift;
        if (part < 128) return number;
    }
}

/* Takes apart records that are joined. Answers whether a content comes beside the last one. */
static bool records_take_apart(struct records *records, struct record together) {
    const char *byte = together.bytes, *end = byte + together.length;
    size_t head = 0;
    if (byte == end) records_put(records, together);
    while (byte < end) {
        head = number_at(&byte);
        records_put(records, (struct record){byte, head / 2, false, head & 1});
        byte += head / 2;
    }
    return head & 1;
}

struct records *records_of(const redisReply *dump) {
    struct records *records = pool_take(sizeof(*records));
    const char *byte = dump->str + HEADER;
    bool is_content = false;
    while (*byte == STRING_MARK) {
        struct record string = string_at(byte + 1);
        byte = string.bytes + string.length;
        string.is_content = is_content;
        if (is_content) records_put(records, string);
        is_content = !is_content && records_take_apart(records, string);
    }
    require(*byte == END_MARK && byte + 1 + PAYLOAD_FOOTER == dump->str + dump->len,
            "the value has another form");
    return records;
}

void records_add(struct records *records, const void *bytes, size_t length) {
    records_put(records, (struct record){bytes, length, false, false});
}

void records_add_content(struct records *records, const void *bytes, size_t length) {
    records->record[records->count - 1].has_content = true;
    records_put(records, (struct record){bytes, length, true, false});
}

static void string_add(struct text *payload, const void *bytes, size_t length) {
    unsigned char head[] = {STRING_MARK, FOUR_BYTES << 6, 0, 0, 0, 0};
    for (int at = 0; at < 4; at++) head[2 + at] = (unsigned char)(length >> (8 * (3 - at)));
    text_add(payload, head, sizeof(head));
    text_add(payload, bytes, length);
}

static void record_add(struct text *payload, const struct record *record) {
    struct text alone = {0};
    effect_number(&alone, (uint64_t)record->length * 2 + record->has_content);
    text_add(&alone, record->bytes, record->length);
    string_add(payload, alone.bytes, alone.length);
}

struct text records_payload(const redisReply *dump, const struct records *records) {
    struct text payload = {0};
    text_add(&payload, dump->str, HEADER);
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->is_content || !record->length)
            string_add(&payload, record->bytes, record->length);
        else
            record_add(&payload, record);
    }
    text_add(&payload, dump->str + dump->len - PAYLOAD_FOOTER - 1, PAYLOAD_FOOTER + 1);
    return payload;
}

void records_end(struct records *records, uint64_t newest) {
    char *record = pool_take(9);
    record[0] = 'V';
    for (int at = 0; at < 8; at++) record[1 + at] = (char)(newest >> (8 * at));
    records_add(records, record, 9);
    records_add(records, "", 0);
}

void records_offer(const redisReply *dump, const struct records *records, look_at_value *look,
                   struct tally *tally) {
    struct text payload = records_payload(dump, records);
    hostile_offer(payload.bytes, payload.length, look, tally);
}

void records_restore(const redisReply *dump, const struct records *records, struct tally *tally) {
    records_offer(dump, records, require_whole, tally);
}

static void records_remove(struct records *records, size_t index) {
    records->count--;
    memmove(&records->record[index], &records->record[index + 1],
            (records->count - index) * sizeof(*records->record));
}

/* Drops, doubles, swaps and borrows records, so that each is sound and the whole is not. */
static void shuffle(struct records *records, const struct records *others) {
    size_t one = random_size(records->count);
    size_t other = random_size(records->count);
    struct record kept = records->record[one];
    switch (random_below(4)) {
    case 0: records_remove(records, one); break;
    case 1: records->record[one] = records->record[other]; break;
    case 2:
        records->record[one] = records->record[other];
        records->record[other] = kept;
        break;
    default: records->record[one] = others->record[random_size(others->count)]; break;
    }
}

void records_offer_shuffled(const redisReply *dump, const redisReply *other_dump, int rounds,
                            look_at_value *look) {
    const struct records *whole = records_of(dump), *others = records_of(other_dump);
    struct tally tally = {0};
    records_offer(dump, whole, look, &tally);
    require(tally.accepted == 1, "a value that nobody doctored is refused");
    for (int round = 0; round < rounds; round++) {
        struct records records = *whole;
        for (int change = random_below(3); change >= 0 && records.count; change--) shuffle(&records, others);
        records_offer(dump, &records, look, &tally);
    }
    require(tally.refused > 0, "every order is accepted");
}

void records_restore_shuffled(const redisReply *dump, const redisReply *other_dump, int rounds) {
    records_offer_shuffled(dump, other_dump, rounds, require_whole);
}
