#include "server/call/other_key.h"

#include "core/hash_slot.h"

static enum outcome check_slots(RedisModuleCtx *ctx, RedisModuleString *first, RedisModuleString *key) {
    if (!(RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_CLUSTER)) return OUTCOME_DONE;
    if (bytes_equal(api_bytes(first), api_bytes(key))) return OUTCOME_DONE;
    if (hash_slot(api_bytes(first)) != hash_slot(api_bytes(key))) return OUTCOME_CROSS_SLOT;
    RedisModuleString *both[] = {first, key};
    return api_serves_keys(ctx, both, 2) ? OUTCOME_DONE : OUTCOME_SLOT_MIGRATES;
}

enum outcome other_key_place(RedisModuleCtx *ctx, RedisModuleString *first, RedisModuleString *key) {
    if (api_asks_for_keys() || api_must_obey(ctx)) return OUTCOME_DONE;
    return check_slots(ctx, first, key);
}

enum outcome other_key_check(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, RedisModuleString *key,
                             enum key_use use) {
    if (api_asks_for_keys() || api_must_obey(ctx)) return OUTCOME_DONE;
    if (!command_may_use_with(ctx, argv, argc, key, use)) return OUTCOME_NOT_PERMITTED;
    return check_slots(ctx, argv[1], key);
}
