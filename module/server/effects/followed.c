#include "server/effects/followed.h"

#include "core/feed.h"
#include "core/hash.h"
#include "server/base/key_name.h"

enum { PLACES = 1 << 14 };

static version newest_told[PLACES];

static const struct feed *feed_of(const struct data_type *type, const void *value) {
    return type->feed_at ? *(struct feed *const *)((const char *)value + type->feed_at) : NULL;
}

static version *told_of(struct bytes key) {
    return &newest_told[hash_bytes(key) % PLACES];
}

void followed_note(const struct data_type *type, struct bytes key, const void *value) {
    const struct feed *feed = feed_of(type, value);
    if (!feed) return;
    version *told = told_of(key);
    if (feed->newest > *told) *told = feed->newest;
}

/* What comes from a file, or from the primary, has followers that this server knows nothing of. */
static bool knows_followers(struct bytes key) {
    int unknown =
        REDISMODULE_CTX_FLAGS_LOADING | REDISMODULE_CTX_FLAGS_ASYNC_LOADING | REDISMODULE_CTX_FLAGS_SLAVE;
    return key.data && !(RedisModule_GetContextFlags(NULL) & unknown);
}

void followed_arrives(const struct data_type *type, struct bytes key, const void *value) {
    const struct feed *feed = feed_of(type, value);
    if (!feed) return;
    bool knows = knows_followers(key);
    version told = knows ? *told_of(key) : VERSION_ANY;
    version_leave_epoch(told > feed->newest ? told : 0);
    if (knows) followed_note(type, key, value);
}

void followed_is_built(const struct data_type *type, struct bytes key, const void *value) {
    const struct feed *feed = feed_of(type, value);
    if (feed && feed->loading) followed_arrives(type, key, value);
}

/* COPY and RESTORE tell of the key themselves. */
static int on_move(RedisModuleCtx *ctx, int type, const char *event, RedisModuleString *key) {
    (void)type;
    if (strcmp(event, "rename_to") != 0 && strcmp(event, "move_to") != 0) return REDISMODULE_OK;
    struct seen_key seen =
        key_name_see(ctx, (struct key_name){RedisModule_GetSelectedDb(ctx), api_bytes(key)});
    if (seen.type) followed_arrives(seen.type, api_bytes(key), seen.value);
    seen_key_end(&seen);
    return REDISMODULE_OK;
}

int followed_start(RedisModuleCtx *ctx) {
    return RedisModule_SubscribeToKeyspaceEvents(ctx, REDISMODULE_NOTIFY_GENERIC, on_move);
}
