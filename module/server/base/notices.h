/* Keyspace notifications. Another module that hears one may change or delete any key, even the one whose value is in
 * use here. So notices are held back while values are in use (by a call, an effect, the ring of an alarm), and sent
 * afterwards, in the order of the events. */
#ifndef HOLDFAST_NOTICES_H
#define HOLDFAST_NOTICES_H

#include "server/base/api.h"

#include <stddef.h>

extern struct notices {
    unsigned holders;
    size_t count;
    size_t sent; /* how many of them have been sent, or are about to be by an earlier notices_send */
} notices;

/* Holds notices back until every holder has called notices_release. */
static inline void notices_hold(void) {
    notices.holders++;
}

/* For when no value is in use any more. */
void notices_send(RedisModuleCtx *ctx);

static inline void notices_release(RedisModuleCtx *ctx) {
    if (!--notices.holders && notices.count != notices.sent) notices_send(ctx);
}

/* Only while notices are held back. The event's name must be static. */
void notices_add(RedisModuleCtx *ctx, RedisModuleString *key, const char *event);

#endif
