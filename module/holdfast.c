/* The entry point: what happens when a server loads the module. It walks over tables and decides nothing. */
#include "blob/redis/blob_commands.h"
#include "blob/redis/copier.h"
#include "commands.h"
#include "core/hash.h"
#include "file/redis/connections.h"
#include "file/redis/file_commands.h"
#include "help.h"
#include "lease/redis/leases.h"
#include "lease/redis/long_held.h"
#include "lease/redis/settings.h"
#include "queue/redis/queue_commands.h"
#include "release.h"
#include "server/base/alarm.h"
#include "server/base/events.h"
#include "server/base/propagation.h"
#include "server/base/server_config.h"
#include "server/call/error_template.h"
#include "server/call/raw_reply.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/followed.h"
#include "server/effects/upkeep.h"
#include "server/grammar/registration.h"
#include "server/operator/doctor_rules.h"
#include "server/operator/info_section.h"
#include "server/operator/server_settings.h"
#include "server/running/atomic.h"
#include "server/running/run.h"
#include "server/waiting/feed_commands.h"
#include "server/waiting/grace.h"
#include "server/waiting/wait.h"
#include "table/redis/table_commands.h"

#include "ccan/array_size/array_size.h"

#define MODULE_NAME "holdfast"

static struct data_type *const data_types[] = {&container_type, &queue_type, &table_type, &share_type, NULL};

/* All that clients can wait for. */
static struct wait_kind *const wait_kinds[] = {&lease_wait, &message_wait, &blob_news, &opening_wait,
                                               &lock_wait,  &feed_news,    NULL};

static const struct doctor_rule *const rule_tables[] = {doctor_rules, lease_rules, NULL};

/* Tables of settings: the server side's, then the families'. */
static const struct setting *setting_tables[ARRAY_SIZE(data_types) + 2];

static void list_settings(void) {
    size_t count = 0;
    setting_tables[count++] = server_settings;
    setting_tables[count++] = lease_settings;
    for (struct data_type *const *data_type = data_types; *data_type; data_type++)
        if ((*data_type)->settings) setting_tables[count++] = (*data_type)->settings;
}

static int register_settings(RedisModuleCtx *ctx) {
    for (const struct setting *const *table = setting_tables; *table; table++)
        if (settings_register(ctx, *table) != REDISMODULE_OK) return REDISMODULE_ERR;
    if (RedisModule_LoadConfigs(ctx) != REDISMODULE_OK) return REDISMODULE_ERR;
    return settings_check(ctx, setting_tables);
}

static int register_types(RedisModuleCtx *ctx) {
    for (struct data_type *const *data_type = data_types; *data_type; data_type++) {
        struct data_type *own = *data_type;
        own->type = RedisModule_CreateDataType(ctx, own->type_name, ENCODING_VERSION, &own->methods);
        if (!own->type) return REDISMODULE_ERR;
    }
    data_types_start(data_types);
    return REDISMODULE_OK;
}

static int register_commands(RedisModuleCtx *ctx) {
    size_t count;
    const struct command *commands = commands_table(&count);
    help_start(commands, count);
    if (!atomic_start(ctx, commands, count) || !held_call_fits_all(ctx, commands, count))
        return REDISMODULE_ERR;
    api_add_category(ctx, MODULE_NAME);
    return registration_add(ctx, commands, count);
}

static int register_info(RedisModuleCtx *ctx) {
    return info_section_register(ctx, RELEASE_TEXT, data_types, lease_info);
}

static void open_epoch(void) {
    uint64_t chance;
    RedisModule_GetRandomBytes((unsigned char *)&chance, sizeof(chance));
    version_renew_epoch(chance);
}

/* A server that becomes a writable primary opens a new epoch of versions: at start, after a load, by promotion. */
static LISTENER(on_role_change, role) {
    followed_server_changes_role();
    if (role == REDISMODULE_EVENT_REPLROLECHANGED_NOW_MASTER) open_epoch();
}

static LISTENER(on_loading, stage) {
    upkeep_sweep_soon();
    if (stage != REDISMODULE_SUBEVENT_LOADING_ENDED) return;
    open_epoch();
    wait_look_at_all();
}

/* A replica that kept serving while it loaded has replaced all of its data, or dropped what it loaded. */
static LISTENER(on_load_beside, stage) {
    upkeep_sweep_soon();
    if (stage == REDISMODULE_SUBEVENT_REPL_ASYNC_LOAD_ABORTED) followed_unlearn();
}

static int subscribe_all(RedisModuleCtx *ctx) {
    if (events_subscribe(ctx, RedisModuleEvent_ReplicationRoleChanged, on_role_change) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    if (events_subscribe(ctx, RedisModuleEvent_ReplAsyncLoad, on_load_beside) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    return events_subscribe(ctx, RedisModuleEvent_Loading, on_loading);
}

/* In this order, until one fails. */
static const struct {
    const char *name;
    int (*start)(RedisModuleCtx *ctx);
} parts[] = {
    {"settings", register_settings},
    {"data types", register_types},
    {"commands", register_commands},
    {"section of INFO", register_info},
    {"grace after a failover", grace_start},
    {"alarms", alarms_start},
    {"upkeep", upkeep_start},
    {"connections of sessions", connections_start},
    {"keys for DOCTOR", doctor_keys_start},
    {"copies from other servers", copiers_start},
    {"watch on replicas and files", propagation_watch},
    {"watch on the server's settings", server_config_watch},
    {"listeners to the server", subscribe_all},
    {"replies", raw_reply_start},
};

static int start_parts(RedisModuleCtx *ctx) {
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (parts[i].start(ctx) == REDISMODULE_OK) continue;
        RedisModule_Log(ctx, "warning", "%s is not loaded: its %s cannot be set up", MODULE_NAME,
                        parts[i].name);
        return REDISMODULE_ERR;
    }
    return REDISMODULE_OK;
}

static void seed_hash(void) {
    unsigned char seed[HASH_SEED_BYTES];
    RedisModule_GetRandomBytes(seed, sizeof(seed));
    hash_seed(seed);
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv,
                                                              int argc) {
    if (api_bind(ctx, MODULE_NAME, RELEASE_NUMBER) != REDISMODULE_OK) return REDISMODULE_ERR;
    RedisModule_SetModuleOptions(
        ctx, REDISMODULE_OPTIONS_HANDLE_IO_ERRORS | REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD |
                 REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED | api_server_options());
    seed_hash();
    open_epoch();
    list_settings();
    if (settings_from_arguments(ctx, setting_tables, argv, argc) != REDISMODULE_OK) return REDISMODULE_ERR;
    wait_start(wait_kinds, &waiting_calls);
    error_templates_start();
    if (start_parts(ctx) != REDISMODULE_OK) return REDISMODULE_ERR;
    doctor_start(ctx, rule_tables, doctor_key_rules);
    return REDISMODULE_OK;
}
