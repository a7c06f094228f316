#include "server/effects/incoming.h"

#include "core/inlining.h"
#include "server/base/notices.h"
#include "server/call/refusal.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/effect.h"
#include "server/effects/records.h"
#include "server/effects/telling.h"
#include "server/effects/upkeep.h"
#include "server/waiting/wait.h"

enum { WORDS_MAX = 4 };

bool accept_effects = false;

/* An effect that has arrived. There is no call for it unless somebody waits: to start one takes longer than to apply
 * a small effect. */
struct incoming {
    RedisModuleCtx *ctx;
    RedisModuleString **argv;
    int argc;
    bool obeyed;
    RedisModuleKey *key; /* NULL while it is not open */
    struct bytes record; /* of the data type; empty for none */
    struct effect_target target;
};

static struct key_name incoming_key_name(const struct incoming *incoming) {
    return (struct key_name){RedisModule_GetSelectedDb(incoming->ctx), api_bytes(incoming->argv[1])};
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
    content->argument = incoming->argv[3];
    content->bytes = api_bytes(content->argument);
}

/* Applies the record, or the call to remember (`once`), or both; either may be missing. */
static enum effect_result apply_to_key(struct incoming *incoming, const struct data_type *type,
                                       const struct once_change *once) {
    struct effect_content content = {.obeyed = incoming->obeyed, .ctx = incoming->ctx};
    struct effect_target *target = &incoming->target;
    if (!find_value(incoming, type)) return EFFECT_MISFIT;
    bool was_there = target->value;
    if (incoming->argc == WORDS_MAX) take_content_beside(incoming, &content);
    enum effect_result result =
        records_apply(type, target, incoming->record, once, &content, effect_horizon_ms(incoming->obeyed));
    if (result != EFFECT_APPLIED) return result;
    if (target->drop || !was_there) change_key(incoming, type);
    if (target->notable) note_key(incoming);
    return EFFECT_APPLIED;
}

static void open_key(struct incoming *incoming) {
    incoming->key =
        RedisModule_OpenKey(incoming->ctx, incoming->argv[1], REDISMODULE_READ | REDISMODULE_WRITE);
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
    if (incoming->argc == WORDS_MAX || !effect_read_newest(incoming->record, horizon_ms, &newest))
        return EFFECT_MALFORMED;
    version_observe(newest);
    return EFFECT_APPLIED;
}

static enum effect_result apply_effect(struct incoming *incoming) {
    if (incoming->argc > WORDS_MAX || !incoming->record.length) return EFFECT_MALFORMED;
    if (effect_is_newest(incoming->record)) return observe_newest(incoming);
    return once_change_is(incoming->record) ? apply_with_once(incoming) : apply_record(incoming, NULL);
}

/* --- What follows --- */

ASIDE static void schedule_upkeep(const struct incoming *incoming) {
    upkeep_schedule_key(incoming_key_name(incoming), incoming->target.upkeep_ms);
}

/* Wakes those who wait for the object of the change, or for anything in the value. */
ASIDE static void look_for_waiters(const struct incoming *incoming, const struct command *command) {
    struct call call;
    struct bytes name = incoming->target.name;
    size_t outer = notices_hold();
    call_start(&call, command, incoming->ctx, incoming->argv, incoming->argc);
    wait_look_for_all(&call, name);
    if (name.length) wait_look_for_all(&call, bytes_of("", 0));
    call_end(&call);
    notices_release(incoming->ctx, outer);
}

/* As after a change that was decided here: see commit.c. */
static void follow_effect(const struct incoming *incoming) {
    RedisModule_ReplicateVerbatim(incoming->ctx);
    if (incoming->target.upkeep_ms != UPKEEP_NEVER) schedule_upkeep(incoming);
    if (incoming->target.told.modified) RedisModule_SignalModifiedKey(incoming->ctx, incoming->argv[1]);
}

/* When the key is closed: a listener may delete it. */
static void tell_of_effect(const struct incoming *incoming, const struct command *command) {
    const char *const *events = incoming->target.told.events;
    for (int i = 0; i < EVENTS_MAX; i++)
        if (events[i])
            RedisModule_NotifyKeyspaceEvent(incoming->ctx, REDISMODULE_NOTIFY_MODULE, events[i],
                                            incoming->argv[1]);
    if (wait_anybody() && !incoming->target.drop) look_for_waiters(incoming, command);
}

static void refuse_client(RedisModuleCtx *ctx, enum outcome outcome) {
    struct reply out = reply_to(ctx);
    refusal_reply(&out, outcome, "");
}

ASIDE static void answer_client(RedisModuleCtx *ctx, enum effect_result result) {
    struct reply out = reply_to(ctx);
    if (result == EFFECT_APPLIED)
        reply_ok(&out);
    else
        refuse_client(ctx, result == EFFECT_MALFORMED ? OUTCOME_MALFORMED_EFFECT : OUTCOME_MISFIT_EFFECT);
}

RARELY static int keep_out(RedisModuleCtx *ctx) {
    refuse_client(ctx, OUTCOME_NOT_FOR_CLIENTS);
    return REDISMODULE_OK;
}

/* There is nothing to parse: the server has seen to it that there are three words. Nobody reads replies to the
 * primary or to a file. */
int incoming_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    struct incoming incoming = {.ctx = ctx, .argv = argv, .argc = argc, .obeyed = api_must_obey(ctx)};
    if (!incoming.obeyed && !accept_effects) return keep_out(ctx);
    incoming.record = api_bytes(argv[2]);
    incoming.target.name = bytes_of("", 0);
    incoming.target.upkeep_ms = UPKEEP_NEVER;
    enum effect_result result = apply_effect(&incoming);
    if (result == EFFECT_APPLIED)
        follow_effect(&incoming);
    else
        effect_complain(ctx, result);
    if (!incoming.obeyed) answer_client(ctx, result);
    if (incoming.key) RedisModule_CloseKey(incoming.key);
    if (result == EFFECT_APPLIED) tell_of_effect(&incoming, command);
    return REDISMODULE_OK;
}
