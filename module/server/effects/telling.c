#include "server/effects/telling.h"

#include "server/base/notices.h"

void tell_others(RedisModuleCtx *ctx, RedisModuleString *key, const struct told *told) {
    if (told->modified) RedisModule_SignalModifiedKey(ctx, key);
    for (int i = 0; i < EVENTS_MAX; i++)
        if (told->events[i]) notices_add(ctx, key, told->events[i]);
}
