/* Commands and replies as redis-cli reads and shows them. All of it lives in the pool. */
#ifndef HOLDFAST_TESTS_REDIS_CLI_H
#define HOLDFAST_TESTS_REDIS_CLI_H

#include "reply.h"
#include "words.h"

/* The words of a line as a person types it: with quotes around spaces, and \n, \xff and the like within double ones. */
struct words redis_cli_words(const char *line);

/* The lines that redis-cli shows on a terminal of RESP2. A reply of RESP3 is shown as the same reply of RESP2. */
const char *redis_cli_text(const redisReply *reply);

#endif
