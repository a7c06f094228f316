/* Servers from which blobs are copied, played by the test: they answer what a script says, true or not.
 *
 * Answers are written short, and spoken as RESP2:
 *   [a b [c] :7 ~]   a list of texts, a list, a number and nothing
 *   E                the ETag that all of them mean
 *   4*a              as many letters
 *   -CODE text       an error, up to the end of the line
 *   raw …            the bytes behind it, as they are
 *   close            the connection is closed
 * NULL is no answer at all. */
#ifndef HOLDFAST_TESTS_SOURCES_H
#define HOLDFAST_TESTS_SOURCES_H

#include "reply.h"

#define SOURCE_ETAG "0x6924F1A20000A31B"

struct told {
    const char *question; /* how it begins */
    const char *answer;
    int times; /* how often this row serves; 0 for always */
};

struct source;

/* Rows up to one without a question; the first that fits serves. AUTH and READONLY are answered as a server without
 * users and clusters does, unless a row says otherwise. Lasts until sources_end. */
struct source *source_start(const struct told *script);
int source_port(const struct source *source);

/* All questions so far, "; " between them, and how many connections there have been. */
const char *source_heard(const struct source *source);
int source_visits(const struct source *source);

/* All of them hang up; who copies from them is refused from then on. Before the end of each test. */
void sources_end(void);

/* Begins a copy of `src/blob` from this port to the primary's blob, with further words, and answers its id. */
const char *copy_from(const char *container, const char *blob, int port, const char *words);

/* Makes the blob, in box, one to which a copy is going on, for as long as the test lasts; answers the copy's id. */
const char *pending_copy(const char *blob);
const char *pending_copy_with(const char *blob, const char *words);

/* Waits until as many copies are going on at the primary. */
void await_copies_pending(long long count);

/* Waits until no copy to the blob, in box, is going on; answers BLOB.STAT of it. */
redisReply *await_copy(const char *blob);

#endif
