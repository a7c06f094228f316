/* deploy/recipes/c/retries.c */
#include "retries.h"

#include <stdarg.h>
#include <stdio.h>

redisReply *send_once(redisContext *redis, const char *token, const char *words, ...) {
    char with_token[1024];
    snprintf(with_token, sizeof with_token, "%s ONCE %s", words, token);
    for (int attempt = 1; attempt <= 5; attempt++) {
        va_list values;
        va_start(values, words);
        redisReply *reply = redis->err ? NULL : redisvCommand(redis, with_token, values);
        va_end(values);
        if (reply) return reply;
        holdfast_pause(attempt);
        redisReconnect(redis);
    }
    return NULL; /* done, or not: send it again with the same token, later */
}
