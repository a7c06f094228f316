#include "server/waiting/handover.h"

#include "server/base/api.h"
#include "server/waiting/line.h"

/* A reply that the server has asked for is sent by the end of the turn, or while a script holds the turn up: that takes
 * longer than this. */
enum { UNSENT_MAX_US = 100000 };

static LIST_HEAD(to_tell);
static LIST_HEAD(lost);
static unsigned long long given_back;

void handover_add(struct held_call *held) {
    held->served = held->listed = true;
    list_add_tail(&to_tell, &held->node);
}

static void handover_unlist(struct held_call *held) {
    if (held->listed) list_del(&held->node);
    held->listed = false;
}

/* The server asks at once or, as newer ones do, before it looks for other work. */
void handover_tell(void) {
    struct held_call *held;
    while ((held = list_top(&to_tell, struct held_call, node))) {
        handover_unlist(held);
        RedisModule_UnblockClient(held->client, NULL);
    }
}

static bool has_granted(const struct list_head *list, const struct call *call) {
    const struct held_call *held;
    list_for_each (list, held, node)
        if (held->result.grant.length && held_call_is_repeated(held, call)) return true;
    return false;
}

bool handover_is_pending(const struct call *call) {
    return has_granted(&to_tell, call) || has_granted(&lost, call);
}

/* Those who wait with the same call are looked at again. */
static void let_repeated_on(const struct held_call *held) {
    struct key_name key = {held->db, api_bytes(held->argv[1])};
    bool is_first = held->result.grant.length && held_call_token(held).length;
    if (is_first && key_lines_news(key)) lines_ring_soon();
}

void handover_told(struct held_call *held, RedisModuleCtx *ctx) {
    handover_unlist(held);
    let_repeated_on(held);
    held->told = !held->result.grant.length || held_call_keeps_user(held, ctx);
    held->told_us = api_elapsed_us();
}

/* The wait ends before the server sends the reply that it has asked for: CLIENT UNBLOCK may have made it ask in the
 * packet in which the client is killed, or loses its user. */
static bool was_told(const struct held_call *held, RedisModuleCtx *ctx) {
    if (!held->told) return false;
    bool may_be_sent = api_elapsed_us() - held->told_us > UNSENT_MAX_US;
    return may_be_sent || held_call_keeps_user(held, ctx);
}

bool handover_lost(struct held_call *held, RedisModuleCtx *ctx) {
    handover_unlist(held);
    if (!held->result.grant.length || was_told(held, ctx)) return false;
    list_add_tail(&lost, &held->node);
    return true;
}

bool handover_give_back(RedisModuleCtx *ctx, bool writable,
                        void (*give_back)(const struct held_call *held, RedisModuleCtx *ctx)) {
    bool primary = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_MASTER;
    struct held_call *held;
    if (primary && !writable) return list_empty(&lost);
    while ((held = list_top(&lost, struct held_call, node))) {
        list_del(&held->node);
        let_repeated_on(held);
        if (primary) {
            RedisModule_SelectDb(ctx, held->db);
            give_back(held, ctx);
            given_back++;
        }
        held_call_free(held);
    }
    return true;
}

unsigned long long handover_given_back(void) {
    return given_back;
}
