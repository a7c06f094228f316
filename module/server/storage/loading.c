#include "server/storage/loading.h"

#include "server/effects/doctor_keys.h"
#include "server/effects/effect.h"
#include "server/effects/followed.h"
#include "server/effects/once.h"
#include "server/effects/records.h"
#include "server/effects/upkeep.h"

/* One of the records that a string holds. */
struct held_record {
    struct bytes bytes;
    bool beside;    /* it has content beside it, in a string of its own */
    bool is_change; /* and so has been read */
    struct read_change read;
};

/* The content beside the current record; NULL if it cannot be read. Valid until the record has been taken. */
static RedisModuleString *load_beside(struct loading *loading) {
    loading->content = RedisModule_LoadString(loading->io);
    return RedisModule_IsIOError(loading->io) ? NULL : loading->content;
}

static bool attach_loaded(const struct data_type *type, struct loading *loading, struct held_record *record) {
    if (!(records_traits(type, &record->read) & CHANGE_HAS_CONTENT)) return true;
    struct effect_content content = {.given = true, .bytes = record->read.inside, .obeyed = true};
    if (record->beside) {
        content.argument = load_beside(loading);
        if (!content.argument) return false;
        content.bytes = api_bytes(content.argument);
    }
    type->attach(&record->read.change, &content);
    return true;
}

/* Each token once, in the order in which the calls were made. */
static bool load_once(struct loading *loading, struct bytes record) {
    struct once_change once;
    struct logged_call known;
    if (!loading->value || !records_read_once(record, loading->horizon_ms, &once)) return false;
    struct once_log **place = &value_head(loading->value)->once_log;
    bool fits = once.kind == ONCE_REMEMBER && !once.forgets && !once.inside.length &&
                !once_log_find(*place, once.call.token, &known) && once_change_fits(*place, &once);
    if (fits) once_change_do(place, &once);
    return fits;
}

/* Applies a record to the value; the first one creates it. False for one that is malformed or implausible. */
static bool load_record(const struct data_type *type, struct loading *loading, struct held_record *record) {
    struct read_change *read = &record->read;
    if (once_change_is(record->bytes)) return !record->beside && load_once(loading, record->bytes);
    if (!record->is_change || !records_have_content(type, read, record->beside)) return false;
    unsigned traits = records_traits(type, read);
    bool creates = traits & CHANGE_CREATES;
    if (creates != !loading->value || !(traits & (CHANGE_CREATES | CHANGE_IN_FILES))) return false;
    if (type->keeps_order && !type->keeps_order(loading, &read->change)) return false;
    if (creates)
        loading->value = type->make(&read->change);
    else if (!attach_loaded(type, loading, record) || !type->apply(loading->value, &read->change))
        return false;
    version_observe(read->newest);
    return true;
}

/* The newest version comes once, at the end. */
static bool take_record(struct loading *loading, const struct data_type *type, struct held_record *record) {
    if (loading->knows_newest) return false;
    if (effect_is_newest(record->bytes))
        return loading->knows_newest =
                   !record->beside &&
                   effect_read_newest(record->bytes, loading->horizon_ms, &loading->newest);
    bool sound = load_record(type, loading, record);
    if (loading->content) RedisModule_FreeString(NULL, loading->content);
    loading->content = NULL;
    return sound;
}

/* In the server's own files, and in its primary's, a value may be one that was still being built. */
static bool save_is_whole(const struct loading *loading, const struct data_type *type) {
    if (!loading->value) return false;
    return loading->horizon_ms == INT64_MAX || !type->is_whole || type->is_whole(loading->value);
}

static bool take_end(struct loading *loading, const struct data_type *type) {
    if (!loading->knows_newest || !save_is_whole(loading, type)) return false;
    version_observe(loading->newest);
    return true;
}

/* False at the end. Prefetches what the change will look up. */
static bool read_ahead(const struct loading *loading, const struct data_type *type,
                       struct record_reader *reader, struct held_record *record) {
    if (reader->at >= reader->end) return false;
    uint64_t head = record_number(reader);
    record->beside = head & 1;
    record->bytes = record_raw(reader, head >> 1);
    record->is_change = !reader->failed && !effect_is_newest(record->bytes) &&
                        !once_change_is(record->bytes) &&
                        records_read(type, record->bytes, loading->horizon_ms, &record->read);
    if (record->is_change && loading->value && type->prefetch)
        type->prefetch(loading->value, &record->read.change);
    return true;
}

/* Takes the records that one string holds. Each is read while the one before it waits, so that the memory which it
 * needs arrives meanwhile. Only the last one has content beside it. */
static bool take_together(struct loading *loading, const struct data_type *type, struct bytes together) {
    struct record_reader reader = record_reader(together);
    struct held_record records[2];
    bool more = read_ahead(loading, type, &reader, &records[0]);
    for (unsigned i = 0; more; i++) {
        struct held_record *record = &records[i % 2];
        more = read_ahead(loading, type, &reader, &records[(i + 1) % 2]);
        if (reader.failed || (more && record->beside)) return false;
        if (!take_record(loading, type, record)) return false;
    }
    return true;
}

/* Until the empty string, which is the end. */
static bool load_all_records(struct loading *loading, const struct data_type *type) {
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

/* Not the payload of a RESTORE. */
static bool is_file(RedisModuleIO *io) {
    return RedisModule_GetContextFlags(RedisModule_GetContextFromIO(io)) &
           (REDISMODULE_CTX_FLAGS_LOADING | REDISMODULE_CTX_FLAGS_ASYNC_LOADING);
}

/* Files are obeyed, and on a replica everything, since it comes from the primary; RESTORE on a primary is not. */
static bool is_obeyed(RedisModuleIO *io) {
    int flags = RedisModule_GetContextFlags(RedisModule_GetContextFromIO(io));
    return flags & REDISMODULE_CTX_FLAGS_SLAVE || is_file(io);
}

/* A loaded value needs upkeep like any other, and may be worth a look by DOCTOR. */
static void look_at_loaded(RedisModuleIO *io, void *value, const struct data_type *type) {
    const RedisModuleString *key = RedisModule_GetKeyNameFromIO(io);
    if (type->tell_again && is_file(io)) type->tell_again(value);
    struct key_name name = {RedisModule_GetDbIdFromIO(io), key ? api_bytes(key) : bytes_of(NULL, 0)};
    if (is_file(io)) followed_arrives(type, name, value); /* of a RESTORE the server tells later */
    if (!key) return;
    doctor_keys_look(name, type, value);
    upkeep_insist_on(type, value, name);
}

void *loading_file(RedisModuleIO *io, int encoding, const struct data_type *type, void *progress) {
    struct loading loading = {.io = io, .progress = progress};
    if (encoding == ENCODING_VERSION) {
        loading.horizon_ms = effect_horizon_ms(is_obeyed(io));
        if (load_all_records(&loading, type)) {
            look_at_loaded(io, loading.value, type);
            return loading.value;
        }
    }
    RedisModule_LogIOError(io, "warning", "%s cannot be read (encoding version %d)", type->noun, encoding);
    if (loading.value) type->methods.free(loading.value);
    return NULL;
}
