/* The container as a data type of the server: files, digests, memory, freeing, copies.
 *
 * A file holds the records of a walk, contents beside them. */
#include "blob/blocks.h"
#include "blob/digest.h"
#include "blob/load_order.h"
#include "blob/redis/handlers.h"
#include "blob/walk.h"
#include "server/effect.h"
#include "server/info.h"
#include "server/type_methods.h"
#include "server/wait.h"

#include <limits.h>

enum {
    ENCODING_VERSION = 0,
    APPENDED_WHOLE_BYTES = 1 << 16, /* from here on an append blob keeps what is appended as it came */
};

long long max_blob_bytes = 5000LL * 1024 * 1024;
long long max_block_bytes = 4000LL * 1024 * 1024;
long long max_append_bytes = 100LL * 1024 * 1024;

static const struct setting settings[] = {
    {.name = "max-blob-bytes", .bytes = true, .number = &max_blob_bytes, .least = 1, .most = LLONG_MAX},
    {.name = "max-block-bytes", .bytes = true, .number = &max_block_bytes, .least = 1, .most = LLONG_MAX},
    {.name = "max-append-bytes", .bytes = true, .number = &max_append_bytes, .least = 1, .most = LLONG_MAX},
    {.name = NULL},
};

/* Small contents are copied where they go; a large one brings its argument along. */
static bool keeps_argument(const struct container_change *change) {
    switch (change->kind) {
    case BLOB_PUTPAGE: return false;
    case BLOB_APPEND: return change->content.length >= APPENDED_WHOLE_BYTES;
    default: return change->content.length > BLOB_INLINE_MAX;
    }
}

void container_change_attach(struct container_change *change, RedisModuleString *argument, bool shared) {
    change->content = api_bytes(argument);
    if (!keeps_argument(change)) return;
    change->chunk = effect_chunk(argument, shared);
    change->content = chunk_bytes(change->chunk);
}

static bool plausible(const struct container_change *change, int64_t horizon_ms) {
    const version versions[] = {change->stamp.etag, change->lease.token, change->snapshot, change->copy.id,
                                change->born};
    for (size_t i = 0; horizon_ms != INT64_MAX && i < sizeof(versions) / sizeof(versions[0]); i++)
        if (!version_plausible(versions[i], horizon_ms)) return false;
    return true;
}

static bool readable(struct bytes record, const struct effect_content *content, int64_t horizon_ms,
                     struct container_change *change) {
    if (!container_change_read(record, change) || !plausible(change, horizon_ms)) return false;
    return content->given ==
           (container_change_has_content(change) || container_change_has_source_key(change));
}

static enum effect_result apply(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms) {
    struct container_change change;
    if (!readable(record, content, horizon_ms, &change)) return EFFECT_MALFORMED;
    target->name = container_change_has_name(change.kind) ? change.name : bytes_of("", 0);
    target->events[0] = change.expired ? LEASE_EXPIRED_EVENT : NULL;
    target->events[1] = container_change_event(&change);
    bool creates = change.kind == CONTAINER_CREATE;
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = container_new(&change);
        return EFFECT_APPLIED;
    }
    if (change.kind == CONTAINER_DROP) {
        target->drop = true;
        return EFFECT_APPLIED;
    }
    struct blob *blob =
        container_change_has_name(change.kind) ? container_find(target->value, change.name) : NULL;
    if (container_change_has_content(&change))
        container_change_attach(&change, content->argument, content->shared);
    bool begins =
        (change.kind == BLOB_STAGE || change.kind == BLOB_STAGED) && !(blob && blob_special(blob)->staging);
    if (begins) target->upkeep_ms = staging_due_ms(change.touched_ms);
    if (container_change_has_source_key(&change))
        change.source_container = effect_other_value(content, &container_aggregate);
    return container_apply(target->value, blob, &change) ? EFFECT_APPLIED : EFFECT_MISFIT;
}

/* --- Files --- */

static void put_record(void *context, const struct container_change *change) {
    container_change_write(change, saving_record(context));
    saving_put(context, container_change_has_content(change) ? &change->content : NULL);
}

static void walk(struct saving *saving, const void *value) {
    struct walk walk = {.piece = saving->piece, .leases = true, .take = put_record, .context = saving};
    container_walk(value, &walk);
}

static bool apply_loaded(struct loading *loading, const struct container_change *change) {
    if (change->kind == CONTAINER_CREATE) {
        loading->value = container_new(change);
        return true;
    }
    bool named = container_change_has_name(change->kind);
    return container_apply(loading->value, named ? container_find(loading->value, change->name) : NULL,
                           change);
}

static bool take_record(struct loading *loading, struct bytes record) {
    struct container_change change;
    if (!container_change_read(record, &change) || !load_order_keeps(loading->progress, &change))
        return false;
    if (!plausible(&change, loading->horizon_ms)) return false;
    if (container_change_has_content(&change)) {
        RedisModuleString *content = loading_content(loading);
        if (!content) return false;
        container_change_attach(&change, content, false);
    }
    return apply_loaded(loading, &change);
}

static bool is_whole(const void *value) {
    return !((const struct container *)value)->pool;
}

static int64_t upkeep_due_ms(void *value) {
    return container_due_ms(value);
}

static void release(void *value) {
    container_free(value);
}

static const struct saved_type saved = {
    .noun = "a container",
    .encoding_version = ENCODING_VERSION,
    .walk = walk,
    .take = take_record,
    .whole = is_whole,
    .upkeep_due_ms = upkeep_due_ms,
    .free = release,
};

TYPE_FILES(saved)

static void *load(RedisModuleIO *io, int encoding) {
    struct load_order order = {0};
    return loading_file(io, encoding, &saved, &order);
}

/* --- Digest --- */

static void digest_bytes(void *context, struct bytes bytes) {
    RedisModule_DigestAddStringBuffer(context, bytes.data, bytes.length);
}

static void digest_value(RedisModuleDigest *digest, void *value) {
    container_digest(value, digest_bytes, digest);
    RedisModule_DigestEndSequence(digest);
}

TYPE_MEMORY(container)
TYPE_MOVES(container, blobs)

/* --- Information --- */

static void info(RedisModuleInfoCtx *ctx) {
    struct container_census census = container_census();
    const struct info_number numbers[] = {
        {"containers", census.containers},
        {"blobs", census.blobs},
        {"blob_bytes", census.content_bytes},
        {"blob_snapshots", census.snapshots},
        {"leases", census.leases},
        {"blob_waiters", wait_stats()->waiting[WAIT_NEWS]},
    };
    info_show(ctx, numbers, sizeof(numbers) / sizeof(*numbers));
}

struct aggregate container_aggregate = {
    .type_name = "holdfastC",
    .family = CONTAINER_FAMILY,
    .encoding_version = ENCODING_VERSION,
    .methods = TYPE_METHODS,
    .missing = OUTCOME_CONTAINER_NOT_FOUND,
    .apply = apply,
    .upkeep = container_upkeep,
    .leases = &container_leases,
    .settings = settings,
    .info = info,
};
