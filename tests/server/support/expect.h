/* What a test says about a reply, in words: expect_error(call(...), "PRECONDITION ConditionNotMet").
 * Each fails at the line of its caller and shows the reply. */
#ifndef HOLDFAST_TESTS_EXPECT_H
#define HOLDFAST_TESTS_EXPECT_H

#include "client.h"
#include "failure.h"

struct place {
    const char *file;
    int line;
};

#define HERE ((struct place){__FILE__, __LINE__})

void expect_ok_at(struct place place, const redisReply *reply);
void expect_null_at(struct place place, const redisReply *reply);
void expect_number_at(struct place place, const redisReply *reply, long long number);
void expect_text_at(struct place place, const redisReply *reply, const char *text);
void expect_bytes_at(struct place place, const redisReply *reply, const void *bytes, size_t length);
void expect_error_at(struct place place, const redisReply *reply, const char *beginning);
void expect_shape_at(struct place place, const redisReply *reply, const char *shape);
const char *expect_etag_at(struct place place, const redisReply *reply);
void expect_each_error_at(struct place place, struct client *client, const char *const *lines,
                          const char *error);
redisReply *expect_elements_at(struct place place, redisReply *reply, size_t count);

/* Sends the words to the primary, which must answer an error that begins so. */
void expect_refused(const struct words *words, const char *error);
redisReply *field_at(struct place place, const redisReply *map, const char *name);

#define expect_ok(reply)                   expect_ok_at(HERE, reply)
#define expect_null(reply)                 expect_null_at(HERE, reply)
#define expect_number(reply, number)       expect_number_at(HERE, reply, number)
#define expect_text(reply, text)           expect_text_at(HERE, reply, text)
#define expect_bytes(reply, bytes, length) expect_bytes_at(HERE, reply, bytes, length)

/* `beginning` is the whole error or its first words. */
#define expect_error(reply, beginning) expect_error_at(HERE, reply, beginning)

/* Sends each line of a list that ends with NULL, and expects the same error from all. */
#define expect_each_error(client, lines, error) expect_each_error_at(HERE, client, lines, error)

/* Compares with reply_shape, where ETags read <etag> and instants <ms>. */
#define expect_shape(reply, shape) expect_shape_at(HERE, reply, shape)

/* Answers the ETag, whether it is the whole reply or the first element of an array. */
#define expect_etag(reply) expect_etag_at(HERE, reply)

#define expect_elements(reply, count) expect_elements_at(HERE, reply, count)

/* The value of a field that must be there. */
#define field(map, name) field_at(HERE, map, name)

#endif
