#include "server/saving.h"

#include "server/effect.h"
#include "server/noted.h"
#include "server/records.h"
#include "server/upkeep.h"

enum { EFFECT_PIECE_BYTES = 1 << 20, TOGETHER_BYTES = 1 << 14 };

/* --- Out of memory --- */

struct record_writer *saving_record(struct saving *saving) {
    saving->record.length = 0;
    return &saving->record;
}

void saving_put(struct saving *saving, const struct bytes *content) {
    saving->put(saving, content);
}

static void save_together(struct saving *saving) {
    struct record_writer *together = &saving->together;
    if (together->length) RedisModule_SaveStringBuffer(saving->to, together->data, together->length);
    together->length = 0;
}

static void put_into_file(struct saving *saving, const struct bytes *content) {
    struct bytes record = bytes_of(saving->record.data, saving->record.length);
    record_put_number(&saving->together, (uint64_t)record.length << 1 | (content != NULL));
    record_put_raw(&saving->together, record);
    if (content || saving->together.length >= TOGETHER_BYTES) save_together(saving);
    if (content) RedisModule_SaveStringBuffer(saving->to, content->data, content->length);
}

static void put_as_effect(struct saving *saving, const struct bytes *content) {
    effect_emit(saving->to, saving->key, &saving->record, content);
}

static void put_into_digest(struct saving *saving, const struct bytes *content) {
    RedisModule_DigestAddStringBuffer(saving->to, saving->record.data, saving->record.length);
    if (content) RedisModule_DigestAddStringBuffer(saving->to, content->data, content->length);
}

static void save_records(struct saving *saving, const void *value, const struct saved_type *type) {
    record_start(&saving->record);
    records_save(type->type, saving, value);
    if (saving->tells_newest) {
        effect_write_newest(saving_record(saving));
        saving_put(saving, NULL);
    }
    record_end(&saving->record);
}

void saving_file(RedisModuleIO *io, const void *value, const struct saved_type *type) {
    struct saving saving = {.piece = SIZE_MAX, .put = put_into_file, .to = io, .tells_newest = true};
    record_start(&saving.together);
    save_records(&saving, value, type);
    save_together(&saving);
    record_end(&saving.together);
    RedisModule_SaveStringBuffer(io, "", 0);
}

void saving_effects(RedisModuleIO *io, RedisModuleString *key, const void *value,
                    const struct saved_type *type) {
    struct saving saving = {
        .piece = EFFECT_PIECE_BYTES, .put = put_as_effect, .to = io, .key = key, .tells_newest = true};
    save_records(&saving, value, type);
}

void saving_digest(RedisModuleDigest *digest, const void *value, const struct saved_type *type) {
    struct saving saving = {.piece = SIZE_MAX, .put = put_into_digest, .to = digest};
    save_records(&saving, value, type);
    RedisModule_DigestEndSequence(digest);
}

void saving_digest_remembered(RedisModuleDigest *digest, const void *value, const struct saved_type *type) {
    struct saving saving = {.piece = SIZE_MAX, .put = put_into_digest, .to = digest};
    record_start(&saving.record);
    records_save_remembered(type->type, &saving, value);
    record_end(&saving.record);
}

/* --- Into memory --- */

RedisModuleString *loading_content(struct loading *loading) {
    loading->content = RedisModule_LoadString(loading->io);
    return RedisModule_IsIOError(loading->io) ? NULL : loading->content;
}

/* The newest version comes once, at the end. */
static bool take_record(struct loading *loading, const struct saved_type *type, struct bytes record) {
    if (loading->knows_newest) return false;
    if (effect_is_newest(record))
        return loading->knows_newest =
                   !loading->beside && effect_read_newest(record, loading->horizon_ms, &loading->newest);
    bool sound = records_load(type->type, loading, record);
    if (loading->content) RedisModule_FreeString(NULL, loading->content);
    loading->content = NULL;
    return sound;
}

static bool save_is_whole(const void *value, const struct saved_type *type) {
    return value && (!type->whole || type->whole(value));
}

static bool take_end(struct loading *loading, const struct saved_type *type) {
    if (!loading->knows_newest || !save_is_whole(loading->value, type)) return false;
    version_observe(loading->newest);
    return true;
}

/* Takes the records that one string holds. */
static bool take_together(struct loading *loading, const struct saved_type *type, struct bytes together) {
    struct record_reader reader = record_reader(together);
    loading->beside = false;
    while (reader.at < reader.end) {
        uint64_t head = record_number(&reader);
        struct bytes record = record_raw(&reader, head >> 1);
        if (reader.failed || loading->beside) return false;
        loading->beside = head & 1;
        if (!take_record(loading, type, record)) return false;
    }
    return true;
}

/* Until the empty string, which is the end. */
static bool load_all_records(struct loading *loading, const struct saved_type *type) {
    for (;;) {
        size_t length;
        char *together = RedisModule_LoadStringBuffer(loading->io, &length);
        if (!together || RedisModule_IsIOError(loading->io)) {
            RedisModule_Free(together);
            return false;
        }
        bool sound =
            length ? take_together(loading, type, bytes_of(together, length)) : take_end(loading, type);
        RedisModule_Free(together);
        if (!sound || !length) return sound;
    }
}

/* Files are obeyed, and on a replica everything, since it comes from the primary; RESTORE on a primary is not. */
static bool is_obeyed(RedisModuleIO *io) {
    int flags = RedisModule_GetContextFlags(RedisModule_GetContextFromIO(io));
    return flags & (REDISMODULE_CTX_FLAGS_LOADING | REDISMODULE_CTX_FLAGS_ASYNC_LOADING |
                    REDISMODULE_CTX_FLAGS_SLAVE);
}

/* A loaded value needs upkeep like any other, and may be worth a look by DOCTOR. */
static void look_at_loaded(RedisModuleIO *io, void *value, const struct data_type *type) {
    const RedisModuleString *key = RedisModule_GetKeyNameFromIO(io);
    if (!key) return;
    struct key_name name = {RedisModule_GetDbIdFromIO(io), api_bytes(key)};
    noted_look(name, type, value);
    int64_t due_ms = upkeep_next_ms(type, value);
    if (due_ms == UPKEEP_NEVER) return;
    *upkeep_look_at(type, value) = due_ms;
    upkeep_schedule_key(name, due_ms);
}

void *loading_file(RedisModuleIO *io, int encoding, const struct saved_type *type, void *progress) {
    struct loading loading = {.io = io, .progress = progress};
    if (encoding == type->encoding_version) {
        loading.horizon_ms = effect_horizon_ms(is_obeyed(io));
        if (load_all_records(&loading, type)) {
            look_at_loaded(io, loading.value, type->type);
            return loading.value;
        }
    }
    RedisModule_LogIOError(io, "warning", "%s cannot be read (encoding version %d)", type->noun, encoding);
    if (loading.value) type->free(loading.value);
    return NULL;
}
