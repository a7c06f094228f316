/* deploy/recipes/c/retries.c */
#include "retries.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Whether it passes by itself: a failover, the grace after it, a server that loads, is busy with a script, or cannot save now. */
static bool passes(const redisReply *reply) {
    static const char *const again[] = {
        "READONLY", "LOADING",     "NOREPLICAS", "UNBLOCKED", "MASTERDOWN",
        "TRYAGAIN", "CLUSTERDOWN", "BUSY",       "MISCONF",   "CONFLICT ServerRecovering"};
    for (size_t at = 0; at < sizeof again / sizeof *again; at++)
        if (holdfast_refused(reply, again[at])) return true;
    return false;
}

/* Longer with each attempt, up to a second: 60 of them take 50 seconds, longer than a failover. */
static void wait_after(int attempt) {
    long wait_ms = attempt < 20 ? 50L * attempt : 1000;
    nanosleep(&(struct timespec){.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000}, NULL);
}

struct command {
    char *bytes; /* as they go over the wire: '*3\r\n' and the words */
    size_t length;
};

static struct command formatted(const char *words, va_list values) {
    struct command command;
    int length = redisvFormatCommand(&command.bytes, words, values);
    if (length < 0) abort();
    command.length = (size_t)length;
    return command;
}

static struct command made_of(const char *words, ...) {
    va_list values;
    va_start(values, words);
    struct command command = formatted(words, values);
    va_end(values);
    return command;
}

static size_t head_of(const struct command *command) {
    return (size_t)(strchr(command->bytes, '\n') + 1 - command->bytes);
}

/* The words of both, as one command. */
static struct command joined(struct command one, struct command two) {
    size_t rest = one.length - head_of(&one), rest_of_two = two.length - head_of(&two);
    char *bytes = malloc(32 + rest + rest_of_two);
    if (!bytes) abort();
    size_t head = (size_t)sprintf(bytes, "*%d\r\n", atoi(one.bytes + 1) + atoi(two.bytes + 1));
    memcpy(bytes + head, one.bytes + head_of(&one), rest);
    memcpy(bytes + head + rest, two.bytes + head_of(&two), rest_of_two);
    redisFreeCommand(one.bytes);
    redisFreeCommand(two.bytes);
    return (struct command){bytes, head + rest + rest_of_two};
}

static redisReply *answer_to(redisContext *redis, const struct command *command) {
    void *reply = NULL;
    if (!redis->err && redisAppendFormattedCommand(redis, command->bytes, command->length) == REDIS_OK)
        redisGetReply(redis, &reply);
    return reply;
}

redisReply *send_once(redisContext *redis, const char *token, const char *words, ...) {
    va_list values;
    va_start(values, words);
    struct command command = joined(formatted(words, values), made_of("ONCE %s", token));
    va_end(values);
    redisReply *reply = answer_to(redis, &command);
    for (int attempt = 1; attempt < 60 && (!reply || passes(reply)); attempt++) {
        if (reply) freeReplyObject(reply);
        wait_after(attempt);
        if (redis->err) redisReconnect(redis);
        reply = answer_to(redis, &command);
    }
    free(command.bytes);
    return reply;
}
