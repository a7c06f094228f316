#include "server/waiting/held_call.h"

#include "core/memory.h"
#include "server/base/api.h"
#include "server/call/refusal.h"

#include <assert.h>

/* One bit per slot that a call by this grammar may fill. */
static uint64_t slots_of_grammar(const struct grammar *grammar) {
    uint64_t slots = 0;
    for (const struct clause *const *clause = grammar->clauses; *clause; clause++)
        slots |= ARGS_BIT((*clause)->slot);
    return slots;
}

bool held_call_fits_all(RedisModuleCtx *ctx, const struct command *commands, size_t count) {
    const uint64_t lists = ARGS_BIT(SLOT_META) | ARGS_BIT(SLOT_PROPS) | ARGS_BIT(SLOT_POLICIES);
    for (size_t i = 0; i < count; i++) {
        uint64_t slots = slots_of_grammar(commands[i].grammar);
        if (!(slots & ARGS_BIT(SLOT_BLOCK)) || !(slots & lists)) continue;
        RedisModule_Log(ctx, "warning", "%s may wait, so it cannot have a list", commands[i].name);
        return false;
    }
    return true;
}

/* Whether a call has a form depends on its command's check, which held_call_fits_all cannot see. */
struct held_call *held_call_new(const struct call *call) {
    struct held_call *held = memory_zeroed(sizeof(*held));
    assert(!call->form);
    held->command = call->command;
    held->argc = call->argc;
    held->argv = memory_alloc((size_t)call->argc * sizeof(*held->argv));
    for (int i = 0; i < call->argc; i++) held->argv[i] = RedisModule_HoldString(NULL, call->argv[i]);
    held->args = args_keep(&call->args);
    held->conditions = call->conditions;
    held->db = RedisModule_GetSelectedDb(call->ctx);
    held->client_id = RedisModule_GetClientId(call->ctx);
    held->user = RedisModule_GetClientUserNameById(call->ctx, held->client_id);
    return held;
}

void held_call_free(struct held_call *held) {
    for (int i = 0; i < held->argc; i++) RedisModule_FreeString(NULL, held->argv[i]);
    if (held->user) RedisModule_FreeString(NULL, held->user);
    memory_free(held->argv);
    memory_free(held->args);
    held_result_end(&held->result);
    memory_free(held);
}

void held_call_resume(const struct held_call *held, struct call *call, RedisModuleCtx *ctx,
                      enum call_mode mode) {
    call_start(call, held->command, ctx, held->argv, held->argc);
    args_restore(held->args, &call->args);
    call->conditions = held->conditions;
    call->held = held;
    call->parsed = true;
    call->mode = mode;
}

/* The context of the client itself knows its user: to find the client by its id takes twice as long. That would crash
 * some servers if the client had no user, but this one had. */
static RedisModuleString *name_of_user_now(const struct held_call *held, RedisModuleCtx *ctx) {
    if (RedisModule_GetClientId(ctx) == held->client_id) return RedisModule_GetCurrentUserName(ctx);
    return RedisModule_GetClientUserNameById(ctx, held->client_id);
}

bool held_call_keeps_user(const struct held_call *held, RedisModuleCtx *ctx) {
    if (!held->user) return true;
    RedisModuleString *user = name_of_user_now(held, ctx);
    bool same = user && bytes_equal(api_bytes(user), api_bytes(held->user));
    if (user) RedisModule_FreeString(NULL, user);
    return same;
}

bool held_call_is_permitted(const struct held_call *held, RedisModuleCtx *ctx) {
    if (!held->user) return true;
    if (!held_call_keeps_user(held, ctx)) return false;
    RedisModuleUser *user = RedisModule_GetModuleUserFromUserName(held->user);
    /* A module that makes users of its own decides what they may. */
    bool may = !user || api_may_run(user, held->db, held->argv, held->argc);
    api_user_end(user);
    return may;
}

struct bytes held_call_token(const struct held_call *held) {
    const struct argument *token = args_kept_slot(held->args, SLOT_ONCE);
    return token ? args_at(held->argv, token->at) : bytes_of("", 0);
}

bool held_call_is_repeated(const struct held_call *held, const struct call *call) {
    if (held->command != call->command || held->argc != call->argc) return false;
    for (int i = 1; i < held->argc; i++)
        if (!bytes_equal(args_at(held->argv, i), call_word(call, i))) return false;
    return held_call_token(held).length;
}

void held_result_reply(RedisModuleCtx *ctx, const struct held_result *result) {
    struct reply out = reply_to(ctx);
    if (result->outcome == OUTCOME_DONE)
        reply_play(ctx, record_written(&result->reply));
    else
        refusal_reply(&out, result->outcome, result->note);
    reply_end();
}

void held_result_end(struct held_result *result) {
    if (result->reply.data) record_end(&result->reply);
    if (result->grant.data) record_end(&result->grant);
}
