#include "server/storage/saving.h"

#include "core/record.h"
#include "server/effects/effect.h"
#include "server/effects/once.h"

enum { EFFECT_PIECE_BYTES = 1 << 20, DIGEST_PIECE_BYTES = 1 << 16, TOGETHER_BYTES = 1 << 14 };

struct saving {
    size_t piece; /* maximum bytes of content beside one record */
    bool plain;
    bool open; /* what is still being built can be built on */
    struct record_writer record;
    struct record_writer together; /* records not yet written to the file */
    /* Puts the record, with the content beside it; NULL for none. */
    void (*put)(struct saving *saving, const struct bytes *content);
    void *to;               /* passed to put */
    bool tells_newest;      /* write the newest version at the end */
    RedisModuleString *key; /* of effects */
};

/* The next record, empty: to be written and put. */
static struct record_writer *next_record(struct saving *saving) {
    saving->record.length = 0;
    return &saving->record;
}

static void save_together(struct saving *saving) {
    struct record_writer *together = &saving->together;
    if (together->length) RedisModule_SaveStringBuffer(saving->to, together->data, together->length);
    together->length = 0;
}

static void put_into_file(struct saving *saving, const struct bytes *content) {
    struct bytes record = record_written(&saving->record);
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

struct record_saving {
    const struct data_type *type;
    struct saving *saving;
};

static const struct bytes *content_of(const struct data_type *type, const void *change) {
    return (const void *)((const char *)change + type->content_at);
}

static void put_record(void *context, const void *change) {
    const struct record_saving *to = context;
    const struct change_schema *changes = to->type->changes;
    struct record_writer *record = next_record(to->saving);
    bool has_content = change_is(changes, change, CHANGE_HAS_CONTENT);
    const struct bytes *content = has_content ? content_of(to->type, change) : NULL;
    change_write(changes, change, record);
    if (content && content->length <= CHANGE_CONTENT_INSIDE_MAX) {
        change_add_content(record, *content);
        content = NULL;
    }
    to->saving->put(to->saving, content);
}

/* Writes the records of the calls that a value remembers. */
static void save_once_log(struct saving *saving, const struct value_head *head) {
    struct once_log_cursor cursor = {0, 0};
    struct once_change change = {.kind = ONCE_REMEMBER};
    while (once_log_next(head->once_log, &cursor, &change.call)) {
        change_write(&once_changes, &change, next_record(saving));
        saving->put(saving, NULL);
    }
}

/* Writes the records that rebuild the value, in order. */
static void save_value(const struct data_type *type, struct saving *saving, const void *value) {
    struct record_saving to = {type, saving};
    const struct change_walk walk = {.piece = saving->piece,
                                     .holders = true,
                                     .plain = saving->plain,
                                     .open = saving->open,
                                     .take = put_record,
                                     .context = &to};
    type->walk(value, &walk);
    save_once_log(saving, value);
}

static void save_records(struct saving *saving, const void *value, const struct data_type *type) {
    record_start(&saving->record);
    save_value(type, saving, value);
    if (saving->tells_newest) {
        effect_write_newest(next_record(saving));
        saving->put(saving, NULL);
    }
    record_end(&saving->record);
}

/* A slot that arrives builds its values by many effects. What a child process saves in the middle of that is followed
 * by the rest of them: in an append-only file, or on the link to a replica. */
static bool is_built_on(RedisModuleIO *io, const void *value, const struct data_type *type) {
    if (!type->is_whole || type->is_whole(value)) return false;
    return RedisModule_GetContextFlags(RedisModule_GetContextFromIO(io)) & REDISMODULE_CTX_FLAGS_IS_CHILD;
}

void saving_file(RedisModuleIO *io, const void *value, const struct data_type *type) {
    struct saving saving = {.piece = SIZE_MAX,
                            .open = is_built_on(io, value, type),
                            .put = put_into_file,
                            .to = io,
                            .tells_newest = true};
    record_start(&saving.together);
    save_records(&saving, value, type);
    save_together(&saving);
    record_end(&saving.together);
    RedisModule_SaveStringBuffer(io, "", 0);
}

void saving_effects(RedisModuleIO *io, RedisModuleString *key, const void *value,
                    const struct data_type *type) {
    struct saving saving = {.piece = EFFECT_PIECE_BYTES,
                            .open = is_built_on(io, value, type),
                            .put = put_as_effect,
                            .to = io,
                            .key = key,
                            .tells_newest = true};
    save_records(&saving, value, type);
}

void saving_digest(RedisModuleDigest *digest, const void *value, const struct data_type *type) {
    struct saving saving = {.piece = DIGEST_PIECE_BYTES, .plain = true, .put = put_into_digest, .to = digest};
    save_records(&saving, value, type);
    RedisModule_DigestEndSequence(digest);
}
