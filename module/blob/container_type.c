/* The container as a data type of the server: files, digests, memory, freeing, copies.
 *
 * A file holds the same records as the replication stream, those of a walk, contents beside them, and an empty record as
 * the end. So there is one decoder, and what it does not believe it does not load. */
#include "blob/blob_commands.h"
#include "blob/blocks.h"
#include "blob/digest.h"
#include "blob/load_order.h"
#include "blob/walk.h"
#include "server/effect.h"
#include "server/upkeep.h"
#include "server/wait.h"

#include <limits.h>

enum {
    ENCODING_VERSION = 0,
    PIECE_BYTES = 1 << 20,          /* the most that one record of an append-only file brings */
    APPENDED_WHOLE_BYTES = 1 << 16, /* from here on an append blob keeps what is appended as it came */
};

long long max_blob_bytes = 5000LL * 1024 * 1024;
long long max_block_bytes = 4000LL * 1024 * 1024;
long long max_append_bytes = 100LL * 1024 * 1024;

static const struct setting settings[] = {
    {.name = "max-blob-bytes", .number = &max_blob_bytes, .least = 0, .most = LLONG_MAX},
    {.name = "max-block-bytes", .number = &max_block_bytes, .least = 1, .most = LLONG_MAX},
    {.name = "max-append-bytes", .number = &max_append_bytes, .least = 1, .most = LLONG_MAX},
    {.name = NULL},
};

/* Small contents are copied where they go; a large one brings its argument along. */
static bool keeps_argument(const struct change *change) {
    switch (change->kind) {
    case CHANGE_PUTPAGE: return false;
    case CHANGE_APPEND: return change->content.length >= APPENDED_WHOLE_BYTES;
    default: return change->content.length > BLOB_INLINE_MAX;
    }
}

void change_attach(struct change *change, RedisModuleString *argument, bool shared) {
    change->content = api_bytes(argument);
    if (!keeps_argument(change)) return;
    change->chunk = effect_chunk(argument, shared);
    change->content = chunk_bytes(change->chunk);
}

static bool plausible(const struct change *change, int64_t horizon_ms) {
    const version versions[] = {change->stamp.etag, change->lease.token, change->snapshot, change->copy.id,
                                change->born};
    for (size_t i = 0; horizon_ms != INT64_MAX && i < sizeof(versions) / sizeof(versions[0]); i++)
        if (!version_plausible(versions[i], horizon_ms)) return false;
    return true;
}

static bool readable(struct bytes record, const struct effect_content *content, int64_t horizon_ms,
                     struct change *change) {
    if (!change_read(record, change) || !plausible(change, horizon_ms)) return false;
    return content->given == (change_has_content(change) || change_has_source_key(change));
}

static enum effect_result apply(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms) {
    struct change change;
    if (!readable(record, content, horizon_ms, &change)) return EFFECT_MALFORMED;
    target->name = change_has_name(change.kind) ? change.name : bytes_of("", 0);
    target->events[0] = change.expired ? LEASE_EXPIRED_EVENT : NULL;
    target->events[1] = change_event(&change);
    bool creates = change.kind == CHANGE_CREATE;
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = container_new(&change);
        return EFFECT_APPLIED;
    }
    if (change.kind == CHANGE_DROP) {
        target->drop = true;
        return EFFECT_APPLIED;
    }
    struct blob *blob = change_has_name(change.kind) ? container_find(target->value, change.name) : NULL;
    if (change_has_content(&change)) change_attach(&change, content->argument, content->shared);
    bool begins = (change.kind == CHANGE_STAGE || change.kind == CHANGE_STAGED) &&
                  !(blob && blob_special(blob)->staging);
    if (begins) target->upkeep_ms = staging_due_ms(change.touched_ms);
    if (change_has_source_key(&change))
        change.source_container = effect_other_value(content, &container_aggregate);
    return container_apply(target->value, blob, &change) ? EFFECT_APPLIED : EFFECT_MISFIT;
}

/* --- Saving --- */

static void save_record(void *context, const struct change *change) {
    RedisModuleIO *io = context;
    struct record_writer record;
    record_start(&record);
    change_write(change, &record);
    RedisModule_SaveStringBuffer(io, record.data, record.length);
    if (change_has_content(change))
        RedisModule_SaveStringBuffer(io, change->content.data, change->content.length);
    record_end(&record);
}

static void save(RedisModuleIO *io, void *value) {
    struct walk walk = {.piece = UINT64_MAX, .leases = true, .take = save_record, .context = io};
    container_walk(value, &walk);
    RedisModule_SaveStringBuffer(io, "", 0);
}

struct emission {
    RedisModuleIO *io;
    RedisModuleString *key;
};

static void emit_record(void *context, const struct change *change) {
    const struct emission *emission = context;
    struct record_writer record;
    record_start(&record);
    change_write(change, &record);
    effect_emit(emission->io, emission->key, &record, change_has_content(change) ? &change->content : NULL);
    record_end(&record);
}

static void rewrite(RedisModuleIO *io, RedisModuleString *key, void *value) {
    struct emission emission = {io, key};
    struct walk walk = {.piece = PIECE_BYTES, .leases = true, .take = emit_record, .context = &emission};
    container_walk(value, &walk);
}

/* --- Loading --- */

struct loading {
    RedisModuleIO *io;
    struct container *container;
    struct load_order order;
    int64_t horizon_ms;
};

static bool apply_loaded(struct loading *loading, const struct change *change) {
    if (change->kind == CHANGE_CREATE) {
        loading->container = container_new(change);
        return true;
    }
    bool named = change_has_name(change->kind);
    return container_apply(loading->container,
                           named ? container_find(loading->container, change->name) : NULL, change);
}

static bool load_content(struct loading *loading, struct change *change) {
    RedisModuleString *argument = RedisModule_LoadString(loading->io);
    bool sound = argument && !RedisModule_IsIOError(loading->io);
    if (sound) {
        change_attach(change, argument, false);
        sound = apply_loaded(loading, change);
    }
    if (argument) RedisModule_FreeString(NULL, argument);
    return sound;
}

static bool load_record(struct loading *loading, struct bytes record) {
    struct change change;
    if (!change_read(record, &change) || !load_order_keeps(&loading->order, &change)) return false;
    if (!plausible(&change, loading->horizon_ms)) return false;
    return change_has_content(&change) ? load_content(loading, &change) : apply_loaded(loading, &change);
}

static bool load_all(struct loading *loading) {
    for (;;) {
        size_t length;
        char *record = RedisModule_LoadStringBuffer(loading->io, &length);
        if (!record || RedisModule_IsIOError(loading->io)) {
            RedisModule_Free(record);
            return false;
        }
        bool sound = !length || load_record(loading, bytes_of(record, length));
        RedisModule_Free(record);
        if (!sound || !length) return sound && loading->container && !loading->container->pool;
    }
}

/* Files are obeyed, and on a replica everything, since it comes from the primary; RESTORE is somebody's word. */
static bool is_obeyed(RedisModuleIO *io) {
    int flags = RedisModule_GetContextFlags(RedisModule_GetContextFromIO(io));
    return flags & (REDISMODULE_CTX_FLAGS_LOADING | REDISMODULE_CTX_FLAGS_ASYNC_LOADING |
                    REDISMODULE_CTX_FLAGS_SLAVE);
}

static void expect_upkeep(RedisModuleIO *io, const struct container *container) {
    const RedisModuleString *key = RedisModule_GetKeyNameFromIO(io);
    int64_t due_ms = container_due_ms(container);
    if (key && due_ms != INT64_MAX) upkeep_expect(RedisModule_GetDbIdFromIO(io), api_bytes(key), due_ms);
}

static void *load(RedisModuleIO *io, int encoding) {
    struct loading loading = {.io = io};
    if (encoding == ENCODING_VERSION) {
        loading.horizon_ms = effect_horizon_ms(is_obeyed(io));
        if (load_all(&loading)) {
            expect_upkeep(io, loading.container);
            return loading.container;
        }
    }
    RedisModule_LogIOError(io, "warning", "a container cannot be read (encoding version %d)", encoding);
    if (loading.container) container_free(loading.container);
    return NULL;
}

/* --- Digest --- */

static void digest_bytes(void *context, struct bytes bytes) {
    RedisModule_DigestAddStringBuffer(context, bytes.data, bytes.length);
}

static void digest_value(RedisModuleDigest *digest, void *value) {
    container_digest(value, digest_bytes, digest);
    RedisModule_DigestEndSequence(digest);
}

/* --- Memory --- */

static size_t memory_use(RedisModuleKeyOptCtx *ctx, const void *value, size_t sample_size) {
    (void)ctx;
    (void)sample_size;
    return container_held(value);
}

static size_t effort(RedisModuleKeyOptCtx *ctx, const void *value) {
    (void)ctx;
    return ((const struct container *)value)->account.parts;
}

static void release(void *value) {
    container_free(value);
}

static void *copy(RedisModuleKeyOptCtx *ctx, const void *value) {
    (void)ctx;
    return container_copy(value);
}

static void *move(void *context, void *memory) {
    return RedisModule_DefragAlloc(context, memory);
}

static void *move_owner(void *context, void *owner, struct bytes *bytes) {
    RedisModuleString *moved = api_defrag_string(context, owner);
    if (moved) *bytes = api_bytes(moved);
    return moved;
}

/* Large containers come in several turns; the cursor is the next place of the hash index. */
static int defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value) {
    struct relocation relocation = {move, move_owner, ctx};
    unsigned long place = 0;
    (void)key;
    if (RedisModule_DefragCursorGet(ctx, &place) != REDISMODULE_OK) place = 0;
    if (!place) *value = container_relocate(*value, &relocation);
    struct container *container = *value;
    for (; place < container->blobs.by_hash.buckets; place++) {
        if (RedisModule_DefragShouldStop(ctx) && RedisModule_DefragCursorSet(ctx, place) == REDISMODULE_OK)
            return 1;
        container_relocate_blobs(container, place, &relocation);
    }
    return 0;
}

/* --- Information --- */

static void info(RedisModuleInfoCtx *ctx) {
    struct container_census census = container_census();
    RedisModule_InfoAddFieldULongLong(ctx, "containers", census.containers);
    RedisModule_InfoAddFieldULongLong(ctx, "blobs", census.blobs);
    RedisModule_InfoAddFieldULongLong(ctx, "blob_bytes", census.content_bytes);
    RedisModule_InfoAddFieldULongLong(ctx, "blob_snapshots", census.snapshots);
    RedisModule_InfoAddFieldULongLong(ctx, "leases", census.leases);
    RedisModule_InfoAddFieldULongLong(ctx, "blob_waiters", wait_stats()->waiting[WAIT_NEWS]);
}

struct aggregate container_aggregate = {
    .type_name = "holdfastC",
    .family = CHANGE_FAMILY,
    .encoding_version = ENCODING_VERSION,
    .methods =
        {
            .version = REDISMODULE_TYPE_METHOD_VERSION,
            .rdb_load = load,
            .rdb_save = save,
            .aof_rewrite = rewrite,
            .digest = digest_value,
            .mem_usage2 = memory_use,
            .free_effort2 = effort,
            .free = release,
            .copy2 = copy,
            .defrag = defrag,
        },
    .missing = OUTCOME_CONTAINER_NOT_FOUND,
    .apply = apply,
    .upkeep = container_upkeep,
    .leases = &container_leases,
    .settings = settings,
    .info = info,
};
