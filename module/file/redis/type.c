/* The share as a data type of the server: files, digests, memory, freeing, copies. */
#include "file/redis/handlers.h"
#include "file/share_load.h"
#include "file/share_walk.h"
#include "server/effect.h"
#include "server/settings.h"
#include "server/type_methods.h"
#include "server/upkeep.h"

enum { ENCODING_VERSION = 0 };

static const struct setting settings[] = {{.name = NULL}};

static bool plausible(const struct share_change *change, int64_t horizon_ms) {
    const version versions[] = {change->stamp.etag, change->lease.token, change->snapshot};
    for (size_t i = 0; horizon_ms != INT64_MAX && i < sizeof(versions) / sizeof(versions[0]); i++)
        if (!version_plausible(versions[i], horizon_ms)) return false;
    return true;
}

/* The bytes are copied: what is written goes into pages, and a leaf is small. */
static void attach(struct share_change *change, RedisModuleString *argument) {
    change->content = api_bytes(argument);
    if (change->kind == LOAD_LEAF && change->content.length <= LEAF_BYTES)
        change->chunk = chunk_copy(change->content);
}

/* A replica that is promoted finds by this what ends while nobody comes. */
static void note_upkeep(struct effect_target *target) {
    struct share *share = target->value;
    int64_t due_ms = share_next_end_ms(share);
    if (due_ms == INT64_MAX || (share->upkeep_ms && share->upkeep_ms <= due_ms)) return;
    share->upkeep_ms = due_ms;
    target->upkeep_ms = due_ms ? due_ms : 1;
}

static enum effect_result apply(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms) {
    struct share_change change;
    if (!share_change_read(record, &change) || !plausible(&change, horizon_ms)) return EFFECT_MALFORMED;
    if (content->given != share_change_has_content(change.kind)) return EFFECT_MALFORMED;
    target->events[0] = change.expired ? LEASE_EXPIRED_EVENT : NULL;
    target->events[1] = share_change_event(&change);
    bool creates = change.kind == SHARE_CREATE;
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = share_new(&change);
        return EFFECT_APPLIED;
    }
    if (change.kind == SHARE_DROP) {
        target->drop = true;
        return EFFECT_APPLIED;
    }
    if (content->given) attach(&change, content->argument);
    struct share_target found = share_target(target->value, &change);
    if (!share_apply(target->value, &found, &change)) return EFFECT_MISFIT;
    note_upkeep(target);
    return EFFECT_APPLIED;
}

/* --- Files --- */

static void put_record(void *context, const struct share_change *change) {
    share_change_write(change, saving_record(context));
    saving_put(context, share_change_has_content(change->kind) ? &change->content : NULL);
}

static void walk(struct saving *saving, const void *value) {
    share_walk(value, &(struct share_walk){.holders = true, .take = put_record, .context = saving});
}

/* Its tree has come to its end. */
static bool is_whole(const void *value) {
    return !((const struct share *)value)->load;
}

static bool take_record(struct loading *loading, struct bytes record) {
    struct share_change change;
    if (!share_change_read(record, &change) || !share_change_is_in_files(change.kind)) return false;
    if (!plausible(&change, loading->horizon_ms)) return false;
    if ((change.kind == SHARE_CREATE) != !loading->value) return false;
    if (!loading->value) {
        loading->value = share_new(&change);
        return true;
    }
    if (!is_whole(loading->value) && !share_load_is(change.kind)) return false;
    if (share_change_has_content(change.kind)) {
        RedisModuleString *content = loading_content(loading);
        if (!content) return false;
        attach(&change, content);
    }
    struct share_target target = share_target(loading->value, &change);
    return share_apply(loading->value, &target, &change);
}

static int64_t upkeep_due_ms(void *value) {
    struct share *share = value;
    int64_t due_ms = share_next_end_ms(share);
    if (due_ms == INT64_MAX) return UPKEEP_NEVER;
    share->upkeep_ms = due_ms;
    return due_ms;
}

static void release(void *value) {
    share_free(value);
}

static const struct saved_type saved = {
    .noun = "a share",
    .encoding_version = ENCODING_VERSION,
    .walk = walk,
    .take = take_record,
    .whole = is_whole,
    .upkeep_due_ms = upkeep_due_ms,
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
    .apply = apply,
    .upkeep = share_upkeep,
    .leases = &share_leases,
    .settings = settings,
    .info = share_info,
};
