#include "server/base/server_config.h"

#include "core/number.h"
#include "server/base/events.h"

#include <stdio.h>

int64_t server_max_string_bytes = INT64_C(512) * 1024 * 1024;
int64_t server_max_memory = 0;
bool server_evicts = false;
int64_t server_min_replicas = 0;
bool server_stops_without_saves = false;

static struct bytes text_of(RedisModuleCallReply *reply) {
    size_t length = 0;
    const char *text = reply ? RedisModule_CallReplyStringPtr(reply, &length) : NULL;
    return bytes_of(text, length);
}

bool server_config_text(RedisModuleCtx *ctx, const char *name, char *text, size_t size) {
    RedisModuleCallReply *reply = RedisModule_Call(ctx, "CONFIG", "cc", "GET", name);
    if (!reply) return false;
    struct bytes value = text_of(RedisModule_CallReplyArrayElement(reply, 1));
    bool fits = value.data && value.length < size;
    if (fits) snprintf(text, size, "%.*s", (int)value.length, value.data);
    RedisModule_FreeCallReply(reply);
    return fits;
}

static void read_number(RedisModuleCtx *ctx, const char *name, int64_t *number) {
    char text[32];
    int64_t read;
    if (!server_config_text(ctx, name, text, sizeof(text))) return;
    if (number_read(bytes_text(text), &read)) *number = read;
}

/* A list of instants to save at may be too long to be read; it is then not empty. */
static bool is_text(RedisModuleCtx *ctx, const char *name, const char *text) {
    char read[8];
    return server_config_text(ctx, name, read, sizeof(read)) && !strcmp(read, text);
}

/* INFO tells of these, too, also where CONFIG has been renamed. */
static void read_memory(RedisModuleCtx *ctx) {
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(ctx, "memory");
    const char *policy = RedisModule_ServerInfoGetFieldC(info, "maxmemory_policy");
    server_max_memory = (int64_t)RedisModule_ServerInfoGetFieldUnsigned(info, "maxmemory", NULL);
    server_evicts = policy && strcmp(policy, "noeviction") != 0;
    RedisModule_FreeServerInfo(ctx, info);
}

static void read_kept(RedisModuleCtx *ctx) {
    read_memory(ctx);
    read_number(ctx, "proto-max-bulk-len", &server_max_string_bytes);
    read_number(ctx, "min-replicas-to-write", &server_min_replicas);
    server_stops_without_saves =
        is_text(ctx, "stop-writes-on-bgsave-error", "yes") && !is_text(ctx, "save", "");
}

static LISTENER(on_config, stage) {
    read_kept(ctx);
}

int server_config_watch(RedisModuleCtx *ctx) {
    read_kept(ctx);
    return events_subscribe(ctx, RedisModuleEvent_Config, on_config);
}
