/* The container as a data type of the server: files, digests, memory, freeing, copies.
 *
 * A file holds the same records as the replication stream: the container, its blobs in the order of their
 * names, each with the first piece of its content beside it and further pieces as records of their own, and
 * an empty record as the end. So there is one decoder, and what it does not believe it does not load. */
#include "blob/blob_commands.h"
#include "core/memory.h"
#include "lease/lease_commands.h"
#include "server/effect.h"
#include "server/wait.h"

#include <limits.h>

enum {
    ENCODING_VERSION = 0,
    PIECE_BYTES = 1 << 20,         /* the most that one record of an append-only file brings */
    DIGEST_WINDOW_BYTES = 1 << 16, /* a digest must not depend on how a content lies in chunks */
};

static const uint64_t WHOLE = UINT64_MAX;

long long max_blob_bytes = 5000LL * 1024 * 1024;

static const struct setting settings[] = {
    {.name = "max-blob-bytes", .number = &max_blob_bytes, .least = 0, .most = LLONG_MAX},
    {.name = NULL},
};

static bool wants_content(const struct change *change, const struct effect_content *content) {
    return change_has_content(change->kind) == content->given;
}

/* Small contents are copied where they go; a large one brings its argument along. */
static void attach_content(struct change *change, const struct effect_content *content) {
    change->content = content->bytes;
    if (content->given && (content->bytes.length > BLOB_INLINE_MAX || change->kind == CHANGE_EXTEND)) {
        change->chunk = effect_chunk(content->argument, content->shared);
        change->content = chunk_bytes(change->chunk);
    }
}

static bool plausible(const struct change *change, int64_t horizon_ms) {
    return horizon_ms == INT64_MAX || (version_plausible(change->stamp.etag, horizon_ms) &&
                                       version_plausible(change->lease.token, horizon_ms));
}

static enum effect_result apply(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms) {
    struct change change;
    if (!change_read(record, &change) || !wants_content(&change, content)) return EFFECT_MALFORMED;
    if (!plausible(&change, horizon_ms)) return EFFECT_MALFORMED;
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
    attach_content(&change, content);
    return container_apply(target->value, blob, &change) ? EFFECT_APPLIED : EFFECT_MISFIT;
}

/* --- Walking over a container as records --- */

/* Receives a record and, if it has one, its content. */
typedef void take_record(void *context, const struct change *change);

static void walk_blob(const struct blob *blob, uint64_t piece, take_record *take, void *context) {
    struct change change = blob_as_change(blob, piece);
    uint64_t done = change.content.length;
    take(context, &change);
    change.kind = CHANGE_EXTEND;
    for (; done < blob->content.length; done += change.content.length) {
        change.content = blob_view(blob, done, piece);
        take(context, &change);
    }
    if (!blob_lease(blob)->token) return;
    change.kind = CHANGE_BLOBLEASE;
    change.lease = *blob_lease(blob);
    take(context, &change);
}

static void walk(const struct container *container, uint64_t piece, take_record *take, void *context) {
    struct change change = container_as_change(container);
    take(context, &change);
    if (container_lease(container)->token) {
        change.kind = CHANGE_LEASE;
        change.lease = *container_lease(container);
        take(context, &change);
    }
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor))
        walk_blob(blob_of_entry(entry), piece, take, context);
}

static void save_record(void *context, const struct change *change) {
    RedisModuleIO *io = context;
    struct record_writer record;
    record_start(&record);
    change_write(change, &record);
    RedisModule_SaveStringBuffer(io, record.data, record.length);
    if (change_has_content(change->kind))
        RedisModule_SaveStringBuffer(io, change->content.data, change->content.length);
    record_end(&record);
}

static void save(RedisModuleIO *io, void *value) {
    walk(value, WHOLE, save_record, io);
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
    effect_emit(emission->io, emission->key, &record,
                change_has_content(change->kind) ? &change->content : NULL);
    record_end(&record);
}

static void rewrite(RedisModuleIO *io, RedisModuleString *key, void *value) {
    struct emission emission = {io, key};
    walk(value, PIECE_BYTES, emit_record, &emission);
}

/* --- Loading --- */

struct loading {
    RedisModuleIO *io;
    struct container *container;
    struct blob *last; /* blobs come in the order of names, pieces right behind their blob */
    int64_t horizon_ms;
};

static bool order_kept(const struct loading *loading, const struct change *change) {
    struct bytes last = loading->last ? blob_name(loading->last) : bytes_of("", 0);
    switch (change->kind) {
    case CHANGE_CREATE: return !loading->container;
    case CHANGE_LEASE: return loading->container && !loading->last;
    case CHANGE_PUT: return loading->container && bytes_compare(last, change->name) < 0;
    case CHANGE_EXTEND:
    case CHANGE_BLOBLEASE: return loading->last && bytes_equal(last, change->name);
    default: return false;
    }
}

static bool load_content(struct loading *loading, struct change *change) {
    RedisModuleString *argument = RedisModule_LoadString(loading->io);
    if (!argument || RedisModule_IsIOError(loading->io)) {
        if (argument) RedisModule_FreeString(NULL, argument);
        return false;
    }
    struct effect_content content = {.given = true, .argument = argument, .bytes = api_bytes(argument)};
    attach_content(change, &content);
    struct blob *blob = change->kind == CHANGE_PUT ? NULL : loading->last;
    bool applied = container_apply(loading->container, blob, change);
    RedisModule_FreeString(NULL, argument);
    return applied;
}

static bool load_record(struct loading *loading, struct bytes record) {
    struct change change;
    if (!change_read(record, &change) || !order_kept(loading, &change)) return false;
    if (!plausible(&change, loading->horizon_ms)) return false;
    if (change.kind == CHANGE_CREATE) {
        loading->container = container_new(&change);
        return true;
    }
    if (!change_has_content(change.kind)) return container_apply(loading->container, loading->last, &change);
    if (!load_content(loading, &change)) return false;
    loading->last = container_find(loading->container, change.name);
    return true;
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
        if (!sound || !length) return sound && loading->container;
    }
}

/* Files are obeyed, and on a replica everything, since it comes from the primary; RESTORE is somebody's word. */
static bool is_obeyed(RedisModuleIO *io) {
    int flags = RedisModule_GetContextFlags(RedisModule_GetContextFromIO(io));
    return flags & (REDISMODULE_CTX_FLAGS_LOADING | REDISMODULE_CTX_FLAGS_ASYNC_LOADING |
                    REDISMODULE_CTX_FLAGS_SLAVE);
}

static void *load(RedisModuleIO *io, int encoding) {
    struct loading loading = {.io = io};
    if (encoding == ENCODING_VERSION) {
        loading.horizon_ms = effect_horizon_ms(is_obeyed(io));
        if (load_all(&loading)) return loading.container;
    }
    RedisModule_LogIOError(io, "warning", "a container cannot be read (encoding version %d)", encoding);
    if (loading.container) container_free(loading.container);
    return NULL;
}

/* --- Digest --- */

static void digest_bytes(RedisModuleDigest *digest, struct bytes bytes) {
    RedisModule_DigestAddStringBuffer(digest, bytes.data, bytes.length);
}

static void digest_content(RedisModuleDigest *digest, const struct blob *blob, char *window) {
    for (uint64_t at = 0; at < blob->content.length; at += DIGEST_WINDOW_BYTES) {
        uint64_t left = blob->content.length - at;
        size_t length = left < DIGEST_WINDOW_BYTES ? (size_t)left : DIGEST_WINDOW_BYTES;
        struct bytes view = blob_view(blob, at, length);
        if (view.length != length) {
            blob_read(blob, at, window, length);
            view = bytes_of(window, length);
        }
        digest_bytes(digest, view);
    }
}

struct digesting {
    RedisModuleDigest *digest;
    struct record_writer record;
};

static void digest_record(void *context, const struct change *change) {
    struct digesting *digesting = context;
    if (change->kind == CHANGE_EXTEND) return; /* how a content lies in chunks is no part of the value */
    digesting->record.length = 0;
    change_write(change, &digesting->record);
    digest_bytes(digesting->digest, bytes_of(digesting->record.data, digesting->record.length));
}

/* The records of a walk, then the contents. */
static void digest_value(RedisModuleDigest *digest, void *value) {
    const struct container *container = value;
    struct digesting digesting = {.digest = digest};
    char *window = memory_alloc(DIGEST_WINDOW_BYTES);
    record_start(&digesting.record);
    walk(container, WHOLE, digest_record, &digesting);
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor))
        digest_content(digest, blob_of_entry(entry), window);
    RedisModule_DigestEndSequence(digest);
    record_end(&digesting.record);
    memory_free(window);
}

/* --- Memory --- */

static size_t memory_use(RedisModuleKeyOptCtx *ctx, const void *value, size_t sample_size) {
    (void)ctx;
    (void)sample_size;
    return container_held(value);
}

static size_t effort(RedisModuleKeyOptCtx *ctx, const void *value) {
    (void)ctx;
    return ((const struct container *)value)->parts;
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
    .leases = &container_leases,
    .settings = settings,
    .info = info,
};
