/* Keyspace notifications. Another module that hears one may change or delete any key, also the one whose value is in
 * use here. So notices are held back by whatever the server calls (a command, the ring of an alarm, the reply to a
 * client that has waited), and sent when it is over, in the order of what happened. */
#ifndef HOLDFAST_NOTICES_H
#define HOLDFAST_NOTICES_H

#include "server/base/api.h"

#include <stddef.h>

enum { NOTICE_SAME_DB = -1 }; /* as the holder's: the key is that of its own words */

struct notice {
    RedisModuleString *key;
    const char *event;
    int db;
};

extern struct notices {
    struct notice *list;
    size_t first, end; /* those that are held back now */
    size_t capacity;
} notices;

/* Begins to hold notices back. Returns what notices_release needs: a listener may run another command. */
static inline size_t notices_hold(void) {
    size_t outer = notices.first;
    notices.first = notices.end;
    return outer;
}

static inline void notice_send(RedisModuleCtx *ctx, const struct notice *notice) {
    RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, notice->event, notice->key);
}
void notices_send(RedisModuleCtx *ctx);

/* Sends those of this holder: most commands have one. What a listener runs adds its own behind them. */
static inline void notices_release(RedisModuleCtx *ctx, size_t outer) {
    const size_t first = notices.first, count = notices.end - first;
    if (count == 1 && notices.list[first].db == NOTICE_SAME_DB)
        notice_send(ctx, &notices.list[first]);
    else if (count)
        notices_send(ctx);
    notices.end = first;
    notices.first = outer;
}

void notices_grow(void);
void notices_keep_key(RedisModuleCtx *ctx, struct notice *notice);

/* Only between the two. The event's name is static. With `lasts` the key is that of the holder's own words, in the
 * database of its context; otherwise a reference is kept. */
static inline void notices_add(RedisModuleCtx *ctx, RedisModuleString *key, bool lasts, const char *event) {
    if (notices.end == notices.capacity) notices_grow();
    struct notice *notice = &notices.list[notices.end++];
    *notice = (struct notice){key, event, NOTICE_SAME_DB};
    if (!lasts) notices_keep_key(ctx, notice);
}

#endif
