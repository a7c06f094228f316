/* deploy/recipes/c/feed.c */
#include "feed.h"

#include <stdio.h>
#include <string.h>

static void tell_all(const redisReply *items, tell_change *tell, void *what) {
    for (size_t at = 0; at < items->elements; at++) {
        const redisReply *item = items->element[at];
        tell(holdfast_text(item, "name"), holdfast_text(item, "etag"), holdfast_number(item, "deleted"),
             what);
    }
}

static bool list(redisContext *redis, const char *container, tell_change *tell, void *what) {
    redisReply *page = redisCommand(redis, "BLOB.LIST %s", container);
    while (page && page->type == REDIS_REPLY_ARRAY) {
        const redisReply *marker = page->element[0];
        tell_all(page->element[1], tell, what);
        if (marker->type == REDIS_REPLY_NIL) break;
        redisReply *next = redisCommand(redis, "BLOB.LIST %s MARKER %b", container, marker->str, marker->len);
        freeReplyObject(page);
        page = next;
    }
    return holdfast_done(page);
}

bool feed_begin(redisContext *redis, const char *container, char bookmark[BOOKMARK_SIZE], tell_change *tell,
                void *what) {
    redisReply *now = redisCommand(redis, "CONTAINER.CHANGES %s SINCE $", container);
    if (!now || now->type != REDIS_REPLY_ARRAY) return holdfast_done(now);
    snprintf(bookmark, BOOKMARK_SIZE, "%s", now->element[0]->str);
    freeReplyObject(now);
    return list(redis, container, tell, what);
}

enum feed feed_follow(redisContext *redis, const char *container, char bookmark[BOOKMARK_SIZE], double wait,
                      tell_change *tell, void *what) {
    redisReply *page =
        redisCommand(redis, "CONTAINER.CHANGES %s SINCE %s BLOCK %f", container, bookmark, wait);
    bool is_lost = holdfast_refused(page, "CONFLICT ChangesLost");
    if (is_lost) freeReplyObject(page);
    if (is_lost) return FEED_LOST;
    if (!page || page->type != REDIS_REPLY_ARRAY) return holdfast_done(page) ? FEED_DONE : FEED_BROKEN;
    tell_all(page->element[1], tell, what);
    is_lost = strncmp(bookmark, page->element[0]->str, EPOCH_LENGTH);
    snprintf(bookmark, BOOKMARK_SIZE, "%s", page->element[0]->str);
    freeReplyObject(page);
    return is_lost ? FEED_LOST : FEED_DONE;
}
