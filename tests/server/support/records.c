#include "records.h"

#include <string.h>

#include "chance.h"
#include "failure.h"
#include "payload.h"
#include "pool.h"

enum {
    HEADER = 10,
    STRING_MARK = 5,
    END_MARK = 0,
    SIX_BITS = 0,
    FOURTEEN_BITS = 1,
    FOUR_BYTES = 2,
    ENCODED = 3
};

static size_t big_endian(const unsigned char *byte, int count) {
    size_t number = 0;
    for (; count--; byte++) number = number << 8 | *byte;
    return number;
}

/* How many bytes a string takes with its length. Strings that are numbers are written in a shorter way. */
static size_t string_size(const unsigned char *byte) {
    switch (*byte >> 6) {
    case SIX_BITS: return 1 + (size_t)(*byte & 63);
    case FOURTEEN_BITS: return 2 + ((size_t)(*byte & 63) << 8 | byte[1]);
    case ENCODED: return (size_t)1 + ((size_t)1 << (*byte & 3));
    default: return 5 + big_endian(byte + 1, 4);
    }
}

struct records *records_of(const redisReply *dump) {
    struct records *records = pool_take(sizeof *records);
    const char *byte = dump->str + HEADER;
    while (*byte == STRING_MARK) {
        size_t length = 1 + string_size((const unsigned char *)byte + 1);
        require(records->count < RECORDS_AT_MOST, "more records than expected");
        records->record[records->count++] = (struct record){byte, length};
        byte += length;
    }
    require(*byte == END_MARK && byte + 1 + PAYLOAD_FOOTER == dump->str + dump->len,
            "the value has another form");
    return records;
}

void records_add(struct records *records, const void *bytes, size_t length) {
    unsigned char head[] = {STRING_MARK, FOUR_BYTES << 6, 0, 0, 0, 0};
    struct text record = {0};
    for (int at = 0; at < 4; at++) head[2 + at] = (unsigned char)(length >> (8 * (3 - at)));
    text_add(&record, head, sizeof head);
    text_add(&record, bytes, length);
    records->record[records->count++] = (struct record){record.bytes, record.length};
}

void records_end(struct records *records, uint64_t newest) {
    char record[9] = {'V'};
    for (int at = 0; at < 8; at++) record[1 + at] = (char)(newest >> (8 * at));
    records_add(records, record, sizeof record);
    records_add(records, "", 0);
}

void hostile_offer_records(const redisReply *dump, const struct records *records, look_at_value *look,
                           struct tally *tally) {
    struct text payload = {0};
    text_add(&payload, dump->str, HEADER);
    for (size_t index = 0; index < records->count; index++) {
        text_add(&payload, records->record[index].bytes, records->record[index].length);
    }
    text_add(&payload, dump->str + dump->len - PAYLOAD_FOOTER - 1, PAYLOAD_FOOTER + 1);
    hostile_offer(payload.bytes, payload.length, look, tally);
}

void hostile_restore_records(const redisReply *dump, const struct records *records, struct tally *tally) {
    hostile_offer_records(dump, records, require_whole, tally);
}

static void records_remove(struct records *records, size_t index) {
    records->count--;
    memmove(&records->record[index], &records->record[index + 1],
            (records->count - index) * sizeof *records->record);
}

/* Drops, doubles, swaps and borrows records, so that each is sound and the whole is not. */
static void shuffle(struct records *records, const struct records *others) {
    size_t one = chance_size(records->count);
    size_t other = chance_size(records->count);
    struct record kept = records->record[one];
    switch (chance(4)) {
    case 0: records_remove(records, one); break;
    case 1: records->record[one] = records->record[other]; break;
    case 2:
        records->record[one] = records->record[other];
        records->record[other] = kept;
        break;
    default: records->record[one] = others->record[chance_size(others->count)]; break;
    }
}

void hostile_offer_shuffled(const redisReply *dump, const redisReply *other_dump, int rounds,
                            look_at_value *look) {
    const struct records *whole = records_of(dump), *others = records_of(other_dump);
    struct tally tally = {0};
    hostile_offer_records(dump, whole, look, &tally);
    require(tally.accepted == 1, "a value that nobody doctored is refused");
    for (int round = 0; round < rounds; round++) {
        struct records records = *whole;
        for (int change = chance(3); change >= 0 && records.count; change--) shuffle(&records, others);
        hostile_offer_records(dump, &records, look, &tally);
    }
    require(tally.refused > 0, "every order is accepted");
}

void hostile_restore_shuffled(const redisReply *dump, const redisReply *other_dump, int rounds) {
    hostile_offer_shuffled(dump, other_dump, rounds, require_whole);
}
