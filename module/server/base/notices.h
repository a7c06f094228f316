/* Keyspace notifications. Another module that hears one may change or delete any key, also the one whose value is in
 * use here. So notices are held back while somebody works with values (a call, an effect, the ring of an alarm), and
 * sent afterwards, in the order of what happened. */
#ifndef HOLDFAST_NOTICES_H
#define HOLDFAST_NOTICES_H

#include "server/base/api.h"

#include <stddef.h>

extern struct notices {
    unsigned holders;
    size_t count;
    size_t sent; /* how many of them have been sent, or are about to be by an earlier notices_send */
} notices;

/* Holds notices back, until notices_release by the last one who holds them. */
static inline void notices_hold(void) {
    notices.holders++;
}

/* Nobody works with values any more. */
void notices_send(RedisModuleCtx *ctx);

static inline void notices_release(RedisModuleCtx *ctx) {
    if (!--notices.holders && notices.count != notices.sent) notices_send(ctx);
}

/* Only between the two. The event's name is borrowed for good. */
void notices_add(RedisModuleCtx *ctx, RedisModuleString *key, const char *event);

#endif
