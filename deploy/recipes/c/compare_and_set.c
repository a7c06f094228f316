/* deploy/recipes/c/compare_and_set.c */
#include "compare_and_set.h"

#include <stdio.h>

static redisReply *write_new(redisContext *redis, const char *container, const char *blob,
                             const redisReply *seen, change_content *change, void *what) {
    char content[CONTENT_ROOM];
    if (seen->type == REDIS_REPLY_ERROR) {
        size_t length = change(NULL, 0, content, sizeof content, what);
        return redisCommand(redis, "BLOB.PUT %s %s %b IFNONEMATCH *", container, blob, content, length);
    }
    const redisReply *etag = seen->element[0], *old = seen->element[1];
    size_t length = change(old->str, old->len, content, sizeof content, what);
    return redisCommand(redis, "BLOB.PUT %s %s %b IFMATCH %s", container, blob, content, length, etag->str);
}

bool update(redisContext *redis, const char *container, const char *blob, change_content *change,
            void *what) {
    for (int attempt = 1; attempt <= 100; attempt++) {
        redisReply *seen = redisCommand(redis, "BLOB.GET %s %s", container, blob);
        bool failed =
            !seen || (seen->type == REDIS_REPLY_ERROR && !holdfast_refused(seen, "NOTFOUND BlobNotFound"));
        if (failed) return holdfast_done(seen);
        redisReply *written = write_new(redis, container, blob, seen, change, what);
        freeReplyObject(seen);
        bool again = holdfast_refused(written, "PRECONDITION ConditionNotMet") ||
                     holdfast_refused(written, "CONFLICT BlobAlreadyExists");
        if (!again) return holdfast_done(written);
        freeReplyObject(written);
        holdfast_pause(attempt);
    }
    fprintf(stderr, "%s %s: others kept changing it\n", container, blob);
    return false;
}
