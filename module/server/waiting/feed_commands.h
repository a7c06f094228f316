/* Following: what all *.CHANGES do alike, given a feed (see core/feed_follow.h) and how a type shows its objects.
 *
 *   SINCE ─▶ bookmark ─▶ is the feed on, built and whole? ─▶ anything new? ─▶ a page and the bookmark behind it
 *                                                              no: with BLOCK wait, with all others who follow
 *
 * A page reads a bounded number of objects and markers, so it may be empty and still advance the bookmark. A waiting
 * reader is answered by the change that brings news, here and on replicas. */
#ifndef HOLDFAST_FEED_COMMANDS_H
#define HOLDFAST_FEED_COMMANDS_H

#include "core/feed_follow.h"
#include "server/call/call.h"
#include "server/waiting/wait.h"

/* How a type shows the objects of its feed. */
struct feed_view {
    /* Whether the caller asked for objects of this name; NULL for all. */
    bool (*wants)(const struct call *call, struct bytes name);
    /* The fields that name an object, and those that a live object has besides; the latter may be NULL. */
    void (*name)(struct reply_map *map, struct bytes name);
    void (*describe)(struct reply_map *map, const struct entry *object);
};

/* For any change of a value that has a feed. */
extern struct wait_kind feed_news;

/* Checks the value of SINCE. */
enum outcome feed_bookmark_check(struct bytes text);
const char *feed_bookmark_explain(struct bytes text);

/* *.CHANGES; feed may be NULL. */
enum outcome feed_answer(struct call *call, const struct feed *feed, const struct feed_view *view);

/* After a change of a value that may have a feed. */
void feed_wake(const struct call *call);

/* For INFO. */
void feed_info(RedisModuleInfoCtx *ctx);

#endif
