#include "server/waiting/handover.h"

#include "core/memory.h"

static LIST_HEAD(to_tell);
static LIST_HEAD(lost);
static unsigned long long given_back;

struct waiting_command *waiting_command_new(const struct call *call) {
    struct waiting_command *waiting = memory_zeroed(sizeof(*waiting));
    held_call_start(&waiting->call, call);
    waiting->db = RedisModule_GetSelectedDb(call->ctx);
    return waiting;
}

void waiting_command_free(struct waiting_command *waiting) {
    held_call_end(&waiting->call);
    call_result_end(&waiting->result);
    memory_free(waiting);
}

void handover_add(struct waiting_command *waiting) {
    waiting->served = waiting->listed = true;
    list_add_tail(&to_tell, &waiting->node);
}

static void handover_unlist(struct waiting_command *waiting) {
    if (waiting->listed) list_del(&waiting->node);
    waiting->listed = false;
}

/* The server asks at once or, as newer ones do, before it looks for other work. */
void handover_tell(void) {
    struct waiting_command *waiting;
    while ((waiting = list_top(&to_tell, struct waiting_command, node))) {
        handover_unlist(waiting);
        RedisModule_UnblockClient(waiting->client, NULL);
    }
}

void handover_told(struct waiting_command *waiting) {
    handover_unlist(waiting);
    waiting->told = true;
}

bool handover_lost(struct waiting_command *waiting) {
    handover_unlist(waiting);
    if (waiting->told || !waiting->result.grant.length) return false;
    list_add_tail(&lost, &waiting->node);
    return true;
}

bool handover_give_back(RedisModuleCtx *ctx, bool writable,
                        void (*give_back)(const struct held_call *held, RedisModuleCtx *ctx,
                                          const struct call_result *result)) {
    bool primary = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_MASTER;
    struct waiting_command *waiting;
    if (primary && !writable) return list_empty(&lost);
    while ((waiting = list_top(&lost, struct waiting_command, node))) {
        list_del(&waiting->node);
        if (primary) {
            RedisModule_SelectDb(ctx, waiting->db);
            give_back(&waiting->call, ctx, &waiting->result);
            given_back++;
        }
        waiting_command_free(waiting);
    }
    return true;
}

unsigned long long handover_given_back(void) {
    return given_back;
}
