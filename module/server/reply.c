#include "server/reply.h"

#include "core/policy.h"

void reply_ok(RedisModuleCtx *ctx) {
    RedisModule_ReplyWithSimpleString(ctx, "OK");
}

void reply_bytes(RedisModuleCtx *ctx, struct bytes bytes) {
    RedisModule_ReplyWithStringBuffer(ctx, bytes.data, bytes.length);
}

void reply_version(RedisModuleCtx *ctx, version v) {
    char text[VERSION_TEXT_LENGTH];
    version_write(v, text);
    RedisModule_ReplyWithStringBuffer(ctx, text, sizeof(text));
}

struct reply_list reply_map_start(RedisModuleCtx *ctx) {
    RedisModule_ReplyWithMap(ctx, REDISMODULE_POSTPONED_LEN);
    return (struct reply_list){ctx, 0};
}

void reply_map_end(const struct reply_list *map) {
    RedisModule_ReplySetMapLength(map->ctx, map->count);
}

void reply_field(struct reply_list *map, const char *name) {
    RedisModule_ReplyWithStringBuffer(map->ctx, name, strlen(name));
    map->count++;
}

void reply_field_bytes(struct reply_list *map, const char *name, struct bytes value) {
    reply_field(map, name);
    reply_bytes(map->ctx, value);
}

void reply_field_number(struct reply_list *map, const char *name, long long value) {
    reply_field(map, name);
    RedisModule_ReplyWithLongLong(map->ctx, value);
}

void reply_field_version(struct reply_list *map, const char *name, version v) {
    reply_field(map, name);
    reply_version(map->ctx, v);
}

void reply_fields(struct reply_list *map, struct packed_list pairs) {
    struct record_reader reader = record_reader(pairs.items);
    struct bytes name, value;
    while (packed_next_pair(&reader, &name, &value)) {
        reply_bytes(map->ctx, name);
        reply_bytes(map->ctx, value);
        map->count++;
    }
}

void reply_pairs(RedisModuleCtx *ctx, struct packed_list pairs) {
    struct reply_list map = {ctx, 0};
    RedisModule_ReplyWithMap(ctx, (long)pairs.count);
    reply_fields(&map, pairs);
}

static void reply_instant(struct reply_list *map, const char *name, int64_t instant_ms) {
    if (instant_ms != POLICY_INSTANT_NONE) reply_field_number(map, name, instant_ms);
}

void reply_policies(RedisModuleCtx *ctx, struct packed_list policies) {
    struct record_reader reader = record_reader(policies.items);
    struct policy policy;
    RedisModule_ReplyWithArray(ctx, (long)policies.count);
    while (policy_next(&reader, &policy)) {
        struct reply_list map = reply_map_start(ctx);
        reply_field_bytes(&map, "id", policy.id);
        reply_instant(&map, "start", policy.start_ms);
        reply_instant(&map, "expiry", policy.expiry_ms);
        reply_field_bytes(&map, "permissions", policy.permissions);
        reply_map_end(&map);
    }
}
