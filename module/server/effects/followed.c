#include "server/effects/followed.h"

#include "core/feed.h"
#include "core/hash.h"

enum { PLACES = 1 << 14, ROW = 4 };

#define NO_LINE UINT64_MAX

/* By the key alone: SWAPDB does not tell which keys change their database. */
static version newest_told[PLACES];

static struct place {
    version known;      /* to followers of this key */
    version last;       /* that its feed had … */
    version whole_from; /* … where that began, or has forgotten … */
    uint64_t line;      /* … and its history */
    uint64_t name;      /* see name_with_db() */
    bool written;       /* since it was loaded or restored, or came with its slot; under whatever name */
    bool came;          /* to a primary: who changes it without a note is the old owner of its slot */
    bool gone;          /* the key has that feed no more */
} places[PLACES];

static struct feed *feed_of(const struct data_type *type, const void *value) {
    return type->feed_at ? *(struct feed *const *)((const char *)value + type->feed_at) : NULL;
}

static uint64_t line_of(struct feed *feed) {
    static uint64_t lines;
    if (!feed->line) feed->line = ++lines;
    return feed->line;
}

/* Different for different names, in any database, of a key with this hash. */
static uint64_t name_with_db(int db, uint64_t hash) {
    return hash + 31 * (uint64_t)db;
}

static uint64_t hash_of_name(struct key_name name) {
    return name_with_db(name.db, hash_wide(name.key));
}

/* What is known of a key that has its feed no more cannot be learned again: the others of its row make way first. */
static bool makes_way(const struct place *place, const struct place *other) {
    return place->gone != other->gone ? other->gone : place->known < other->known;
}

/* The place of this name, or the one that it may take. */
static struct place *place_of_name(uint64_t name) {
    struct place *row = &places[name % (PLACES / ROW) * ROW], *found = row;
    for (struct place *place = row; place < row + ROW; place++) {
        if (place->name == name) return place;
        if (makes_way(place, found)) found = place;
    }
    return found;
}

static version *newest_told_of(uint64_t hash) {
    return &newest_told[hash % PLACES];
}

/* Followers of what was there before a foreign feed have not been told yet: whatever comes next is foreign. */
static void see_feed(struct place *place, uint64_t name, struct feed *feed, bool written) {
    bool was_ahead = place->name == name && place->known != VERSION_ANY && place->known > feed->newest;
    place->last = feed->foreign ? VERSION_ANY : feed->newest;
    place->known = was_ahead && !feed->foreign ? place->known : place->last;
    place->whole_from = feed->whole_from;
    place->line = feed->foreign ? NO_LINE : line_of(feed);
    place->name = feed->name = name;
    place->written = written;
    place->gone = false;
}

/* With its database, or by an event that the server told of a wrong one, to where followers know of something else,
 * or did before that made way. */
static bool came_unseen(const struct place *place, uint64_t name, const struct feed *feed) {
    if (!feed->name || !place->name) return false;
    if (place->name != name) return feed->name != name;
    if (feed->name == name) return feed->line && feed->line != place->line;
    return feed->line != place->line || feed->newest < place->known;
}

static void note_feed(uint64_t name, struct feed *feed, bool leaves) {
    struct place *place = place_of_name(name);
    if (came_unseen(place, name, feed)) feed->foreign = true;
    bool is_new = place->last != feed->newest && !(leaves && place->came);
    see_feed(place, name, feed, place->name != name || place->written || is_new);
    place->gone = leaves;
}

void followed_note(const struct call *call) {
    struct feed *feed = feed_of(call_type(call), call->value);
    if (!feed) return;
    struct key_name key = call_key_name(call);
    const uint64_t hash = hash_wide(key.key);
    version *told = newest_told_of(hash);
    note_feed(name_with_db(key.db, hash), feed, false);
    if (feed->newest > *told) *told = feed->newest;
}

bool followed_is_read(const struct call *call) {
    struct feed *feed = feed_of(call_type(call), call->value);
    if (!feed || feed->foreign) return false;
    uint64_t name = hash_of_name(call_key_name(call));
    if (feed->name == name && !came_unseen(place_of_name(name), name, feed)) return false;
    if (!(RedisModule_GetContextFlags(call->ctx) & REDISMODULE_CTX_FLAGS_MASTER)) return false;
    note_feed(name, feed, false);
    return feed->foreign;
}

/* What is written from now on is not noted: any version may be known, and whatever comes next is foreign. */
void followed_ends(struct key_name key) {
    uint64_t name = hash_of_name(key);
    *place_of_name(name) = (struct place){.known = VERSION_ANY,
                                          .last = VERSION_ANY,
                                          .line = NO_LINE,
                                          .name = name,
                                          .written = true,
                                          .gone = true};
}

void followed_leaves(const struct data_type *type, struct key_name key, const void *value) {
    struct feed *feed = feed_of(type, value);
    if (!feed) return;
    bool foreign = feed->foreign;
    note_feed(hash_of_name(key), feed, true);
    feed->foreign = foreign;
}

void followed_server_changes_role(void) {
    for (size_t i = 0; i < PLACES; i++) places[i].came = false;
}

void followed_unlearn(void) {
    for (size_t i = 0; i < PLACES; i++)
        if (places[i].name && !places[i].gone) places[i] = (struct place){.name = UINT64_MAX};
}

void followed_copies(const struct data_type *type, const void *value, const void *copy) {
    struct feed *from = feed_of(type, value), *feed = feed_of(type, copy);
    if (!from || !feed) return;
    feed->line = line_of(from);
    feed->name = from->name;
    feed->copied = true;
}

enum { FROM_FILES = REDISMODULE_CTX_FLAGS_LOADING | REDISMODULE_CTX_FLAGS_ASYNC_LOADING };

/* What comes from a file, or from the primary, has followers that this server knows nothing of. */
static bool knows_followers(int flags) {
    return !(flags & (FROM_FILES | REDISMODULE_CTX_FLAGS_SLAVE));
}

/* What a feed has forgotten is refused anyway. */
static bool is_foreign(const struct place *place, uint64_t name, const struct feed *feed) {
    if (place->name != name || place->known <= feed->whole_from || feed->line == place->line) return false;
    if (feed_end_of(feed, version_epoch(place->last)) == place->last) return false;
    return feed->line || place->written || place->whole_from != feed->whole_from;
}

/* The epoch goes on if the feed has all that followers may know. A foreign one need not: it is about to begin anew. */
static void leave_epoch_before(const struct feed *feed, version newest) {
    version_leave_epoch(newest > feed->newest && !feed->foreign ? newest : 0);
}

static void meet_followers(const struct place *place, uint64_t name, version *told, struct feed *feed) {
    version newest = *told;
    if (is_foreign(place, name, feed)) feed->foreign = true;
    leave_epoch_before(feed, newest);
    if (feed->newest > newest) *told = feed->newest;
}

void followed_arrives(const struct data_type *type, struct key_name key, const void *value) {
    struct feed *feed = feed_of(type, value);
    if (!feed) return;
    if (!key.key.data) {
        leave_epoch_before(feed, VERSION_ANY);
        return;
    }
    int flags = RedisModule_GetContextFlags(NULL);
    bool are_here = knows_followers(flags);
    const uint64_t hash = hash_wide(key.key), name = name_with_db(key.db, hash);
    struct place *place = place_of_name(name);
    if (are_here)
        meet_followers(place, name, newest_told_of(hash), feed);
    else
        leave_epoch_before(feed, VERSION_ANY);
    see_feed(place, name, feed, feed->line && !(flags & FROM_FILES));
    place->came = are_here;
}

/* Once: then its feed has a name. */
void followed_is_sent(const struct data_type *type, struct key_name key, const void *value) {
    struct feed *feed = feed_of(type, value);
    if (!feed || feed->name) return;
    if (feed->loading)
        followed_arrives(type, key, value);
    else
        note_feed(hash_of_name(key), feed, false);
}

void followed_comes(RedisModuleCtx *ctx, struct key_name name) {
    struct seen_key seen = key_name_see(ctx, name);
    if (seen.type) followed_arrives(seen.type, name, seen.value);
    seen_key_end(&seen);
}
