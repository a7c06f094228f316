/* The share as a data type of the server: files, digests, memory, freeing, copies. */
#include "file/redis/handlers.h"
#include "file/share_load.h"
#include "file/share_walk.h"
#include "server/saving.h"
#include "server/settings.h"
#include "server/type_methods.h"
#include "server/upkeep.h"

enum { ENCODING_VERSION = 0 };

static const struct setting settings[] = {{.name = NULL}};

static void *make(const void *change) {
    return share_new(change);
}

static bool move(void *value, const void *change) {
    return share_apply(value, change);
}

/* The bytes are copied: what is written goes into pages, and a leaf is small. */
static void attach(void *attached, const struct effect_content *content) {
    struct share_change *change = attached;
    change->content = api_bytes(content->argument);
    if (change->kind == LOAD_LEAF && change->content.length <= LEAF_BYTES)
        change->chunk = chunk_copy(change->content);
}

static const struct bytes *content_of(const void *change) {
    return &((const struct share_change *)change)->content;
}

static void walk(const void *value, const struct change_walk *walk) {
    share_walk(value, walk);
}

/* Its tree has come to its end. */
static bool is_whole(const void *value) {
    return !((const struct share *)value)->load;
}

static int64_t next_look_ms(const void *value) {
    _Static_assert(UPKEEP_NEVER == INT64_MAX, "a share that never ends anything is never looked at");
    return share_next_end_ms(value);
}

/* First the tree, and then all else. */
static bool keeps_order(struct loading *loading, const void *change) {
    return !loading->value || is_whole(loading->value) ||
           share_load_is(((const struct share_change *)change)->kind);
}

static void release(void *value) {
    share_free(value);
}

static const struct saved_type saved = {
    .noun = "a share",
    .encoding_version = ENCODING_VERSION,
    .type = &share_aggregate,
    .whole = is_whole,
    .free = release,
};

TYPE_FILES(saved)
TYPE_LOADS(saved)
TYPE_MEMORY(share)
/* Handles and sessions stay where they are: they do not live long. */
TYPE_MOVES(share, nodes)

struct aggregate share_aggregate = {
    .type_name = "holdfastS",
    .family = SHARE_FAMILY,
    .encoding_version = ENCODING_VERSION,
    .methods = TYPE_METHODS,
    .missing = OUTCOME_SHARE_NOT_FOUND,
    .upkeep = share_upkeep,
    .leases = &share_leases,
    .settings = settings,
    .info = share_info,
    .changes = &share_changes,
    .make = make,
    .move = move,
    .attach = attach,
    .content_of = content_of,
    .events = share_events,
    .before = share_before_change,
    .after = share_changed,
    .wake = share_wake,
    .has_rival = file_has_rival,
    .closes_circle = file_closes_circle,
    .awaited = upkeep_insist,
    .walk = walk,
    .keeps_order = keeps_order,
    .next_look_ms = next_look_ms,
    .look_at = offsetof(struct share, upkeep_ms),
};
