#include "server/base/info.h"

void info_show(RedisModuleInfoCtx *ctx, const struct info_number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        RedisModule_InfoAddFieldULongLong(ctx, numbers[i].name, numbers[i].number);
}
