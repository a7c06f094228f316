#include "server/effects/effect.h"

#include "change/bundle.h"

enum { NEWEST_LETTER = 'V' }; /* no data type's */

static unsigned long long misfits, malformed;

unsigned long long effect_misfits(void) {
    return misfits;
}

unsigned long long effect_malformed(void) {
    return malformed;
}

/* --- Sending --- */

static void send_record(RedisModuleCtx *ctx, RedisModuleString *key, struct bytes record,
                        RedisModuleString *content) {
    if (content)
        RedisModule_Replicate(ctx, EFFECT_COMMAND_SHORT, "sbs", key, record.data, record.length, content);
    else
        RedisModule_Replicate(ctx, EFFECT_COMMAND_SHORT, "sb", key, record.data, record.length);
}

/* A record that is the only one travels as if there were no bundle. */
static void send_only_record(const struct effect_bundle *bundle) {
    struct record_reader reader = bundle_reader(record_written(&bundle->bytes));
    struct bundle_item item = {.record = bytes_of(NULL, 0)};
    bundle_next(&reader, BUNDLE_MORE_AT + (int)bundle->words, &item);
    send_record(bundle->ctx, bundle->first_key, item.record, bundle->words ? bundle->more[0] : NULL);
}

static void send_bundle(const struct effect_bundle *bundle) {
    if (bundle->records == 1)
        send_only_record(bundle);
    else if (bundle->words)
        RedisModule_Replicate(bundle->ctx, EFFECT_COMMAND_SHORT, "sbv", bundle->first_key, bundle->bytes.data,
                              bundle->bytes.length, bundle->more, bundle->words);
    else if (bundle->records)
        RedisModule_Replicate(bundle->ctx, EFFECT_COMMAND_SHORT, "sb", bundle->first_key, bundle->bytes.data,
                              bundle->bytes.length);
}

void effect_bundle_start(struct effect_bundle *bundle, RedisModuleCtx *ctx) {
    bundle->ctx = ctx;
    bundle->words = 0;
    bundle->records = 0;
    bundle_start(&bundle->bytes);
}

void effect_bundle_end(struct effect_bundle *bundle) {
    send_bundle(bundle);
    record_end(&bundle->bytes);
}

/* Whether there is no space for one record more, which may bring a key and a content. */
static bool is_full(const struct effect_bundle *bundle, const struct record_writer *record) {
    if (!bundle->records) return false;
    return bundle->words + 2 > EFFECT_WORDS_MAX || bundle->bytes.length + record->length > EFFECT_BYTES_MAX;
}

static uint64_t add_word(struct effect_bundle *bundle, RedisModuleString *word) {
    bundle->more[bundle->words] = word;
    return BUNDLE_MORE_AT + bundle->words++;
}

/* Keys of several words, most often one behind the other, are one key. */
static uint64_t add_key(struct effect_bundle *bundle, RedisModuleString *key) {
    if (!bundle->records) {
        bundle->first_key = key;
        bundle->last_key_at = BUNDLE_KEY_AT;
    } else if (!bytes_equal(api_bytes(key), api_bytes(bundle->last_key))) {
        bundle->last_key_at = add_word(bundle, key);
    }
    bundle->last_key = key;
    return bundle->last_key_at;
}

ASIDE static void gather_record(struct effect_bundle *bundle, RedisModuleString *key,
                                const struct record_writer *record, RedisModuleString *content) {
    if (is_full(bundle, record)) {
        effect_bundle_end(bundle);
        effect_bundle_start(bundle, bundle->ctx);
    }
    struct bundle_item item = {.key = add_key(bundle, key), .record = record_written(record)};
    if (content) item.beside = add_word(bundle, content);
    bundle_add(&bundle->bytes, &item);
    bundle->records++;
}

void effect_send(const struct call *call, const struct record_writer *record, RedisModuleString *content) {
    if (call->bundle)
        gather_record(call->bundle, call->argv[1], record, content);
    else
        send_record(call->ctx, call->argv[1], record_written(record), content);
}

void effect_count_only(const struct call *call) {
    RedisModule_ReplicateVerbatim(call->ctx);
}

void effect_emit(RedisModuleIO *io, RedisModuleString *key, const struct record_writer *record,
                 const struct bytes *content) {
    if (content)
        RedisModule_EmitAOF(io, EFFECT_COMMAND_SHORT, "sbb", key, record->data, record->length, content->data,
                            content->length);
    else
        RedisModule_EmitAOF(io, EFFECT_COMMAND_SHORT, "sb", key, record->data, record->length);
}

void effect_write_newest(struct record_writer *record) {
    record_put_byte(record, NEWEST_LETTER);
    record_put_word(record, version_newest());
}

bool effect_is_newest(struct bytes record) {
    return record.length && record.data[0] == NEWEST_LETTER;
}

bool effect_read_newest(struct bytes record, int64_t horizon_ms, version *newest) {
    struct record_reader reader = record_reader(record);
    record_byte(&reader);
    *newest = record_word(&reader);
    bool sound = record_complete(&reader) && *newest <= VERSION_MAX;
    return sound && (horizon_ms == INT64_MAX || version_plausible(*newest, horizon_ms));
}

/* Inside MULTI or a script the server may go on using an argument after the command, and so may another module that
 * brings it. References are counted without locks, and ours may be dropped on another thread. A loaded content has no
 * context, and belongs to us alone. */
static bool is_shared(const struct effect_content *content) {
    return content->ctx && (api_runs_several(content->ctx) || api_runs_for_module(content->ctx));
}

struct chunk *effect_chunk(const struct effect_content *content) {
    if (is_shared(content)) return chunk_copy(content->bytes);
    RedisModuleString *kept = RedisModule_HoldString(NULL, content->argument);
    RedisModule_TrimStringAllocation(kept);
    return chunk_adopt(kept, api_bytes(kept), RedisModule_MallocSizeString(kept));
}

int64_t effect_horizon_ms(bool obeyed) {
    return obeyed ? INT64_MAX : server_now_ms();
}

const void *effect_other_value(const struct effect_content *content, const struct data_type *type) {
    if (!content->obeyed && !api_may_use(content->ctx, content->argument, REDISMODULE_CMD_KEY_ACCESS))
        return NULL;
    RedisModuleKey *key = RedisModule_OpenKey(content->ctx, content->argument, REDISMODULE_READ);
    bool there = key && RedisModule_ModuleTypeGetType(key) == type->type;
    const void *value = there ? RedisModule_ModuleTypeGetValue(key) : NULL;
    if (key) RedisModule_CloseKey(key);
    return value;
}

void effect_complain(RedisModuleCtx *ctx, enum effect_result result) {
    unsigned long long *count = result == EFFECT_MISFIT ? &misfits : &malformed;
    if ((*count)++ == 0)
        RedisModule_Log(ctx, "warning", "an effect %s; INFO holdfast counts them",
                        result == EFFECT_MISFIT ? "does not fit the state of its key" : "cannot be read");
}
