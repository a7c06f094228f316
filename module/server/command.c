#include "server/command.h"

#include "core/clock.h"
#include "core/metadata.h"
#include "core/policy.h"
#include "core/property.h"
#include "server/refusal.h"
#include "server/settings.h"

#include "ccan/build_assert/build_assert.h"

#include <stdio.h>

enum { CONDITION_BITS = IF_MATCH | IF_NONE_MATCH | IF_MODIFIED_SINCE | IF_UNMODIFIED_SINCE };

struct bytes argument_at(const void *argv, int at) {
    size_t length;
    const char *data = RedisModule_StringPtrLen(((RedisModuleString *const *)argv)[at], &length);
    return bytes_of(data, length);
}

struct bytes call_word(const struct call *call, int at) {
    return argument_at(call->argv, at);
}

int64_t server_now_us(void) {
    static struct clock clock;
    clock.offset_us = clock_offset_ms * 1000;
    return clock_now(&clock, api_now_us());
}

int64_t server_now_ms(void) {
    return server_now_us() / 1000;
}

static const struct argument *given(const struct call *call, int slot) {
    return args_given(&call->args, slot) ? &call->args.slots[slot] : NULL;
}

static void read_conditions(struct call *call) {
    BUILD_ASSERT(1 << SLOT_IFMATCH == IF_MATCH && 1 << SLOT_IFNONEMATCH == IF_NONE_MATCH);
    BUILD_ASSERT(1 << SLOT_IFMODIFIEDSINCE == IF_MODIFIED_SINCE &&
                 1 << SLOT_IFUNMODIFIEDSINCE == IF_UNMODIFIED_SINCE);
    struct conditions *conditions = &call->conditions;
    const struct argument *slots = call->args.slots;
    conditions->given = call->args.given & CONDITION_BITS;
    if (conditions->given & IF_MATCH) conditions->match = tag_read(call_word(call, slots[SLOT_IFMATCH].at));
    if (conditions->given & IF_NONE_MATCH)
        conditions->none_match = tag_read(call_word(call, slots[SLOT_IFNONEMATCH].at));
    if (conditions->given & IF_MODIFIED_SINCE)
        conditions->modified_since_ms = slots[SLOT_IFMODIFIEDSINCE].number;
    if (conditions->given & IF_UNMODIFIED_SINCE)
        conditions->unmodified_since_ms = slots[SLOT_IFUNMODIFIEDSINCE].number;
}

/* Packs the name-value pairs of an option. */
static void pack_pairs(const struct call *call, const struct argument *pairs, struct call_list *packed) {
    record_start(&packed->room);
    for (int i = 0; i < 2 * pairs->count; i++)
        record_put_bytes(&packed->room, call_word(call, pairs->at + i));
    packed->list =
        (struct packed_list){(uint64_t)pairs->count, bytes_of(packed->room.data, packed->room.length)};
}

static enum outcome read_metadata(struct call *call) {
    const struct argument *pairs = given(call, SLOT_META);
    if (!pairs) return OUTCOME_DONE;
    pack_pairs(call, pairs, &call->metadata);
    return metadata_check(call->metadata.list);
}

static enum outcome read_properties(struct call *call) {
    const struct argument *pairs = given(call, SLOT_PROPS);
    if (!pairs) return OUTCOME_DONE;
    struct call_list asked;
    pack_pairs(call, pairs, &asked);
    record_start(&call->properties.room);
    enum outcome outcome = properties_pack(asked.list, &call->properties.room, &call->properties.list);
    record_end(&asked.room);
    return outcome;
}

static enum outcome read_policies(struct call *call) {
    const struct argument *items = given(call, SLOT_POLICIES);
    if (!items) return OUTCOME_DONE;
    struct call_list *packed = &call->policies;
    record_start(&packed->room);
    if (items->count > POLICIES_MAX) return OUTCOME_INVALID_POLICIES;
    for (int i = 0; i < items->count; i++) {
        int at = items->at + 4 * i;
        struct policy policy = {.id = call_word(call, at), .permissions = call_word(call, at + 3)};
        if (!policy_instant_read(call_word(call, at + 1), &policy.start_ms))
            return OUTCOME_INVALID_POLICY_VALUE;
        if (!policy_instant_read(call_word(call, at + 2), &policy.expiry_ms))
            return OUTCOME_INVALID_POLICY_VALUE;
        policy_pack(&packed->room, &policy);
    }
    packed->list =
        (struct packed_list){(uint64_t)items->count, bytes_of(packed->room.data, packed->room.length)};
    return policies_check(packed->list);
}

/* All that can be said of the call without looking at any state. */
static enum outcome check_form(struct call *call) {
    struct fault fault = args_parse(call->command->grammar, call->argv, call->argc, &call->args);
    if (fault.outcome != OUTCOME_DONE) {
        refusal_describe(call, &fault);
        return fault.outcome;
    }
    enum outcome outcome = OUTCOME_DONE;
    if (call->args.given) {
        read_conditions(call);
        outcome = read_metadata(call);
        if (outcome == OUTCOME_DONE) outcome = read_properties(call);
        if (outcome == OUTCOME_DONE) outcome = read_policies(call);
    }
    if (outcome == OUTCOME_DONE && call->command->check) outcome = call->command->check(call);
    if (outcome == OUTCOME_DONE) outcome = conditions_legal(&call->conditions, call->command->conditions);
    return outcome;
}

static enum outcome open_key(struct call *call) {
    const struct aggregate *aggregate = call->command->aggregate;
    if (!aggregate) return OUTCOME_DONE;
    int mode = call->command->key == KEY_READ ? REDISMODULE_READ : REDISMODULE_READ | REDISMODULE_WRITE;
    call->key = RedisModule_OpenKey(call->ctx, call->argv[1], mode);
    if (call->key && RedisModule_ModuleTypeGetType(call->key) == aggregate->type) {
        call->value = RedisModule_ModuleTypeGetValue(call->key);
        return OUTCOME_DONE;
    }
    bool missing = !call->key || RedisModule_KeyType(call->key) == REDISMODULE_KEYTYPE_EMPTY;
    if (!missing) return OUTCOME_WRONG_TYPE;
    return call->command->key == KEY_CREATE ? OUTCOME_DONE : aggregate->missing;
}

static void list_start(struct call_list *list) {
    list->list = packed_view(NULL);
    list->room.data = NULL; /* nothing packed yet; most calls never do */
}

static void list_end(struct call_list *list) {
    if (list->room.data) record_end(&list->room);
}

static void finish(struct call *call) {
    if (call->key) RedisModule_CloseKey(call->key);
    list_end(&call->metadata);
    list_end(&call->properties);
    list_end(&call->policies);
}

int command_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    struct call call;
    call.ctx = ctx;
    call.argv = argv;
    call.argc = argc;
    call.command = command;
    call.key = NULL;
    call.value = NULL;
    call.conditions.given = 0;
    list_start(&call.metadata);
    list_start(&call.properties);
    list_start(&call.policies);
    call.note[0] = '\0';
    enum outcome opened = open_key(&call);
    if (call.value && command->expect) command->expect(&call);
    enum outcome outcome = check_form(&call);
    if (outcome == OUTCOME_DONE) outcome = opened;
    if (outcome == OUTCOME_DONE) outcome = command->handle(&call);
    finish(&call);
    if (outcome != OUTCOME_DONE) refusal_reply(&call, outcome);
    return REDISMODULE_OK;
}

enum outcome call_conditions(struct call *call, const struct stamp *object, const char *noun) {
    enum outcome outcome = conditions_check(&call->conditions, call->command->conditions, object);
    if (outcome == OUTCOME_CONDITION_NOT_MET) refusal_describe_object(call, object, noun);
    return outcome;
}

void call_changed(const struct call *call, const char *event) {
    RedisModule_SignalModifiedKey(call->ctx, call->argv[1]);
    RedisModule_NotifyKeyspaceEvent(call->ctx, REDISMODULE_NOTIFY_MODULE, event, call->argv[1]);
}
