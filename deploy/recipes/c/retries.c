/* deploy/recipes/c/retries.c */
#include "retries.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* Whether it passes by itself: a failover, the grace after it, a server that loads. */
static bool passes(const redisReply *reply) {
    static const char *const again[] = {"READONLY",   "LOADING",  "NOREPLICAS",  "UNBLOCKED",
                                        "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "CONFLICT ServerRecovering"};
    for (size_t at = 0; at < sizeof again / sizeof *again; at++)
        if (holdfast_refused(reply, again[at])) return true;
    return false;
}

/* Longer with each attempt, up to a second: 60 of them take 50 seconds, longer than a failover. */
static void wait_after(int attempt) {
    long wait_ms = attempt < 20 ? 50L * attempt : 1000;
    nanosleep(&(struct timespec){.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000}, NULL);
}

redisReply *send_once(redisContext *redis, const char *token, const char *words, ...) {
    char with_token[1024];
    snprintf(with_token, sizeof with_token, "%s ONCE %s", words, token);
    for (int attempt = 1;; attempt++) {
        va_list values;
        va_start(values, words);
        redisReply *reply = redis->err ? NULL : redisvCommand(redis, with_token, values);
        va_end(values);
        if (attempt == 60 || (reply && !passes(reply))) return reply;
        if (reply) freeReplyObject(reply);
        wait_after(attempt);
        if (redis->err) redisReconnect(redis);
    }
}
