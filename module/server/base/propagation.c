#include "server/base/propagation.h"

#include "server/base/events.h"
#include "server/base/server_config.h"

#include "ccan/array_size/array_size.h"

enum audience { UNKNOWN, NOBODY, SOMEBODY };

static enum audience answer = UNKNOWN;
static enum { NOT_ASKED, LACKING, SUFFICIENT } receivers = NOT_ASKED;

static LISTENER(forget_propagation, stage) {
    answer = UNKNOWN;
    receivers = NOT_ASKED;
}

int propagation_watch(RedisModuleCtx *ctx) {
    const RedisModuleEvent events[] = {
        RedisModuleEvent_ForkChild,     RedisModuleEvent_ReplicationRoleChanged,
        RedisModuleEvent_ReplicaChange, RedisModuleEvent_Config,
        RedisModuleEvent_Loading,       RedisModuleEvent_CronLoop,
    };
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (events_subscribe(ctx, events[i], forget_propagation) != REDISMODULE_OK) return REDISMODULE_ERR;
    return REDISMODULE_OK;
}

/* A field that the server does not have counts as one that is set. */
static bool is_zero(RedisModuleServerInfoData *info, const char *field) {
    int missing = REDISMODULE_OK;
    unsigned long long value = RedisModule_ServerInfoGetFieldUnsigned(info, field, &missing);
    return missing == REDISMODULE_OK && value == 0;
}

static bool replicas_absent(RedisModuleCtx *ctx) {
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(ctx, "replication");
    bool absent = is_zero(info, "connected_slaves") && is_zero(info, "repl_backlog_active");
    RedisModule_FreeServerInfo(ctx, info);
    return absent;
}

bool propagation_wanted(RedisModuleCtx *ctx) {
    if (answer == UNKNOWN) {
        int flags = RedisModule_GetContextFlags(ctx);
        bool heard = flags & (REDISMODULE_CTX_FLAGS_AOF | REDISMODULE_CTX_FLAGS_CLUSTER);
        answer = heard || !replicas_absent(ctx) ? SOMEBODY : NOBODY;
    }
    return answer == SOMEBODY;
}

/* The server shows how many good ones there are only while both of its settings are in force. */
static bool has_enough_replicas(RedisModuleCtx *ctx) {
    int missing = REDISMODULE_OK;
    if (!server_min_replicas) return true;
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(ctx, "replication");
    unsigned long long good =
        RedisModule_ServerInfoGetFieldUnsigned(info, "min_slaves_good_slaves", &missing);
    RedisModule_FreeServerInfo(ctx, info);
    return missing != REDISMODULE_OK || good >= (unsigned long long)server_min_replicas;
}

static bool is_ok(RedisModuleServerInfoData *info, const char *field) {
    const char *status = RedisModule_ServerInfoGetFieldC(info, field);
    return !status || !strcmp(status, "ok");
}

static bool can_write_files(RedisModuleCtx *ctx) {
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(ctx, "persistence");
    bool appends = is_zero(info, "aof_enabled") || is_ok(info, "aof_last_write_status");
    bool saves = !server_stops_without_saves || is_ok(info, "rdb_last_bgsave_status");
    RedisModule_FreeServerInfo(ctx, info);
    return appends && saves;
}

bool propagation_suffices(RedisModuleCtx *ctx) {
    if (receivers == NOT_ASKED)
        receivers = has_enough_replicas(ctx) && can_write_files(ctx) ? SUFFICIENT : LACKING;
    return receivers == SUFFICIENT;
}
