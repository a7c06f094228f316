#include "server/waiting/blocked.h"

#include "core/inlining.h"
#include "core/memory.h"
#include "server/waiting/handover.h"
#include "server/waiting/line.h"
#include "server/waiting/party.h"

static blocked_answer *answer_call;

/* --- What the server calls --- */

static struct waiter *waiter_of(RedisModuleCtx *ctx) {
    return RedisModule_GetBlockedClientPrivateData(ctx);
}

/* The key has become ready in the server's eyes. Who can be served is served by the alarm, like everybody else. */
static int on_ready(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    const struct waiter *waiter = waiter_of(ctx);
    (void)argv;
    (void)argc;
    if (waiter->line) line_look_anew_soon(waiter->line);
    return REDISMODULE_ERR;
}

/* Here every waiter gets its reply, not only those whose time is up: a module can unblock a client that waits for keys
 * in no other way than by a time-out, and so handover_tell() does with those that were served. What a waiter was
 * granted is a packed reply; one that reads, or whose time is up, runs once more. */
static int on_timeout(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    struct waiter *waiter = waiter_of(ctx);
    struct held_call *held = waiter->held;
    (void)argv;
    (void)argc;
    line_depart(waiter);
    handover_told(held, ctx);
    if (held->served && wait_serves_by_write(waiter->kind))
        held_result_reply(ctx, &held->result);
    else
        answer_call(held, ctx, held->served ? CALL_SERVED : CALL_TIMED_OUT);
    return REDISMODULE_OK;
}

/* The client is lost, or was told something else. */
static void lose_waiter(struct waiter *waiter, RedisModuleCtx *ctx) {
    line_depart(waiter);
    if (!waiter->held || !handover_lost(waiter->held, ctx)) return;
    waiter->held = NULL;
    lines_ring_soon();
}

/* The client is lost, or was unblocked by hand with an error: from this moment it must not be granted anything. */
static void on_disconnect(RedisModuleCtx *ctx, RedisModuleBlockedClient *client) {
    (void)client;
    lose_waiter(waiter_of(ctx), ctx);
}

/* The server calls this last, however the client stopped waiting, and perhaps later. */
static void on_gone(RedisModuleCtx *ctx, void *data) {
    struct waiter *waiter = data;
    lose_waiter(waiter, ctx);
    if (waiter->held) held_call_free(waiter->held);
    memory_free(waiter);
}

/* --- Getting in line --- */

bool blocked_is_allowed(const struct call *call) {
    if (!args_given(&call->args, SLOT_BLOCK) || call->mode != CALL_FRESH) return false;
    return call_word(call, 1).length <= KEY_NAME_MAX_BYTES && api_may_wait(call->ctx);
}

static struct waiter *waiter_new(const struct call *call, struct wait_kind *kind) {
    struct waiter *waiter = memory_zeroed(sizeof(*waiter));
    waiter->held = held_call_new(call);
    waiter->kind = kind;
    waiter->since_us = server_now_us();
    return waiter;
}

/* The server does not let the client wait, for a reason that api_may_wait does not know, and has not answered it. */
RARELY static void turn_away(const struct call *call, struct waiter *waiter) {
    on_gone(call->ctx, waiter);
    RedisModule_ReplyWithError(call->ctx, "ERR the server does not let this client wait: leave BLOCK out");
}

enum outcome blocked_join_line(struct call *call) {
    const struct wait_request *wait = &call->wait;
    struct waiter *waiter = waiter_new(call, wait->kind);
    struct line *line = line_need(call, wait->kind, wait->name);
    line_join(waiter, line, line_find_repeated(line, call), wait->due_ms);
    if (wait->claim) party_join(waiter, wait->claim);
    waiter->held->client =
        RedisModule_BlockClientOnKeys(call->ctx, on_ready, on_timeout, on_gone,
                                      call->args.slots[SLOT_BLOCK].number, &call->argv[1], 1, waiter);
    if (waiter->held->client)
        RedisModule_SetDisconnectCallback(waiter->held->client, on_disconnect);
    else
        turn_away(call, waiter);
    return OUTCOME_WAITING;
}

void blocked_start(blocked_answer *run) {
    answer_call = run;
}
