#include "server/waiting/grace.h"

#include "server/base/alarm.h"
#include "server/base/events.h"
#include "server/call/refusal.h"
#include "server/waiting/aof_tail.h"
#include "server/waiting/wait.h"

#include <inttypes.h>

struct setting_duration grace_time = {.ms = 0};
struct grace grace;

const char *const grace_words[] = {"END", NULL};

static bool lacks_tail; /* the file being loaded may lack the newest writes */

static void on_grace_alarm(RedisModuleCtx *ctx);
static struct alarm alarm = {.ring = on_grace_alarm};

int64_t grace_remaining_ms(int64_t now_ms) {
    return grace.ends_ms > now_ms ? grace.ends_ms - now_ms : 0;
}

static void end_grace(void) {
    if (!grace.ends_ms) return;
    grace = (struct grace){0, 0};
    wait_look_at_all();
}

static void begin_grace(RedisModuleCtx *ctx) {
    if (!grace_time.ms) return;
    grace.began_ms = server_now_ms();
    grace.ends_ms = grace.began_ms + grace_time.ms;
    alarm_set(&alarm, grace.ends_ms);
    RedisModule_Log(ctx, "notice",
                    "holdfast: no new lease, lock or exclusive open for %" PRId64
                    " ms, since the newest writes may be lost",
                    grace_time.ms);
}

/* It may ring early: see alarm.h. */
static void on_grace_alarm(RedisModuleCtx *ctx) {
    (void)ctx;
    if (!grace.ends_ms) return;
    if (grace_remaining_ms(server_now_ms()))
        alarm_set(&alarm, grace.ends_ms);
    else
        end_grace();
}

void grace_changed(void) {
    if (!grace_time.ms) end_grace();
}

static bool is_primary(RedisModuleCtx *ctx) {
    return RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_MASTER;
}

static LISTENER(grace_on_role_change, role) {
    if (role == REDISMODULE_EVENT_REPLROLECHANGED_NOW_MASTER)
        begin_grace(ctx);
    else
        end_grace();
}

/* A server that loads nothing lacks nothing; what a replica loads is its primary's. */
static LISTENER(grace_on_loading, stage) {
    switch (stage) {
    case REDISMODULE_SUBEVENT_LOADING_RDB_START: lacks_tail = true; break;
    case REDISMODULE_SUBEVENT_LOADING_AOF_START: lacks_tail = !aof_tail_expect_whole(ctx); break;
    case REDISMODULE_SUBEVENT_LOADING_ENDED:
        if (!lacks_tail) lacks_tail = aof_tail_was_cut();
        if (lacks_tail && is_primary(ctx)) begin_grace(ctx);
        break;
    default: lacks_tail = false; break;
    }
}

int grace_start(RedisModuleCtx *ctx) {
    alarm_register(&alarm);
    if (events_subscribe(ctx, RedisModuleEvent_ReplicationRoleChanged, grace_on_role_change) !=
        REDISMODULE_OK)
        return REDISMODULE_ERR;
    return events_subscribe(ctx, RedisModuleEvent_Loading, grace_on_loading);
}

enum outcome grace_refuse(struct call *call) {
    int64_t ms = grace_remaining_ms(call_now_ms(call));
    return refusal_because_format(call, OUTCOME_SERVER_RECOVERING,
                                  "the newest writes may be lost, nothing new is granted for another %" PRId64
                                  ".%03d s",
                                  ms / 1000, (int)(ms % 1000));
}

enum outcome grace_decide(struct call *call) {
    end_grace();
    reply_ok(&call->out);
    return OUTCOME_DONE;
}
