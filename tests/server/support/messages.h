/* What tests say about messages of queues, and of those who have no right to them. */
#ifndef HOLDFAST_TESTS_MESSAGES_H
#define HOLDFAST_TESTS_MESSAGES_H

#include "queues.h"
#include "text.h"

#define GONE         "NOTFOUND MessageNotFound"
#define NO_QUEUE     "NOTFOUND QueueNotFound"
#define MISMATCH     "INVALID PopReceiptMismatch"
#define BAD_VALUE    "INVALID InvalidQueryParameterValue"
#define OUT_OF_RANGE "INVALID OutOfRangeQueryParameterValue"
#define TOO_LARGE    "INVALID RequestBodyTooLarge"

/* The first of the messages in a reply, which must be there. */
redisReply *first_of_at(struct place place, redisReply *messages);

/* QUEUE.UPDATE that must succeed; the parcel has the new receipt afterwards. */
void update_at(struct place place, struct parcel *parcel, const char *rest);

/* That a reply has messages with these texts, which stand with blanks between them. */
void expect_texts_at(struct place place, const redisReply *messages, const char *texts);

/* That each line of a text (see text_commands) is answered with the error. */
#define expect_refused(text, error) expect_each_error(primary, text_commands(text), error)

#define first_of(messages)            first_of_at(HERE, messages)
#define update(parcel, rest)          update_at(HERE, parcel, rest)
#define expect_texts(messages, texts) expect_texts_at(HERE, messages, texts)

#endif
