#include "server/effects/incoming.h"

#include "change/bundle.h"
#include "core/inlining.h"
#include "server/base/notices.h"
#include "server/call/other_key.h"
#include "server/call/refusal.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/effect.h"
#include "server/effects/followed.h"
#include "server/effects/records.h"
#include "server/effects/upkeep.h"
#include "server/waiting/wait.h"

#include "ccan/array_size/array_size.h"

enum { WORDS_MAX = 4 }; /* of an effect with a single record */

bool accept_effects = false;

/* A record that has arrived. There is no call for it unless somebody waits: to start one takes longer than to apply
 * a small effect. */
struct incoming {
    RedisModuleCtx *ctx;
    const struct command *command;
    bool obeyed;
    bool changed;              /* something has been applied, and the effect sent on */
    RedisModuleString *name;   /* of the key */
    RedisModuleString *beside; /* what travels beside the record; NULL for nothing */
    RedisModuleKey *key;       /* NULL while it is not open */
    struct bytes record;       /* of the data type; empty for none */
    struct record_reader left; /* what the bundle has behind this record; empty without a bundle */
    struct effect_target target;
};

static struct key_name incoming_key_name(const struct incoming *incoming) {
    return (struct key_name){RedisModule_GetSelectedDb(incoming->ctx), api_bytes(incoming->name)};
}

/* --- Applying --- */

/* The value of the key, if there is one. False for a key of another type. */
static bool find_value(struct incoming *incoming, const struct data_type *type) {
    bool there = RedisModule_ModuleTypeGetType(incoming->key) == type->type;
    if (there) incoming->target.value = RedisModule_ModuleTypeGetValue(incoming->key);
    return there || RedisModule_KeyType(incoming->key) == REDISMODULE_KEYTYPE_EMPTY;
}

/* Creates or deletes the key after its value. */
ASIDE static void change_key(const struct incoming *incoming, const struct data_type *type) {
    if (incoming->target.drop)
        RedisModule_UnlinkKey(incoming->key);
    else
        RedisModule_ModuleTypeSetValue(incoming->key, type->type, incoming->target.value);
}

ASIDE static void note_key(const struct incoming *incoming) {
    doctor_keys_add(incoming_key_name(incoming), incoming->target.value);
}

ASIDE static void take_content_beside(const struct incoming *incoming, struct effect_content *content) {
    content->given = true;
    content->argument = incoming->beside;
    content->bytes = api_bytes(content->argument);
}

/* Applies the record, or the call to remember (`once`), or both; either may be missing. */
static enum effect_result apply_to_key(struct incoming *incoming, const struct data_type *type,
                                       const struct once_change *once) {
    struct effect_content content = {.obeyed = incoming->obeyed, .ctx = incoming->ctx};
    struct effect_target *target = &incoming->target;
    if (!find_value(incoming, type)) return EFFECT_MISFIT;
    bool was_there = target->value;
    if (incoming->beside) take_content_beside(incoming, &content);
    enum effect_result result =
        records_apply(type, target, incoming->record, once, &content, effect_horizon_ms(incoming->obeyed));
    if (result != EFFECT_APPLIED) return result;
    if (target->drop || !was_there) change_key(incoming, type);
    if (target->notable) note_key(incoming);
    if (!target->drop) followed_is_sent(type, incoming_key_name(incoming), target->value);
    return EFFECT_APPLIED;
}

static void open_key(struct incoming *incoming) {
    if (incoming->key) return;
    incoming->key = RedisModule_OpenKey(incoming->ctx, incoming->name, REDISMODULE_READ | REDISMODULE_WRITE);
}

static void close_key(struct incoming *incoming) {
    if (incoming->key) RedisModule_CloseKey(incoming->key);
    incoming->key = NULL;
}

static enum effect_result apply_record(struct incoming *incoming, const struct once_change *once) {
    const struct data_type *type = data_type_of_letter((uint8_t)incoming->record.data[0]);
    if (!type) return EFFECT_MALFORMED;
    open_key(incoming);
    return apply_to_key(incoming, type, once);
}

/* A call that is remembered without a change goes into what the key holds. */
ASIDE static enum effect_result apply_with_once(struct incoming *incoming) {
    struct once_change once;
    if (!records_read_once(incoming->record, effect_horizon_ms(incoming->obeyed), &once))
        return EFFECT_MALFORMED;
    incoming->record = once.inside;
    if (incoming->record.length) return apply_record(incoming, &once);
    open_key(incoming);
    const struct data_type *type = data_type_of(RedisModule_ModuleTypeGetType(incoming->key));
    return type ? apply_to_key(incoming, type, &once) : EFFECT_MISFIT;
}

/* The key only makes the effect travel where the key's value does. */
ASIDE static enum effect_result observe_newest(const struct incoming *incoming) {
    version newest;
    int64_t horizon_ms = effect_horizon_ms(incoming->obeyed);
    if (incoming->beside || !effect_read_newest(incoming->record, horizon_ms, &newest))
        return EFFECT_MALFORMED;
    version_observe(newest);
    return EFFECT_APPLIED;
}

static enum effect_result apply_effect(struct incoming *incoming) {
    if (!incoming->record.length) return EFFECT_MALFORMED;
    if (effect_is_newest(incoming->record)) return observe_newest(incoming);
    return once_change_is(incoming->record) ? apply_with_once(incoming) : apply_record(incoming, NULL);
}

/* --- What follows --- */

ASIDE static void schedule_upkeep(const struct incoming *incoming) {
    upkeep_schedule_key(incoming_key_name(incoming), incoming->target.upkeep_ms);
}

/* A primary obeys those that send it a slot. */
static bool is_of_moving_slot(const struct incoming *incoming) {
    return incoming->obeyed && RedisModule_GetContextFlags(incoming->ctx) & REDISMODULE_CTX_FLAGS_MASTER;
}

/* Wakes those who wait for the object of the change, or for anything in the value: soon in the middle of a bundle, when
 * all of it is applied, and where the key may not be this server's yet. */
ASIDE static void look_for_waiters(const struct incoming *incoming) {
    struct call call;
    struct bytes name = incoming->target.name;
    RedisModuleString *words[] = {NULL, incoming->name};
    call_start(&call, incoming->command, incoming->ctx, words, ARRAY_SIZE(words));
    if (record_more(&incoming->left) || is_of_moving_slot(incoming)) call.mode = CALL_INTERNAL;
    wait_look_for_all(&call, name);
    if (name.length) wait_look_for_all(&call, bytes_of("", 0));
    call_end(&call);
}

/* As after a change that was decided here: see commit.c. Notices are held back until the key is closed: a listener may
 * delete it. */
static void follow_effect(struct incoming *incoming) {
    const struct told told = incoming->target.told;
    if (incoming->target.upkeep_ms != UPKEEP_NEVER) schedule_upkeep(incoming);
    if (told.modified) RedisModule_SignalModifiedKey(incoming->ctx, incoming->name);
    for (int i = 0; i < EVENTS_MAX; i++)
        if (told.events[i]) notices_add(incoming->ctx, incoming->name, true, told.events[i]);
    if (!wait_anybody() || incoming->target.drop) return;
    close_key(incoming);
    look_for_waiters(incoming);
}

/* --- Bundles --- */

/* No word travels beside two records: their values could be freed on two threads, which count references to it. */
static bool bundle_is_sound(struct bytes bundle, int words, int64_t horizon_ms) {
    struct record_reader reader = bundle_reader(bundle);
    struct bundle_item item;
    uint64_t last_beside = 0;
    if (!record_more(&reader)) return false;
    while (bundle_next(&reader, words, &item)) {
        if (!records_fit_bundle(item.record, item.beside, horizon_ms)) return false;
        if (item.beside && item.beside <= last_beside) return false;
        if (item.beside) last_beside = item.beside;
    }
    return record_complete(&reader);
}

/* A key stays open while the next record is of the same. */
ASIDE static bool take_item(struct incoming *incoming, RedisModuleString **argv, int argc) {
    struct bundle_item item;
    if (!bundle_next(&incoming->left, argc, &item)) return false;
    if (argv[item.key] != incoming->name) close_key(incoming);
    incoming->name = argv[item.key];
    incoming->beside = item.beside ? argv[item.beside] : NULL;
    incoming->record = item.record;
    return true;
}

/* All records are read before anything changes. */
ASIDE static bool open_bundle(struct incoming *incoming, RedisModuleString **argv, int argc) {
    if (!bundle_is_sound(incoming->record, argc, effect_horizon_ms(incoming->obeyed))) return false;
    incoming->left = bundle_reader(incoming->record);
    return take_item(incoming, argv, argc);
}

ASIDE static void tell_keys_of_bundle(RedisModuleCtx *ctx, struct bytes bundle, int words) {
    struct record_reader reader = bundle_reader(bundle);
    struct bundle_item item;
    uint64_t last = BUNDLE_KEY_AT;
    while (bundle_next(&reader, words, &item)) {
        if (item.key != last)
            RedisModule_KeyAtPosWithFlags(ctx, (int)item.key, (int)command_key_flags(KEY_EFFECT));
        last = item.key;
    }
}

void incoming_tell_keys(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    RedisModule_KeyAtPosWithFlags(ctx, BUNDLE_KEY_AT, (int)command_key_flags(KEY_EFFECT));
    if (argc > 2 && bundle_is(api_bytes(argv[2]))) tell_keys_of_bundle(ctx, api_bytes(argv[2]), argc);
}

/* --- The command --- */

RARELY static int refuse_client(RedisModuleCtx *ctx, enum outcome outcome) {
    struct reply out = reply_to(ctx);
    refusal_reply(&out, outcome, "");
    return REDISMODULE_OK;
}

ASIDE static void answer_client(RedisModuleCtx *ctx, enum effect_result result) {
    struct reply out = reply_to(ctx);
    if (result == EFFECT_APPLIED)
        reply_ok(&out);
    else
        refuse_client(ctx, result == EFFECT_MALFORMED ? OUTCOME_MALFORMED_EFFECT : OUTCOME_MISFIT_EFFECT);
    reply_end();
}

/* What a client may not do with all keys of a bundle, it may not do with one of them. */
ASIDE static enum outcome check_bundle_keys(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    struct record_reader reader = bundle_reader(api_bytes(argv[2]));
    struct bundle_item item;
    enum outcome outcome = OUTCOME_DONE;
    while (outcome == OUTCOME_DONE && bundle_next(&reader, argc, &item))
        if (item.key != BUNDLE_KEY_AT) outcome = other_key_check(ctx, argv, argc, argv[item.key], KEY_EFFECT);
    return outcome;
}

static enum outcome check_client(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (!accept_effects) return OUTCOME_NOT_FOR_CLIENTS;
    return bundle_is(api_bytes(argv[2])) ? check_bundle_keys(ctx, argv, argc) : OUTCOME_DONE;
}

/* The effect travels on before those of the calls that it lets be served. */
static void send_on(struct incoming *incoming) {
    if (!incoming->changed) RedisModule_ReplicateVerbatim(incoming->ctx);
    incoming->changed = true;
}

/* Applies one record. */
static enum effect_result run_record(struct incoming *incoming) {
    incoming->target = (struct effect_target){.upkeep_ms = UPKEEP_NEVER, .name = bytes_of("", 0)};
    enum effect_result result = apply_effect(incoming);
    if (result != EFFECT_APPLIED) {
        effect_complain(incoming->ctx, result);
        return result;
    }
    send_on(incoming);
    follow_effect(incoming);
    return result;
}

/* Applies the records of a bundle one by one, as if each had come alone. */
static enum effect_result run_records(struct incoming *incoming, RedisModuleString **argv, int argc) {
    enum effect_result whole = EFFECT_APPLIED;
    do {
        enum effect_result result = run_record(incoming);
        if (result != EFFECT_APPLIED) whole = result;
    } while (record_more(&incoming->left) && take_item(incoming, argv, argc));
    return whole;
}

static enum effect_result run_effect(struct incoming *incoming, RedisModuleString **argv, int argc) {
    incoming->record = api_bytes(argv[2]);
    if (argc == WORDS_MAX) incoming->beside = argv[3];
    bool opened = bundle_is(incoming->record) ? open_bundle(incoming, argv, argc) : argc <= WORDS_MAX;
    if (opened) return run_records(incoming, argv, argc);
    effect_complain(incoming->ctx, EFFECT_MALFORMED);
    return EFFECT_MALFORMED;
}

/* There is nothing to parse: the server has seen to it that there are three words. Nobody reads replies to the
 * primary or to a file. */
int incoming_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (RedisModule_IsKeysPositionRequest(ctx)) {
        command->tell_keys(ctx, argv, argc);
        return REDISMODULE_OK;
    }
    struct incoming incoming = {
        .ctx = ctx, .command = command, .obeyed = api_must_obey(ctx), .name = argv[1]};
    enum outcome refusal = incoming.obeyed ? OUTCOME_DONE : check_client(ctx, argv, argc);
    if (refusal != OUTCOME_DONE) return refuse_client(ctx, refusal);
    size_t outer = notices_hold();
    enum effect_result result = run_effect(&incoming, argv, argc);
    if (!incoming.obeyed) answer_client(ctx, result);
    close_key(&incoming);
    notices_release(ctx, outer);
    return REDISMODULE_OK;
}
