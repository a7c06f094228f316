/* deploy/recipes/c/retries.h */
#ifndef RETRIES_H
#define RETRIES_H

#include "holdfast.h"

/* Sends a write until it is answered, for 50 seconds at most, and has it done once: with a token the server answers what it answered the first
 * time. NULL, or the refusal of a failover, when that time is up: it may have been done, or not; send it again with the same token, later. Keep
 * the token where this program may die between two attempts: the server remembers it for holdfast.once-seconds. The words are as in redisCommand.
 * The program ignores SIGPIPE, or a broken connection ends it. */
redisReply *send_once(redisContext *redis, const char *token, const char *words, ...);

#endif
