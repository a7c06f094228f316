/* Another module that filters commands: HOLDFAST.HELP becomes PING. */
#include <redismodule.h>
#include <strings.h>

static void on_command(RedisModuleCommandFilterCtx *filter) {
    RedisModuleString *name = (RedisModuleString *)RedisModule_CommandFilterArgGet(filter, 0);
    if (strcasecmp(RedisModule_StringPtrLen(name, NULL), "HOLDFAST.HELP") != 0) return;
    RedisModule_CommandFilterArgReplace(filter, 0, RedisModule_CreateString(NULL, "PING", 4));
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx) {
    if (RedisModule_Init(ctx, "filter", 1, REDISMODULE_APIVER_1) == REDISMODULE_ERR) return REDISMODULE_ERR;
    return RedisModule_RegisterCommandFilter(ctx, on_command, 0) ? REDISMODULE_OK : REDISMODULE_ERR;
}
