#include "server/effects/effect.h"

enum { NEWEST_LETTER = 'V' }; /* no data type's */

static unsigned long long misfits, malformed;

unsigned long long effect_misfits(void) {
    return misfits;
}

unsigned long long effect_malformed(void) {
    return malformed;
}

void effect_send(const struct call *call, const struct record_writer *record, RedisModuleString *content) {
    if (content)
        RedisModule_Replicate(call->ctx, EFFECT_COMMAND_SHORT, "sbs", call->argv[1], record->data,
                              record->length, content);
    else
        RedisModule_Replicate(call->ctx, EFFECT_COMMAND_SHORT, "sb", call->argv[1], record->data,
                              record->length);
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

/* Inside MULTI or a script the server may go on using an argument after the command. It counts references without
 * locks, and ours may be dropped on another thread. A loaded content has no context, and belongs to us alone. */
static bool is_shared(const struct effect_content *content) {
    return content->ctx && api_runs_several(content->ctx);
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
    if (!content->obeyed && !api_may_read(content->ctx, content->argument)) return NULL;
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
