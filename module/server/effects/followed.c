#include "server/effects/followed.h"

#include "core/feed.h"
#include "core/hash.h"

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

void followed_ends(struct bytes key) {
    *told_of(key) = VERSION_ANY;
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
    if (!knows) return;
    if (told == VERSION_ANY) *told_of(key) = version_newest();
    followed_note(type, key, value);
}

void followed_is_built(const struct data_type *type, struct bytes key, const void *value) {
    const struct feed *feed = feed_of(type, value);
    if (feed && feed->loading) followed_arrives(type, key, value);
}

void followed_moves(RedisModuleCtx *ctx, struct key_name name) {
    struct seen_key seen = key_name_see(ctx, name);
    if (seen.type) followed_arrives(seen.type, name.key, seen.value);
    seen_key_end(&seen);
}
