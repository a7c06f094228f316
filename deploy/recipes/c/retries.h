/* deploy/recipes/c/retries.h */
#ifndef RETRIES_H
#define RETRIES_H

#include "holdfast.h"

/* Sends a write until it is answered, and has it done once: with a token the server answers what it answered the first time. Keep the token
 * where this program may die between two attempts: the server remembers it for holdfast.once-seconds. The words are as in redisCommand.
 * The program ignores SIGPIPE, or a broken connection ends it. */
redisReply *send_once(redisContext *redis, const char *token, const char *words, ...);

#endif
