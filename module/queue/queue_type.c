/* The queue as a data type of the server: files, digests, memory, freeing, copies.
 *
 * A file holds the same records as the replication stream: the queue, its messages and dead letters in order of arrival,
 * what is known for duplicates, and an empty record as the end. So there is one decoder, and what it does not believe
 * it does not load. */
#include "queue/queue_commands.h"
#include "server/effect.h"
#include "server/upkeep.h"

enum { ENCODING_VERSION = 0 };

/* A replica that is promoted, and a file that is loaded, find by this what ends while nobody comes. */
static void note_upkeep(struct effect_target *target) {
    struct queue *queue = target->value;
    int64_t due_ms = queue_next_look_ms(queue);
    if (due_ms == UPKEEP_NEVER || (queue->upkeep_ms && queue->upkeep_ms <= due_ms)) return;
    queue->upkeep_ms = due_ms;
    target->upkeep_ms = due_ms;
}

static enum effect_result apply(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms) {
    struct queue_change change;
    (void)horizon_ms; /* a queue has no versions */
    if (content->given || !queue_change_read(record, &change)) return EFFECT_MALFORMED;
    target->events[0] = change.ended ? QUEUE_EXPIRED_EVENT : NULL;
    bool dies = change.died || (change.kind == QUEUE_RELEASE && change.standing == MESSAGE_DEAD);
    target->events[1] = dies ? QUEUE_DIED_EVENT : queue_change_event(change.kind);
    bool creates = change.kind == QUEUE_CREATE;
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = queue_new(&change);
        return EFFECT_APPLIED;
    }
    if (change.kind == QUEUE_DROP) {
        target->drop = true;
        return EFFECT_APPLIED;
    }
    bool applied = queue_apply(target->value, &change);
    if (change.kind == QUEUE_CLEAR || change.kind == QUEUE_CLEAR_DEAD) queue_free_cleared();
    if (applied) note_upkeep(target);
    return applied ? EFFECT_APPLIED : EFFECT_MISFIT;
}

/* --- Saving --- */

static void save_record(void *context, const struct queue_change *change) {
    RedisModuleIO *io = context;
    struct record_writer record;
    record_start(&record);
    queue_change_write(change, &record);
    RedisModule_SaveStringBuffer(io, record.data, record.length);
    record_end(&record);
}

static void save(RedisModuleIO *io, void *value) {
    queue_walk(value, save_record, io);
    RedisModule_SaveStringBuffer(io, "", 0);
}

struct emission {
    RedisModuleIO *io;
    RedisModuleString *key;
};

static void emit_record(void *context, const struct queue_change *change) {
    const struct emission *emission = context;
    struct record_writer record;
    record_start(&record);
    queue_change_write(change, &record);
    effect_emit(emission->io, emission->key, &record, NULL);
    record_end(&record);
}

static void rewrite(RedisModuleIO *io, RedisModuleString *key, void *value) {
    struct emission emission = {io, key};
    queue_walk(value, emit_record, &emission);
}

/* --- Loading --- */

static bool may_stand_in_file(enum queue_change_kind kind) {
    return kind == QUEUE_MESSAGE || kind == QUEUE_ORIGINAL;
}

static bool load_record(struct queue **queue, struct bytes record) {
    struct queue_change change;
    if (!queue_change_read(record, &change)) return false;
    if (!*queue) {
        if (change.kind != QUEUE_CREATE) return false;
        *queue = queue_new(&change);
        return true;
    }
    return may_stand_in_file(change.kind) && queue_apply(*queue, &change);
}

static bool load_all(RedisModuleIO *io, struct queue **queue) {
    for (;;) {
        size_t length;
        char *record = RedisModule_LoadStringBuffer(io, &length);
        if (!record || RedisModule_IsIOError(io)) {
            RedisModule_Free(record);
            return false;
        }
        bool sound = !length || load_record(queue, bytes_of(record, length));
        RedisModule_Free(record);
        if (!sound || !length) return sound && *queue;
    }
}

/* What ends while nobody comes has to be found in a queue that was loaded, too. */
static void expect_upkeep(RedisModuleIO *io, struct queue *queue) {
    const RedisModuleString *key = RedisModule_GetKeyNameFromIO(io);
    int64_t due_ms = queue_next_end_ms(queue);
    if (!key || due_ms == INT64_MAX) return;
    queue->upkeep_ms = due_ms;
    upkeep_expect(RedisModule_GetDbIdFromIO(io), api_bytes(key), due_ms);
}

static void *load(RedisModuleIO *io, int encoding) {
    struct queue *queue = NULL;
    if (encoding == ENCODING_VERSION && load_all(io, &queue)) {
        expect_upkeep(io, queue);
        return queue;
    }
    RedisModule_LogIOError(io, "warning", "a queue cannot be read (encoding version %d)", encoding);
    if (queue) queue_free(queue);
    return NULL;
}

/* --- Digest --- */

struct digesting {
    RedisModuleDigest *digest;
    struct record_writer record;
};

static void digest_record(void *context, const struct queue_change *change) {
    struct digesting *digesting = context;
    digesting->record.length = 0;
    queue_change_write(change, &digesting->record);
    RedisModule_DigestAddStringBuffer(digesting->digest, digesting->record.data, digesting->record.length);
}

static void digest_value(RedisModuleDigest *digest, void *value) {
    struct digesting digesting = {.digest = digest};
    record_start(&digesting.record);
    queue_walk(value, digest_record, &digesting);
    RedisModule_DigestEndSequence(digest);
    record_end(&digesting.record);
}

/* --- Memory --- */

static size_t memory_use(RedisModuleKeyOptCtx *ctx, const void *value, size_t sample_size) {
    (void)ctx;
    (void)sample_size;
    return queue_held(value);
}

static size_t effort(RedisModuleKeyOptCtx *ctx, const void *value) {
    (void)ctx;
    return queue_parts(value);
}

static void release(void *value) {
    queue_free(value);
}

static void *copy(RedisModuleKeyOptCtx *ctx, const void *value) {
    (void)ctx;
    return queue_copy(value);
}

static void *move(void *context, void *memory) {
    return RedisModule_DefragAlloc(context, memory);
}

/* Large queues come in several turns; the cursor is the next place of the hash index. */
static int defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value) {
    struct relocation relocation = {.move = move, .context = ctx};
    unsigned long place = 0;
    (void)key;
    if (RedisModule_DefragCursorGet(ctx, &place) != REDISMODULE_OK) place = 0;
    if (!place) *value = queue_relocate(*value, &relocation);
    for (; place < queue_places(*value); place++) {
        if (RedisModule_DefragShouldStop(ctx) && RedisModule_DefragCursorSet(ctx, place) == REDISMODULE_OK)
            return 1;
        queue_relocate_messages(*value, place, &relocation);
    }
    return 0;
}

struct aggregate queue_aggregate = {
    .type_name = "holdfastQ",
    .family = QUEUE_FAMILY,
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
    .missing = OUTCOME_QUEUE_NOT_FOUND,
    .apply = apply,
    .settings = queue_settings,
    .info = queue_info,
    .survey = queue_survey,
    .upkeep = queue_upkeep,
};
