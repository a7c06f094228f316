/* deploy/recipes/c/holdfast.c */
#include "holdfast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

redisContext *holdfast_connect(const char *host, int port) {
    struct timeval patience = {.tv_sec = LONGEST_BLOCK + 10};
    redisContext *redis = redisConnectWithTimeout(host, port, (struct timeval){.tv_sec = 5});
    if (redis && !redis->err && redisSetTimeout(redis, patience) == REDIS_OK) {
        redisEnableKeepAlive(redis);
        return redis;
    }
    if (redis) redisFree(redis);
    return NULL;
}

const redisReply *holdfast_field(const redisReply *map, const char *name) {
    for (size_t at = 0; map && at + 1 < map->elements; at += 2)
        if (!strcmp(map->element[at]->str, name)) return map->element[at + 1];
    return NULL;
}

const char *holdfast_text(const redisReply *map, const char *name) {
    const redisReply *field = holdfast_field(map, name);
    return field && field->str ? field->str : "";
}

int64_t holdfast_number(const redisReply *map, const char *name) {
    const redisReply *field = holdfast_field(map, name);
    if (!field) return 0;
    return field->str ? strtoll(field->str, NULL, 10) : field->integer;
}

bool holdfast_refused(const redisReply *reply, const char *words) {
    size_t length = strlen(words);
    return reply && reply->type == REDIS_REPLY_ERROR && !strncmp(reply->str, words, length) &&
           (reply->str[length] == ' ' || !reply->str[length]);
}

bool holdfast_done(redisReply *reply) {
    bool done = reply && reply->type != REDIS_REPLY_ERROR;
    if (!done) fprintf(stderr, "%s\n", reply ? reply->str : "the connection is gone");
    if (reply) freeReplyObject(reply);
    return done;
}

static uint64_t chance(void) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}

void holdfast_pause(int attempt) {
    uint64_t most_us = attempt < 50 ? 2000 * (uint64_t)attempt : 100000;
    nanosleep(&(struct timespec){.tv_nsec = (long)(chance() % most_us) * 1000}, NULL);
}

void holdfast_new_id(char id[ID_SIZE]) {
    uint64_t one = chance(), two = chance();
    snprintf(id, ID_SIZE, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(one >> 32),
             (unsigned)(one >> 16) & 0xffff, (unsigned)one & 0xfff, (unsigned)(two >> 48) & 0xfff,
             (unsigned long long)two & 0xffffffffffff);
}

int64_t holdfast_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
