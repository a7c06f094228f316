/* Server events for several listeners: the server itself keeps only one per module and event, the
 * last one subscribed. */
#ifndef HOLDFAST_EVENTS_H
#define HOLDFAST_EVENTS_H

#include "server/base/api.h"

/* The head of a listener, which may use as many of its arguments as it likes. `stage`: which of the sub-events. */
#define LISTENER(name, stage)                                                                                \
    void name(__attribute__((unused)) RedisModuleCtx *ctx, __attribute__((unused)) RedisModuleEvent event,   \
              __attribute__((unused)) uint64_t stage, __attribute__((unused)) void *data)

/* Never unsubscribed. Listeners are called in the order in which they subscribed. */
int events_subscribe(RedisModuleCtx *ctx, RedisModuleEvent event, RedisModuleEventCallback listener);

#endif
