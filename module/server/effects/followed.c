#include "server/effects/followed.h"

#include "core/feed.h"
#include "core/hash.h"

enum { PLACES = 1 << 14 };

static struct place {
    version newest;     /* of all keys of this place: see newest_told() */
    version last;       /* that the feed of one of them had … */
    version whole_from; /* … and where that began, or has forgotten */
    uint32_t name;      /* that key: see hash_of_name() */
    bool written;       /* there, since its value came, which is there still */
} places[PLACES];

static struct feed *feed_of(const struct data_type *type, const void *value) {
    return type->feed_at ? *(struct feed *const *)((const char *)value + type->feed_at) : NULL;
}

/* Mostly different for different names, in any database. */
static uint32_t hash_of_name(struct key_name name) {
    return hash_bytes(name.key) + 31 * (uint32_t)name.db;
}

static struct place *told_place(uint32_t name) {
    return &places[name % PLACES];
}

/* In whichever database: SWAPDB tells nobody of the keys that it moves. */
static version *newest_told(struct bytes key) {
    return &places[hash_bytes(key) % PLACES].newest;
}

static void note_newest(version *newest, const struct feed *feed) {
    if (feed->newest > *newest) *newest = feed->newest;
}

static void see_feed(struct place *place, uint32_t name, const struct feed *feed, bool written) {
    place->last = feed->newest;
    place->whole_from = feed->whole_from;
    place->name = name;
    place->written = written;
}

static bool is_told(const struct place *place, uint32_t name, const struct feed *feed) {
    return place->name == name && place->last == feed->newest;
}

void followed_note(const struct call *call) {
    const struct feed *feed = feed_of(call_type(call), call->value);
    if (!feed) return;
    uint32_t name = hash_of_name(call_key_name(call));
    struct place *place = told_place(name);
    see_feed(place, name, feed, !is_told(place, name, feed) || place->written);
    note_newest(newest_told(call_word(call, 1)), feed);
}

void followed_ends(struct bytes key) {
    *newest_told(key) = VERSION_ANY;
}

void followed_leaves(struct key_name key) {
    uint32_t name = hash_of_name(key);
    struct place *place = told_place(name);
    if (place->name == name) place->written = false;
}

/* What comes from a file, or from the primary, has followers that this server knows nothing of. */
static bool knows_followers(int flags) {
    return !(flags & (REDISMODULE_CTX_FLAGS_LOADING | REDISMODULE_CTX_FLAGS_ASYNC_LOADING |
                      REDISMODULE_CTX_FLAGS_SLAVE));
}

/* Whether it is neither an earlier nor a later state of what the key had. What a feed has forgotten is refused anyway.
 * Feeds that are whole from the same version on are, or were, one feed; then this one has gone its own way if both have
 * been written since. */
static bool is_foreign(const struct place *place, uint32_t name, const struct feed *feed) {
    if (place->name != name || place->last < feed->whole_from) return false;
    version end = feed_end_of(feed, version_epoch(place->last));
    if (end == place->last) return false;
    return place->whole_from != feed->whole_from || (end > place->last && place->written);
}

void followed_arrives(const struct data_type *type, struct key_name key, const void *value) {
    struct feed *feed = feed_of(type, value);
    if (!feed) return;
    int flags = RedisModule_GetContextFlags(NULL);
    uint32_t name = key.key.data ? hash_of_name(key) : 0;
    struct place *place = told_place(name);
    version *newest = key.key.data && knows_followers(flags) ? newest_told(key.key) : NULL;
    version told = newest ? *newest : VERSION_ANY;
    version_leave_epoch(told > feed->newest ? told : 0);
    if (newest) {
        if (is_foreign(place, name, feed)) feed->foreign = true;
        if (told == VERSION_ANY) *newest = version_newest();
        note_newest(newest, feed);
    }
    if (key.key.data && !(flags & REDISMODULE_CTX_FLAGS_SLAVE)) see_feed(place, name, feed, false);
}

void followed_is_built(const struct data_type *type, struct key_name key, const void *value) {
    const struct feed *feed = feed_of(type, value);
    if (feed && feed->loading) followed_arrives(type, key, value);
}

void followed_moves(RedisModuleCtx *ctx, struct key_name name) {
    struct seen_key seen = key_name_see(ctx, name);
    if (seen.type) followed_arrives(seen.type, name, seen.value);
    seen_key_end(&seen);
}
