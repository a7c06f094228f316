/* Answers: replies, each with what it was asked about; and what is expected of them. */
#ifndef BENCH_ANSWERS_H
#define BENCH_ANSWERS_H

#include "connection.h"

struct template;
struct client;

/* A reply, and what it is about. */
struct answer {
    struct reply reply;
    const struct template *template; /* of the request */
    unsigned object;
    const unsigned *objects; /* all of a batch */
    struct client *client;   /* of a sequence, or NULL */
};

/* Checks of replies. Those of tokens keep the token for the next request. */
bool is_anything(const struct answer *answer); /* except an error */
bool is_ok(const struct answer *answer);
bool is_integer(const struct answer *answer);
bool is_string(const struct answer *answer);
bool is_content(const struct answer *answer);
bool is_etag_and_content(const struct answer *answer);
bool is_array_of(const struct answer *answer, size_t length);
bool is_own_token(const struct answer *answer, const struct reply *token); /* that the object has */
bool is_token(const struct answer *answer);
bool is_tokens(const struct answer *answer); /* one for each of a batch */

/* The answer as if this were its reply. */
struct answer answer_part(const struct answer *answer, struct reply reply);

#endif
