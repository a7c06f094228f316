#include "server/command.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/metadata.h"
#include "core/policy.h"
#include "core/property.h"
#include "server/decision.h"
#include "server/noted.h"
#include "server/once.h"
#include "server/refusal.h"
#include "server/registration.h"
#include "server/settings.h"
#include "server/upkeep.h"

#include "ccan/build_assert/build_assert.h"

enum { CONDITION_BITS = IF_MATCH | IF_NONE_MATCH | IF_MODIFIED_SINCE | IF_UNMODIFIED_SINCE };

/* What is read for every command that has it: conditions, metadata, properties and policies. */
enum { SHARED_BITS = (1 << (SLOT_POLICIES + 1)) - 1 };

struct bytes argument_at(const void *argv, int at) {
    return api_bytes(((RedisModuleString *const *)argv)[at]);
}

struct bytes call_word(const struct call *call, int at) {
    return argument_at(call->argv, at);
}

static struct clock server_clock;

int64_t server_now_us(void) {
    int64_t elapsed_us = api_is_same_moment() ? server_clock.elapsed_us : api_elapsed_us();
    if (clock_wants_look(&server_clock, elapsed_us)) clock_look(&server_clock, elapsed_us, api_wall_us());
    server_clock.offset_us = clock_offset_ms * 1000;
    return clock_now(&server_clock, elapsed_us);
}

int64_t server_clock_behind_ms(void) {
    clock_look(&server_clock, api_elapsed_us(), api_wall_us());
    return server_clock.behind_us / 1000;
}

int64_t server_now_ms(void) {
    return server_now_us() / 1000;
}

static const struct argument *given(const struct call *call, int slot) {
    return args_given(&call->args, slot) ? &call->args.slots[slot] : NULL;
}

void call_read_conditions(const struct call *call, int first_slot, struct conditions *conditions) {
    BUILD_ASSERT(1 << SLOT_IFMATCH == IF_MATCH && 1 << SLOT_IFNONEMATCH == IF_NONE_MATCH);
    BUILD_ASSERT(1 << SLOT_IFMODIFIEDSINCE == IF_MODIFIED_SINCE &&
                 1 << SLOT_IFUNMODIFIEDSINCE == IF_UNMODIFIED_SINCE);
    const struct argument *slots = &call->args.slots[first_slot];
    conditions->given = (unsigned)(call->args.given >> first_slot) & CONDITION_BITS;
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

enum outcome call_check_form(struct call *call) {
    struct fault fault = args_parse(call->command->grammar, call->argv, call->argc, &call->args);
    if (fault.outcome != OUTCOME_DONE) {
        refusal_describe(call, &fault);
        return fault.outcome;
    }
    enum outcome outcome = OUTCOME_DONE;
    if (call->args.given & SHARED_BITS) {
        call_read_conditions(call, SLOT_IFMATCH, &call->conditions);
        outcome = read_metadata(call);
        if (outcome == OUTCOME_DONE) outcome = read_properties(call);
        if (outcome == OUTCOME_DONE) outcome = read_policies(call);
    }
    if (outcome == OUTCOME_DONE && call->command->check) outcome = call->command->check(call);
    if (outcome == OUTCOME_DONE) outcome = conditions_legal(&call->conditions, call->command->conditions);
    return outcome;
}

/* The data type of what the key holds, if it is one that the command takes. */
static const struct data_type *accepted(const struct command *command, RedisModuleKey *key) {
    const RedisModuleType *type = RedisModule_ModuleTypeGetType(key);
    if (command->data_type) return type == command->data_type->type ? command->data_type : NULL;
    const struct data_type *data_type = data_type_of(type);
    return data_type && data_type->leases ? data_type : NULL;
}

/* The value that is there, if it is one for the command. */
static enum outcome look_behind(struct call *call, RedisModuleKey *key) {
    const struct command *command = call->command;
    call->data_type = key ? accepted(command, key) : NULL;
    if (call->data_type) {
        call->value = RedisModule_ModuleTypeGetValue(key);
        return OUTCOME_DONE;
    }
    bool missing = !key || RedisModule_KeyType(key) == REDISMODULE_KEYTYPE_EMPTY;
    if (!missing) return OUTCOME_WRONG_TYPE;
    if (command->key == KEY_CREATE) return OUTCOME_DONE;
    return command->data_type ? command->data_type->missing : data_type_leasable()->missing;
}

enum outcome call_open_key(struct call *call) {
    const struct command *command = call->command;
    if (command->key == KEY_EFFECT || command->key == KEY_NONE) return OUTCOME_DONE;
    int mode = command->key == KEY_READ ? REDISMODULE_READ : REDISMODULE_READ | REDISMODULE_WRITE;
    call->key = RedisModule_OpenKey(call->ctx, call->argv[1], mode);
    return look_behind(call, call->key);
}

enum outcome call_share_key(struct call *call, const struct call *opened) {
    return look_behind(call, opened->key);
}

enum outcome call_check_memory(const struct call *call) {
    if (api_runs_several(call->ctx)) return OUTCOME_DONE;
    bool is_full = RedisModule_GetContextFlags(call->ctx) & REDISMODULE_CTX_FLAGS_OOM;
    return is_full ? OUTCOME_OUT_OF_MEMORY : OUTCOME_DONE;
}

const void *call_other_value(struct call *call, enum outcome *outcome) {
    RedisModuleString *name = call->argv[call->command->other_key];
    call->other = RedisModule_OpenKey(call->ctx, name, REDISMODULE_READ);
    bool ours = call->other && RedisModule_ModuleTypeGetType(call->other) == call->command->data_type->type;
    *outcome = ours ? OUTCOME_DONE : call->other ? OUTCOME_WRONG_TYPE : call->command->data_type->missing;
    return ours ? RedisModule_ModuleTypeGetValue(call->other) : NULL;
}

static void list_start(struct call_list *list) {
    list->list = packed_view(NULL);
    list->room.data = NULL; /* nothing packed yet; most calls never do */
}

static void list_end(struct call_list *list) {
    if (list->room.data) record_end(&list->room);
}

void call_end(struct call *call) {
    decision_end(call);
    if (call->key) RedisModule_CloseKey(call->key);
    if (call->other) RedisModule_CloseKey(call->other);
    list_end(&call->metadata);
    list_end(&call->properties);
    list_end(&call->policies);
}

/* Every field, but for slots and texts, which are read only where they were set. */
void call_start(struct call *call, const struct command *command, RedisModuleCtx *ctx,
                RedisModuleString **argv, int argc) {
    call->ctx = ctx;
    call->out = reply_to(ctx);
    call->grant = NULL;
    call->argv = argv;
    call->argc = argc;
    call->command = command;
    call->mode = CALL_FRESH;
    call->parsed = false;
    call->transaction = NULL;
    call->args.given = 0;
    call->conditions.given = 0;
    call->key = NULL;
    call->other = NULL;
    call->search = (struct catalog_search){bytes_of(NULL, 0), 0};
    call->value = NULL;
    call->data_type = NULL;
    call->now_ms = 0;
    call->due_ms = 0;
    list_start(&call->metadata);
    list_start(&call->properties);
    list_start(&call->policies);
    call->note[0] = '\0';
    decision_start(call);
}

/* Waiters go on waiting when their key is deleted or becomes something else. When their time is up, a reader gets null;
 * a follower of a feed gets the error, since its replies always have a bookmark. */
static enum outcome without_value(const struct call *call, enum outcome opened) {
    if (call->mode == CALL_PROBE) return OUTCOME_WAITING;
    bool has_nothing = call->command->key == KEY_READ && !args_given(&call->args, SLOT_SINCE_BOOKMARK);
    return call->mode == CALL_TIMED_OUT && has_nothing ? OUTCOME_UNCHANGED : opened;
}

static enum outcome run(struct call *call) {
    enum outcome opened = call_open_key(call);
    if (call->value && call->command->prefetch) call->command->prefetch(call);
    enum outcome outcome = call->parsed ? OUTCOME_DONE : call_check_form(call);
    if (outcome == OUTCOME_DONE && opened != OUTCOME_DONE) outcome = without_value(call, opened);
    if (outcome == OUTCOME_DONE)
        outcome = call->command->decide ? decision_run(call) : call->command->handle(call);
    call_end(call);
    return outcome;
}

/* Nothing is said yet to a client that waits: wait.c answers it later. */
static void run_and_answer(struct call *call) {
    struct reply out = reply_to(call->ctx);
    enum outcome outcome = run(call);
    if (outcome != OUTCOME_DONE && outcome != OUTCOME_WAITING) refusal_reply(&out, outcome, call->note);
}

bool command_has_other_key(const struct command *command, RedisModuleString **argv, int argc) {
    struct args args = {.given = 0};
    if (!command->other_key || !command->elsewhere) return command->other_key;
    if (argc >= args_min(command->grammar)) args_parse(command->grammar, argv, argc, &args);
    return !args_given(&args, command->elsewhere);
}

void command_tell_keys(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                       int at) {
    if (command->key == KEY_NONE || argc < 2) return;
    RedisModule_KeyAtPosWithFlags(ctx, at + 1, (int)registration_key_flags(command->key));
    if (command->other_key < argc && command_has_other_key(command, argv, argc))
        RedisModule_KeyAtPosWithFlags(ctx, at + command->other_key, (int)registration_key_flags(KEY_READ));
}

int command_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    bool tells = command->tell_keys || command->other_key;
    if (tells && RedisModule_IsKeysPositionRequest(ctx)) {
        if (command->tell_keys)
            command->tell_keys(ctx, argv, argc);
        else
            command_tell_keys(command, ctx, argv, argc, 0);
        return REDISMODULE_OK;
    }
    struct call call;
    call_start(&call, command, ctx, argv, argc);
    run_and_answer(&call);
    return REDISMODULE_OK;
}

/* --- Calls whose clients wait --- */

void held_call_start(struct held_call *held, const struct call *call) {
    held->command = call->command;
    held->argc = call->argc;
    held->argv = memory_alloc((size_t)call->argc * sizeof(*held->argv));
    for (int i = 0; i < call->argc; i++) held->argv[i] = RedisModule_HoldString(NULL, call->argv[i]);
    held->args = args_keep(&call->args);
    held->conditions = call->conditions;
}

void held_call_end(struct held_call *held) {
    for (int i = 0; i < held->argc; i++) RedisModule_FreeString(NULL, held->argv[i]);
    memory_free(held->argv);
    memory_free(held->args);
}

static void start_held(struct call *call, const struct held_call *held, RedisModuleCtx *ctx,
                       enum call_mode mode) {
    call_start(call, held->command, ctx, held->argv, held->argc);
    args_restore(held->args, &call->args);
    call->conditions = held->conditions;
    call->parsed = true;
    call->mode = mode;
}

void command_run_waiting(const struct held_call *held, RedisModuleCtx *ctx, enum call_mode mode) {
    struct call call;
    start_held(&call, held, ctx, mode);
    run_and_answer(&call);
}

void command_grant(const struct held_call *held, RedisModuleCtx *ctx, struct call_result *result) {
    struct call call;
    start_held(&call, held, ctx, CALL_GRANTED);
    record_start(&result->reply);
    record_start(&result->grant);
    call.grant = &result->grant;
    call.out = reply_keep(&result->reply);
    result->outcome = run(&call);
    memcpy(result->note, call.note, sizeof(result->note));
}

/* What is given back is found by the call's words. */
void command_give_back(const struct held_call *held, RedisModuleCtx *ctx, const struct call_result *result) {
    struct call call;
    struct record_reader granted = record_reader(bytes_of(result->grant.data, result->grant.length));
    start_held(&call, held, ctx, CALL_GIVE_BACK);
    if (call_open_key(&call) == OUTCOME_DONE && call.value && once_take_back(&call))
        held->command->give_back(&call, &granted);
    decision_carry_out(&call);
    call_end(&call);
}

void call_result_reply(RedisModuleCtx *ctx, const struct call_result *result) {
    struct reply out = reply_to(ctx);
    if (result->outcome == OUTCOME_DONE)
        reply_play(ctx, bytes_of(result->reply.data, result->reply.length));
    else
        refusal_reply(&out, result->outcome, result->note);
}

void call_result_end(struct call_result *result) {
    if (result->reply.data) record_end(&result->reply);
    if (result->grant.data) record_end(&result->grant);
}

enum outcome command_probe(const struct held_call *held, RedisModuleCtx *ctx, int64_t *due_ms) {
    struct call call;
    start_held(&call, held, ctx, CALL_PROBE);
    call.due_ms = *due_ms;
    enum outcome outcome = run(&call);
    *due_ms = call.due_ms;
    return outcome;
}

/* What upkeep runs as: it has no words, and may change what it finds. */
static const struct clause *const no_clauses[] = {NULL};
static const struct command upkeep_command = {.name = "upkeep", .grammar = no_clauses, .key = KEY_UPDATE};

/* What is remembered may want to be looked after sooner than the rest. */
static int64_t earlier_look(struct call *call, int64_t due_ms) {
    int64_t once_ms = once_next_look_ms(call->data_type, call->value);
    if (once_ms >= due_ms) return due_ms;
    return *upkeep_look_at(call->data_type, call->value) = once_ms;
}

static void start_without_command(struct call *call, RedisModuleCtx *ctx, RedisModuleString **argv) {
    call_start(call, &upkeep_command, ctx, argv, 2);
    call->mode = CALL_UPKEEP;
    call->key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ | REDISMODULE_WRITE);
    call->data_type = data_type_of(RedisModule_ModuleTypeGetType(call->key));
    if (call->data_type) call->value = RedisModule_ModuleTypeGetValue(call->key);
}

int64_t command_upkeep(RedisModuleCtx *ctx, RedisModuleString *key) {
    RedisModuleString *argv[] = {NULL, key};
    struct call call;
    int64_t due_ms = UPKEEP_NEVER;
    start_without_command(&call, ctx, argv);
    if (call.data_type && call.data_type->upkeep) {
        once_upkeep(&call);
        /* Upkeep never drops the value. */
        due_ms = earlier_look(&call, call.data_type->upkeep(&call));
        noted_look(call_key_name(&call), call.data_type, call.value);
    }
    call_end(&call);
    return due_ms;
}

void command_visit(RedisModuleCtx *ctx, RedisModuleString *key, const struct data_type *type,
                   void (*visit)(struct call *call, void *context), void *context) {
    RedisModuleString *argv[] = {NULL, key};
    struct call call;
    start_without_command(&call, ctx, argv);
    if (call.data_type == type) visit(&call, context);
    call_end(&call);
}

int64_t call_now_ms(struct call *call) {
    call_read_clock(call);
    return call->now_ms;
}

const struct guid *call_lease_id(const struct call *call) {
    return args_given(&call->args, SLOT_LEASE) ? &call->args.slots[SLOT_LEASE].id : NULL;
}

enum outcome call_check_conditions(struct call *call, const struct stamp *object, const char *noun) {
    enum outcome outcome = conditions_check(&call->conditions, call->command->conditions, object);
    if (outcome == OUTCOME_CONDITION_NOT_MET) refusal_describe_object(call, object, noun);
    return outcome;
}

void call_notify(const struct call *call, const char *event) {
    RedisModule_NotifyKeyspaceEvent(call->ctx, REDISMODULE_NOTIFY_MODULE, event, call->argv[1]);
}
