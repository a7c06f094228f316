/* The records that a value consists of in the payload of DUMP: taking them out, and putting others together. */
#ifndef HOLDFAST_TESTS_RECORDS_H
#define HOLDFAST_TESTS_RECORDS_H

#include <stdint.h>

#include "client.h"
#include "hostile.h"
#include "text.h"

/* A record, without the number in front, or a large content that comes beside the record before it. */
struct record {
    const char *bytes;
    size_t length;
    bool is_content;
    bool has_content; /* a record that says of itself that a content comes beside it */
};

enum { RECORDS_MAX = 4000 };

struct records {
    struct record record[RECORDS_MAX];
    size_t count;
};

/* Of a DUMP of a server that does not compress. */
struct records *records_of(const redisReply *dump);

/* One more, made from its bytes. */
void records_add(struct records *records, const void *bytes, size_t length);

/* A content beside the last record. */
void records_add_content(struct records *records, const void *bytes, size_t length);

/* What ends each value: the newest version of the server that saved it, and an empty string,
 * which is added as an empty record. */
void records_end(struct records *records, uint64_t newest);

/* A payload like this one, with these records: each has a string of its own. */
struct text records_payload(const redisReply *dump, const struct records *records);

/* Offers the records to RESTORE, in a payload like this one: values of any kind, and containers. */
void records_offer(const redisReply *dump, const struct records *records, look_at_value *look,
                   struct tally *tally);
void records_restore(const redisReply *dump, const struct records *records, struct tally *tally);

/* Offers the first value with records dropped, doubled, swapped, and borrowed from the other one, so that each record
 * is sound and the whole is not. */
void records_offer_shuffled(const redisReply *dump, const redisReply *other_dump, int rounds,
                            look_at_value *look);
void records_restore_shuffled(const redisReply *dump, const redisReply *other_dump, int rounds);

#endif
