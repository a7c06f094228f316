#include "server/call/call.h"

#include "server/base/server_config.h"
#include "server/call/other_key.h"

struct call_writer {
    struct call_writer *next;
    struct record_writer writer;
};

struct bytes args_at(const void *argv, int at) {
    return api_bytes(((RedisModuleString *const *)argv)[at]);
}

struct bytes call_word(const struct call *call, int at) {
    return args_at(call->argv, at);
}

/* --- Key and value --- */

/* The data type of what the key holds, if it is one that the command takes. */
static const struct data_type *accepted_type(const struct command *command, RedisModuleKey *key) {
    const RedisModuleType *type = RedisModule_ModuleTypeGetType(key);
    if (command->data_type) return type == command->data_type->type ? command->data_type : NULL;
    const struct data_type *data_type = data_type_of(type);
    return data_type && data_type->leases ? data_type : NULL;
}

/* The value that is there, if it is one for the command. */
static enum outcome look_into_key(struct call *call, RedisModuleKey *key) {
    const struct command *command = call->command;
    call->data_type = key ? accepted_type(command, key) : NULL;
    if (call->data_type) {
        call->value = RedisModule_ModuleTypeGetValue(key);
        return OUTCOME_DONE;
    }
    bool missing = !key || RedisModule_KeyType(key) == REDISMODULE_KEYTYPE_EMPTY;
    if (!missing) return OUTCOME_WRONG_TYPE;
    if (command->key == KEY_CREATE || command->key == KEY_CLEAR) return OUTCOME_DONE;
    return command->data_type ? command->data_type->missing : data_type_next_leasable(NULL)->missing;
}

void call_open_key(struct call *call) {
    const struct command *command = call->command;
    if (command->key == KEY_EFFECT || command->key == KEY_NONE) return;
    int mode = command->key == KEY_READ ? REDISMODULE_READ : REDISMODULE_READ | REDISMODULE_WRITE;
    call->key = RedisModule_OpenKey(call->ctx, call->argv[1], mode);
    call->opened = look_into_key(call, call->key);
}

void call_share_key(struct call *call, const struct call *opener) {
    if (!opener->data_type || opener->data_type != call->command->data_type) {
        call->opened = look_into_key(call, opener->key);
        return;
    }
    call->data_type = opener->data_type;
    call->value = opener->value;
}

enum outcome call_check_value(const struct call *call) {
    bool missing = call->opened != OUTCOME_WRONG_TYPE && call->command->missing;
    return missing ? call->command->missing(call) : call->opened;
}

enum outcome call_check_other_key(const struct call *call) {
    return other_key_check(call->ctx, call->argv, call->argc, call->argv[call->command->other_key], KEY_READ);
}

const void *call_other_value(struct call *call, enum outcome *outcome) {
    RedisModuleString *name = call->argv[call->command->other_key];
    call->other = RedisModule_OpenKey(call->ctx, name, REDISMODULE_READ);
    bool ours = call->other && RedisModule_ModuleTypeGetType(call->other) == call->command->data_type->type;
    *outcome = ours ? OUTCOME_DONE : call->other ? OUTCOME_WRONG_TYPE : call->command->data_type->missing;
    return ours ? RedisModule_ModuleTypeGetValue(call->other) : NULL;
}

/* --- Beginning and end --- */

static void list_start(struct call_list *list) {
    list->list = packed_view(NULL);
    list->buffer.data = NULL; /* nothing packed yet; most calls never do */
}

static void list_end(struct call_list *list) {
    if (list->buffer.data) record_end(&list->buffer);
}

/* Every field, but for slots, conditions and texts, which are read only where they were set. One at a time, since to
 * clear a few hundred bytes takes longer. A field that is forgotten fails tests of the build with sanitizers, which
 * fills what nobody has set with a pattern. */
void call_start(struct call *call, const struct command *command, RedisModuleCtx *ctx,
                RedisModuleString **argv, int argc) {
    call->ctx = ctx;
    call->out = reply_to(ctx);
    call->grant = NULL;
    call->argv = argv;
    call->argc = argc;
    call->command = command;
    call->mode = CALL_FRESH;
    call->held = NULL;
    call->parsed = false;
    call->limits = NULL;
    call->bundle = NULL;
    call->args.given = 0;
    call->conditions.given = 0;
    call->key = NULL;
    call->other = NULL;
    call->opened = OUTCOME_DONE;
    call->search.word = NULL;
    call->value = NULL;
    call->data_type = NULL;
    call->now_us = 0;
    list_start(&call->metadata);
    list_start(&call->properties);
    list_start(&call->policies);
    call->form = NULL;
    call->note[0] = '\0';
    decision_clear(&call->decision);
    call->wait = (struct wait_request){0};
    call->writers = NULL;
    arena_start(&call->arena);
}

void call_end(struct call *call) {
    for (; call->writers; call->writers = call->writers->next) record_end(&call->writers->writer);
    arena_end(&call->arena);
    if (call->key) RedisModule_CloseKey(call->key);
    if (call->other) RedisModule_CloseKey(call->other);
    list_end(&call->metadata);
    list_end(&call->properties);
    list_end(&call->policies);
}

/* What internal calls run as: it has no words, and may change what it finds. */
static const struct command internal_command = {
    .name = "internal", .grammar = GRAMMAR(NULL), .key = KEY_UPDATE};

void call_start_internal(struct call *call, RedisModuleCtx *ctx, RedisModuleString *argv[2]) {
    call_start(call, &internal_command, ctx, argv, 2);
    call->mode = CALL_INTERNAL;
    call->key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ | REDISMODULE_WRITE);
    call->data_type = data_type_of(RedisModule_ModuleTypeGetType(call->key));
    if (call->data_type) call->value = RedisModule_ModuleTypeGetValue(call->key);
}

void call_visit_key(RedisModuleCtx *ctx, RedisModuleString *key, const struct data_type *type,
                    void (*visit)(struct call *call, void *context), void *context) {
    RedisModuleString *argv[] = {NULL, key};
    struct call call;
    call_start_internal(&call, ctx, argv);
    if (call.data_type == type) visit(&call, context);
    call_end(&call);
}

/* --- Memory --- */

void *call_alloc(struct call *call, size_t bytes) {
    return arena_alloc(&call->arena, bytes);
}

struct record_writer *call_writer(struct call *call) {
    struct call_writer *writer = call_alloc(call, sizeof(*writer));
    record_start(&writer->writer);
    writer->next = call->writers;
    call->writers = writer;
    return &writer->writer;
}

/* --- Queries --- */

struct key_name call_key_name(const struct call *call) {
    return (struct key_name){RedisModule_GetSelectedDb(call->ctx), call_word(call, 1)};
}

int64_t call_now_us(struct call *call) {
    call_read_clock(call);
    return call->now_us;
}

int64_t call_now_ms(struct call *call) {
    return call_now_us(call) / 1000;
}

/* To ask the server takes a few microseconds. What it refuses a single command for is still in use. */
bool call_is_out_of_memory(const struct call *call) {
    bool may_be = server_max_memory && (api_runs_several(call->ctx) || api_is_over_memory(call->ctx));
    return may_be && api_refuses_growth(call->ctx, call->argv[1]);
}

enum outcome call_check_memory(const struct call *call) {
    if (api_runs_several(call->ctx)) return OUTCOME_DONE;
    return call_is_out_of_memory(call) ? OUTCOME_OUT_OF_MEMORY : OUTCOME_DONE;
}

const struct guid *call_lease_id(const struct call *call) {
    return args_given(&call->args, SLOT_LEASE) ? &call->args.slots[SLOT_LEASE].id : NULL;
}
