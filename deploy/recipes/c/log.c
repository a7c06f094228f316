/* deploy/recipes/c/log.c */
#include "log.h"

#include <inttypes.h>

bool log_append(redisContext *redis, const char *container, const char *log, const char *line,
                size_t length) {
    return holdfast_done(
        redisCommand(redis, "BLOB.APPEND %s %s %b IFMAXSIZE 33554432", container, log, line, length));
}

/* What is behind the position, or a wait until something is. */
static redisReply *read_on(redisContext *redis, const char *container, const char *log, int64_t position,
                           const redisReply *stat) {
    if (holdfast_number(stat, "content-length") > position)
        return redisCommand(redis, "BLOB.GET %s %s RANGE %" PRId64 " -1", container, log, position);
    return redisCommand(redis, "BLOB.GET %s %s RANGE %" PRId64 " -1 IFNONEMATCH %s BLOCK %d", container, log,
                        position, holdfast_text(stat, "etag"), LONGEST_BLOCK);
}

bool log_follow(redisContext *redis, const char *container, const char *log, int64_t position,
                bool (*tell)(const char *lines, size_t length, int64_t position, void *what), void *what) {
    for (bool go_on = true; go_on;) {
        redisReply *stat = redisCommand(redis, "BLOB.STAT %s %s", container, log);
        if (!stat || stat->type == REDIS_REPLY_ERROR) return holdfast_done(stat);
        bool is_over = holdfast_number(stat, "sealed") && holdfast_number(stat, "content-length") <= position;
        bool begun_anew = holdfast_number(stat, "content-length") < position;
        redisReply *seen = is_over ? NULL : read_on(redis, container, log, position, stat);
        freeReplyObject(stat);
        if (is_over) return true;
        bool not_grown =
            holdfast_refused(seen, "INVALID InvalidRange") && !begun_anew; /* changed, but nothing came */
        if (!seen || (seen->type == REDIS_REPLY_ERROR && !not_grown)) return holdfast_done(seen);
        if (seen->type == REDIS_REPLY_ARRAY) {
            const redisReply *lines = seen->element[1];
            position += (int64_t)lines->len;
            go_on = tell(lines->str, lines->len, position, what);
        }
        freeReplyObject(seen);
    }
    return true;
}
