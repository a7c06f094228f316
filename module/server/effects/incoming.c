#include "server/effects/incoming.h"

#include "server/call/refusal.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/effect.h"
#include "server/effects/records.h"
#include "server/effects/upkeep.h"
#include "server/waiting/wait.h"

enum { WORDS_MAX = 4 };

bool accept_effects = false;

/* A record, and what is remembered along with it, or alone. */
struct received {
    struct bytes record;            /* of the data type; empty for none */
    const struct once_change *once; /* NULL for nothing */
};

/* The data type that the key has to hold; NULL if there is none. */
static const struct data_type *type_wanted(const struct call *call, const struct received *received) {
    if (!received->record.length) return data_type_of(RedisModule_ModuleTypeGetType(call->key));
    return data_type_of_letter((uint8_t)received->record.data[0]);
}

/* The value of the key, if there is one. False for a key of another type. */
static bool find_value(RedisModuleKey *key, const struct data_type *type, struct effect_target *target) {
    bool there = RedisModule_ModuleTypeGetType(key) == type->type;
    if (there) target->value = RedisModule_ModuleTypeGetValue(key);
    return there || RedisModule_KeyType(key) == REDISMODULE_KEYTYPE_EMPTY;
}

static struct effect_content content_beside(const struct call *call, bool obeyed) {
    struct effect_content content = {.given = call->argc == WORDS_MAX, .obeyed = obeyed, .ctx = call->ctx};
    if (!content.given) return content;
    content.argument = call->argv[3];
    content.bytes = call_word(call, 3);
    return content;
}

/* Applies it to the key's value, and lets the key follow. */
static enum effect_result apply_to_key(struct call *call, const struct received *received,
                                       struct effect_target *target, bool obeyed) {
    call->key = RedisModule_OpenKey(call->ctx, call->argv[1], REDISMODULE_READ | REDISMODULE_WRITE);
    const struct data_type *type = type_wanted(call, received);
    if (!type) return received->record.length ? EFFECT_MALFORMED : EFFECT_MISFIT;
    if (!find_value(call->key, type, target)) return EFFECT_MISFIT;
    void *before = target->value;
    struct effect_content content = content_beside(call, obeyed);
    enum effect_result result =
        records_apply(type, target, received->record, received->once, &content, effect_horizon_ms(obeyed));
    if (result != EFFECT_APPLIED) return result;
    if (target->drop) RedisModule_UnlinkKey(call->key);
    if (!before && target->value) RedisModule_ModuleTypeSetValue(call->key, type->type, target->value);
    if (target->notable) doctor_keys_add(call_key_name(call), type, target->value);
    return EFFECT_APPLIED;
}

/* The key only makes the effect travel where the key's value does. */
static enum effect_result observe_newest(struct call *call, bool obeyed) {
    version newest;
    if (call->argc != 3 || !effect_read_newest(call_word(call, 2), effect_horizon_ms(obeyed), &newest))
        return EFFECT_MALFORMED;
    version_observe(newest);
    return EFFECT_APPLIED;
}

static enum effect_result apply_effect(struct call *call, struct effect_target *target, bool obeyed) {
    struct received received = {.record = call_word(call, 2)};
    struct once_change once;
    if (call->argc > WORDS_MAX || !received.record.length) return EFFECT_MALFORMED;
    if (effect_is_newest(received.record)) return observe_newest(call, obeyed);
    if (once_change_is(received.record)) {
        if (!records_read_once(received.record, effect_horizon_ms(obeyed), &once)) return EFFECT_MALFORMED;
        received = (struct received){once.inside, &once};
    }
    return apply_to_key(call, &received, target, obeyed);
}

/* Wakes those who wait for the object of the change, or for anything in the value. */
static void look_for_waiters(const struct call *call, struct bytes name) {
    wait_look_for_all(call, name);
    if (name.length) wait_look_for_all(call, bytes_of("", 0));
}

/* As after a change that was decided here: see commit.c. */
static void tell_of_effect(const struct call *call, const struct effect_target *target) {
    RedisModule_ReplicateVerbatim(call->ctx);
    RedisModule_SignalModifiedKey(call->ctx, call->argv[1]);
    if (target->upkeep_ms) upkeep_schedule_key(call_key_name(call), target->upkeep_ms);
    for (int i = 0; i < EVENTS_MAX; i++)
        if (target->events[i]) call_notify(call, target->events[i]);
    if (wait_anybody() && !target->drop) look_for_waiters(call, target->name);
}

/* Nobody reads replies to the primary or to a file. */
static enum outcome take_effect(struct call *call, bool obeyed) {
    struct effect_target target = {.name = bytes_of("", 0)};
    enum effect_result result = apply_effect(call, &target, obeyed);
    if (result == EFFECT_APPLIED)
        tell_of_effect(call, &target);
    else
        effect_complain(call->ctx, result);
    if (obeyed) return OUTCOME_DONE;
    if (result == EFFECT_MALFORMED) return OUTCOME_MALFORMED_EFFECT;
    if (result == EFFECT_MISFIT) return OUTCOME_MISFIT_EFFECT;
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

static enum outcome take_if_allowed(struct call *call) {
    bool obeyed = api_must_obey(call->ctx);
    return obeyed || accept_effects ? take_effect(call, obeyed) : OUTCOME_NOT_FOR_CLIENTS;
}

/* There is nothing to parse: the server has seen to it that there are three words. */
int incoming_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    struct call call;
    call_start(&call, command, ctx, argv, argc);
    enum outcome outcome = take_if_allowed(&call);
    if (outcome != OUTCOME_DONE) refusal_reply(&call.out, outcome, call.note);
    call_end(&call);
    return REDISMODULE_OK;
}
