/* Server events for several listeners: the server itself keeps only one per module and event, the
 * last one subscribed. */
#ifndef HOLDFAST_EVENTS_H
#define HOLDFAST_EVENTS_H

#include "server/base/api.h"

/* Never unsubscribed. Listeners are called in the order in which they subscribed. */
int events_subscribe(RedisModuleCtx *ctx, RedisModuleEvent event, RedisModuleEventCallback listener);

#endif
