/* Events of the server, for as many listeners as there are: the server itself keeps one per module and event, the last
 * one that subscribed. */
#ifndef HOLDFAST_EVENTS_H
#define HOLDFAST_EVENTS_H

#include "server/api.h"

/* Lasts as long as the module. Listeners hear of an event in the order in which they subscribed. */
int events_subscribe(RedisModuleCtx *ctx, RedisModuleEvent event, RedisModuleEventCallback listener);

#endif
