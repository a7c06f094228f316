#include "server/base/events.h"

enum { LISTENERS_MAX = 32 };

static struct {
    uint64_t event;
    RedisModuleEventCallback hear;
} listeners[LISTENERS_MAX];
static size_t listener_count;

static void on_event(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t stage, void *data) {
    for (size_t i = 0; i < listener_count; i++)
        if (listeners[i].event == event.id) listeners[i].hear(ctx, event, stage, data);
}

int events_subscribe(RedisModuleCtx *ctx, RedisModuleEvent event, RedisModuleEventCallback listener) {
    if (listener_count == LISTENERS_MAX) {
        RedisModule_Log(ctx, "warning", "more than %d listeners to events of the server", LISTENERS_MAX);
        return REDISMODULE_ERR;
    }
    listeners[listener_count].event = event.id;
    listeners[listener_count++].hear = listener;
    return RedisModule_SubscribeToServerEvent(ctx, event, on_event);
}
