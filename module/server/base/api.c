#include "server/base/api.h"

#include "ccan/array_size/array_size.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static int64_t (*cached_microseconds)(void);
static int (*set_command_categories)(RedisModuleCommand *command, const char *categories);
static int (*add_category)(RedisModuleCtx *ctx, const char *category);
static RedisModuleString *(*defrag_string)(RedisModuleDefragCtx *ctx, RedisModuleString *string);
static int (*open_key_modes)(void);
static int (*must_obey)(RedisModuleCtx *ctx);
static int (*cluster_node_for_client)(RedisModuleCtx *ctx, uint64_t client, const char *node, char *ip,
                                      char *primary, int *port, int *flags);
static int (*cluster_disable_trim)(RedisModuleCtx *ctx);
static int (*check_permissions)(RedisModuleUser *user, RedisModuleString **argv, int argc, int db,
                                int *reason);

/* What 7.0.15 has, by name. */
/* clang-format off */
#define REQUIRED_CALLS(X) \
    X(ACLAddLogEntry) X(ACLCheckCommandPermissions) X(ACLCheckKeyPermissions) X(Alloc) X(AvoidReplicaTraffic) \
    X(BlockClientOnKeys) X(Call) X(CallReplyArrayElement) X(CallReplyProto) X(CallReplyStringPtr) X(Calloc) \
    X(CloseKey) X(CreateCommand) X(CreateDataType) X(CreateModuleUser) X(CreateString) X(CreateTimer) X(DefragAlloc) \
    X(DefragCursorGet) X(DefragCursorSet) X(DefragShouldStop) X(DigestAddStringBuffer) X(DigestEndSequence) \
    X(EmitAOF) X(EventLoopAddOneShot) X(Free) X(FreeCallReply) X(FreeModuleUser) X(FreeServerInfo) X(FreeString) \
    X(GetBlockedClientPrivateData) X(GetClientId) X(GetClientInfoById) X(GetClientUserNameById) X(GetCommand) \
    X(GetContextFlags) X(GetContextFromIO) X(GetCurrentUserName) X(GetDbIdFromIO) X(GetDbIdFromOptCtx) \
    X(GetDetachedThreadSafeContext) X(GetKeyNameFromIO) X(GetKeyNameFromOptCtx) X(GetModuleUserACLString) \
    X(GetModuleUserFromUserName) X(GetRandomBytes) X(GetSelectedDb) X(GetServerInfo) X(GetUsedMemoryRatio) \
    X(HoldString) X(InfoAddFieldCString) X(InfoAddFieldLongLong) X(InfoAddFieldULongLong) X(InfoAddSection) \
    X(IsIOError) X(IsKeysPositionRequest) X(IsModuleNameBusy) X(KeyAtPosWithFlags) X(KeyType) X(LoadConfigs) \
    X(LoadString) X(LoadStringBuffer) X(Log) X(LogIOError) X(MallocSize) X(MallocSizeString) X(ModuleTypeGetType) \
    X(ModuleTypeGetValue) X(ModuleTypeSetValue) X(NotifyKeyspaceEvent) X(OpenKey) X(Realloc) X(RegisterBoolConfig) \
    X(RegisterEnumConfig) X(RegisterInfoFunc) X(RegisterNumericConfig) X(RegisterStringConfig) X(Replicate) \
    X(ReplicateVerbatim) X(ReplyWithArray) X(ReplyWithBool) X(ReplyWithCallReply) X(ReplyWithDouble) \
    X(ReplyWithError) X(ReplyWithLongLong) X(ReplyWithMap) X(ReplyWithNull) X(ReplyWithSimpleString) \
    X(ReplyWithStringBuffer) X(SaveStringBuffer) X(SelectDb) X(ServerInfoGetFieldC) X(ServerInfoGetFieldUnsigned) \
    X(SetCommandInfo) X(SetDisconnectCallback) X(SetModuleAttribs) X(SetModuleOptions) X(SetModuleUserACLString) \
    X(SignalModifiedKey) X(StopTimer) X(StringPtrLen) X(SubscribeToKeyspaceEvents) X(SubscribeToServerEvent) \
    X(TrimStringAllocation) X(UnblockClient) X(UnlinkKey)
/* clang-format on */

#define REQUIRED_ROW(name)        {"RedisModule_" #name, (void **)&RedisModule_##name, 1},
#define OPTIONAL_ROW(name, place) {"RedisModule_" name, (void **)&(place), 0},

static const struct {
    const char *name;
    void **place;
    int required;
} calls[] = {
    /* clang-format off */
    REQUIRED_CALLS(REQUIRED_ROW)
    OPTIONAL_ROW("DefragRedisModuleString", defrag_string)
    OPTIONAL_ROW("DefragModuleString", defrag_string)                /* the same under Valkey's name */
    OPTIONAL_ROW("CachedMicroseconds", cached_microseconds)          /* 7.2 */
    OPTIONAL_ROW("GetOpenKeyModesAll", open_key_modes)               /* 7.2 */
    OPTIONAL_ROW("SetCommandACLCategories", set_command_categories)  /* 7.2 */
    OPTIONAL_ROW("AddACLCategory", add_category)                     /* 7.4 */
    OPTIONAL_ROW("MustObeyClient", must_obey)                        /* Valkey 8.1 */
    OPTIONAL_ROW("GetClusterNodeInfoForClient", cluster_node_for_client) /* Valkey alone */
    OPTIONAL_ROW("ClusterDisableTrim", cluster_disable_trim)         /* Redis 8.4 */
    OPTIONAL_ROW("ACLCheckPermissions", check_permissions)           /* Valkey 9.1, whose users may lack databases */
    /* clang-format on */
};

static const char *own_category = "";
static bool subscribers_may_wait;

/* Obeys the primary's link and an append-only file that is being loaded. The last such client is recognised by its
 * id, which is never given to another one: asking for a context's flags is slow. */
static bool obey_link_and_file(RedisModuleCtx *ctx) {
    static unsigned long long obeyed;
    unsigned long long client = RedisModule_GetClientId(ctx);
    if (client && client == obeyed) return true;
    bool obeys = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_REPLICATED ||
                 RedisModule_IsAOFClient(client);
    if (obeys) obeyed = client;
    return obeys;
}

/* A call that only Valkey has tells it from Redis: one bit means a different module option in each of them. */
static bool is_valkey(void) {
    return cluster_node_for_client != NULL;
}

static bool is_in_cluster(RedisModuleCtx *ctx) {
    return RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_CLUSTER;
}

static bool asks_for_keys;

/* In clusters, Redis 8.2 and Valkey 8.0 ask in the threads that read from clients; Redis 8.4 does so everywhere. To ask
 * opens a context, which counts how deep the server is in calls: two threads that count at once leave it wrong, and
 * nothing reaches replicas and files from then on. No call tells which servers ask in their main thread alone, so in
 * clusters none of them does. */
static bool may_ask_for_keys(RedisModuleCtx *ctx) {
    return !is_in_cluster(ctx) && !cluster_disable_trim;
}

int api_bind(RedisModuleCtx *ctx, const char *name, int version) {
    /* The first word of a context is the function that finds all others. */
    int (*get_api)(const char *, void *) = NULL;
    *(void **)&get_api = *(void **)ctx;
    const char *missing = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
        if (get_api(calls[i].name, (void *)calls[i].place) != REDISMODULE_OK && calls[i].required)
            missing = calls[i].name;
    if (missing) {
        if (RedisModule_Log)
            RedisModule_Log(ctx, "warning", "%s needs a server with %s (Redis 7.0.15 or newer)", name,
                            missing);
        return REDISMODULE_ERR;
    }
    subscribers_may_wait = !must_obey; /* Valkey lets them wait no more since it has this call */
    if (RedisModule_IsModuleNameBusy(name)) {
        RedisModule_Log(ctx, "warning", "%s: a module of this name is loaded already", name);
        return REDISMODULE_ERR;
    }
    RedisModule_SetModuleAttribs(ctx, name, version, REDISMODULE_APIVER_1);
    asks_for_keys = may_ask_for_keys(ctx);
    return REDISMODULE_OK;
}

static int64_t read_clock_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t api_wall_us(void) {
    return read_clock_us(CLOCK_REALTIME);
}

int64_t api_elapsed_us(void) {
    return read_clock_us(CLOCK_BOOTTIME);
}

/* The server's cached time changes between commands and never within one. */
bool api_is_same_moment(void) {
    static int64_t last_us;
    int64_t before_us = last_us;
    if (cached_microseconds) last_us = cached_microseconds();
    return last_us && last_us == before_us;
}

/* A server that has unloaded the module still has its category. */
void api_add_category(RedisModuleCtx *ctx, const char *category) {
    errno = 0;
    if (!add_category) return;
    if (add_category(ctx, category) == REDISMODULE_OK || errno == EBUSY) own_category = category;
}

/* A server that finds one category that it does not know takes none of them; nor does it know one without a name, so
 * there must be no blank at the end. */
void api_set_categories(RedisModuleCommand *command, const char *categories) {
    char all[64];
    snprintf(all, sizeof(all), "%s%s%s", categories, *own_category ? " " : "", own_category);
    if (set_command_categories) set_command_categories(command, all);
}

bool api_must_obey(RedisModuleCtx *ctx) {
    return must_obey ? must_obey(ctx) : obey_link_and_file(ctx);
}

/* A script runs as its caller. If that has no user, asking for the user's name would crash the server. The command
 * is a write in a call that may not write: where there is a user, it is refused before the user's rights are looked
 * at, since what they do not allow would stand in ACL LOG. */
static bool script_has_user(RedisModuleCtx *ctx) {
    RedisModuleCallReply *reply = RedisModule_Call(ctx, "DEL", "CWc", "key");
    bool has_none = !reply && errno == ENOTSUP;
    if (reply) RedisModule_FreeCallReply(reply);
    return !has_none;
}

/* The user of the context's client. Asking the context is much faster than finding the client by its id, but crashes
 * some servers if the client has no user. A client that once had a user can safely be asked. */
static RedisModuleString *name_of_user(RedisModuleCtx *ctx) {
    static unsigned long long has_user;
    unsigned long long client = RedisModule_GetClientId(ctx);
    if (client && client == has_user) return RedisModule_GetCurrentUserName(ctx);
    RedisModuleString *name = RedisModule_GetClientUserNameById(ctx, client);
    if (name) has_user = client;
    return name;
}

RedisModuleUser *api_user(RedisModuleCtx *ctx) {
    RedisModuleString *name = name_of_user(ctx);
    bool in_script = !name && RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_LUA;
    if (in_script && script_has_user(ctx)) name = RedisModule_GetCurrentUserName(ctx);
    RedisModuleUser *user = name ? RedisModule_GetModuleUserFromUserName(name) : NULL;
    if (name) RedisModule_FreeString(NULL, name);
    return user;
}

void api_user_end(RedisModuleUser *user) {
    if (user) RedisModule_FreeModuleUser(user);
}

bool api_may_run(RedisModuleUser *user, int db, RedisModuleString **argv, int argc) {
    int verdict = check_permissions ? check_permissions(user, argv, argc, db, NULL)
                                    : RedisModule_ACLCheckCommandPermissions(user, argv, argc);
    return verdict == REDISMODULE_OK;
}

/* The object is copied: a word that a script or a module made of a number would crash the server. */
static void log_refusal(RedisModuleCtx *ctx, RedisModuleUser *user, struct bytes object,
                        RedisModuleACLLogEntryReason reason) {
    RedisModuleString *copy = RedisModule_CreateString(NULL, object.data, object.length);
    RedisModule_ACLAddLogEntry(ctx, user, copy, reason);
    RedisModule_FreeString(NULL, copy);
}

void api_log_command(RedisModuleCtx *ctx, RedisModuleUser *user, const char *name) {
    log_refusal(ctx, user, bytes_text(name), REDISMODULE_ACL_LOG_CMD);
}

bool api_may_use(RedisModuleCtx *ctx, RedisModuleString *key, int permissions) {
    RedisModuleUser *user = api_user(ctx);
    bool may = !user || RedisModule_ACLCheckKeyPermissions(user, key, permissions) == REDISMODULE_OK;
    if (!may) log_refusal(ctx, user, api_bytes(key), REDISMODULE_ACL_LOG_KEY);
    api_user_end(user);
    return may;
}

/* Whether a user who has these rules alone may do so. */
static bool rules_allow(struct bytes rules, const struct api_use *use) {
    RedisModuleUser *user = RedisModule_CreateModuleUser("one selector");
    RedisModuleString *text = RedisModule_CreateString(NULL, rules.data, rules.length);
    const char *words = RedisModule_StringPtrLen(text, NULL);
    bool allow = RedisModule_SetModuleUserACLString(NULL, user, words, NULL) == REDISMODULE_OK &&
                 api_may_run(user, RedisModule_GetSelectedDb(use->ctx), use->argv, use->argc) &&
                 RedisModule_ACLCheckKeyPermissions(user, use->key, use->permissions) == REDISMODULE_OK;
    RedisModule_FreeString(NULL, text);
    RedisModule_FreeModuleUser(user);
    return allow;
}

/* A user's selectors are shown in brackets behind the user's own rules, and no rule in them begins with one. */
static bool selector_allows(RedisModuleUser *user, const struct api_use *use) {
    static const char behind[] = " (";
    RedisModuleString *text = RedisModule_GetModuleUserACLString(user);
    const char *rules = RedisModule_StringPtrLen(text, NULL), *next = strstr(rules, behind);
    bool allows = !next || rules_allow(bytes_of(rules, (size_t)(next - rules)), use);
    while (!allows && next) {
        rules = next + strlen(behind);
        next = strstr(rules, behind);
        size_t length = next ? (size_t)(next - rules) : strlen(rules);
        allows = rules_allow(bytes_of(rules, length - strlen(")")), use);
    }
    RedisModule_FreeString(NULL, text);
    return allows;
}

bool api_may_use_with(const struct api_use *use) {
    if (!api_may_use(use->ctx, use->key, use->permissions)) return false;
    RedisModuleUser *user = api_user(use->ctx);
    bool may = !user || selector_allows(user, use);
    if (!may) log_refusal(use->ctx, user, api_bytes(use->key), REDISMODULE_ACL_LOG_KEY);
    api_user_end(user);
    return may;
}

bool api_runs_several(RedisModuleCtx *ctx) {
    return RedisModule_GetContextFlags(ctx) & (REDISMODULE_CTX_FLAGS_MULTI | REDISMODULE_CTX_FLAGS_LUA);
}

bool api_runs_alone(RedisModuleCtx *ctx) {
    const int others =
        REDISMODULE_CTX_FLAGS_MULTI | REDISMODULE_CTX_FLAGS_LUA | REDISMODULE_CTX_FLAGS_LOADING;
    return !(RedisModule_GetContextFlags(ctx) & others);
}

static bool has_subscriptions(RedisModuleCtx *ctx) {
    RedisModuleClientInfo info = REDISMODULE_CLIENTINFO_INITIALIZER_V1;
    if (RedisModule_GetClientInfoById(&info, RedisModule_GetClientId(ctx)) != REDISMODULE_OK) return false;
    return info.flags & REDISMODULE_CLIENTINFO_FLAG_PUBSUB;
}

bool api_may_wait(RedisModuleCtx *ctx) {
    if (RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_DENY_BLOCKING) return false;
    return !api_runs_several(ctx) && (subscribers_may_wait || !has_subscriptions(ctx));
}

/* The client that a module calls with may not wait. Neither may that of an append-only file. */
bool api_runs_for_module(RedisModuleCtx *ctx) {
    int flags = RedisModule_GetContextFlags(ctx);
    return flags & REDISMODULE_CTX_FLAGS_DENY_BLOCKING && !(flags & REDISMODULE_CTX_FLAGS_LOADING);
}

bool api_is_over_memory(RedisModuleCtx *ctx) {
    return RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_OOM;
}

static const char *growing_command;

void api_ask_growth_by(const char *command) {
    growing_command = command;
}

bool api_refuses_growth(RedisModuleCtx *ctx, RedisModuleString *key) {
    static const char out_of_memory[] = "OOM ";
    size_t length = 0;
    RedisModuleCallReply *refusal = RedisModule_Call(ctx, growing_command, "MWEs", key);
    const char *text = refusal ? RedisModule_CallReplyStringPtr(refusal, &length) : NULL;
    bool refuses = length >= strlen(out_of_memory) && !memcmp(text, out_of_memory, strlen(out_of_memory));
    if (refusal) RedisModule_FreeCallReply(refusal);
    return refuses;
}

bool api_is_loading(RedisModuleCtx *ctx) {
    return RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_LOADING;
}

bool api_may_write(RedisModuleCtx *ctx) {
    int flags = RedisModule_GetContextFlags(ctx);
    return flags & REDISMODULE_CTX_FLAGS_MASTER && !RedisModule_AvoidReplicaTraffic() &&
           !(flags & REDISMODULE_CTX_FLAGS_LOADING);
}

/* 0, or why the server refused to run a command. */
static int refusal_of(RedisModuleCallReply *reply) {
    if (!reply) return errno;
    RedisModule_FreeCallReply(reply);
    return 0;
}

/* The server refuses to run a command on a key of another node, and makes no difference between slots that are
 * elsewhere and those whose data are still coming in. */
bool api_serves_keys(RedisModuleCtx *ctx, RedisModuleString **keys, size_t count) {
    return !is_in_cluster(ctx) || !refusal_of(RedisModule_Call(ctx, "EXISTS", "v", keys, count));
}

/* Asked by a command that writes, since a cluster that is down may still let its keys be read; and by the only one that
 * asks for what came key by key before its slot does. It changes nothing: nothing restores no key. */
enum key_standing api_key_standing(RedisModuleCtx *ctx, RedisModuleString *key) {
    const int of_primary = REDISMODULE_CTX_FLAGS_CLUSTER | REDISMODULE_CTX_FLAGS_MASTER;
    if ((RedisModule_GetContextFlags(ctx) & of_primary) != of_primary) return KEY_IS_SERVED;
    int refusal = refusal_of(RedisModule_Call(ctx, "RESTORE-ASKING", "scc", key, "0", ""));
    if (refusal == EPERM) return KEY_IS_ELSEWHERE;
    return refusal == ENETDOWN || refusal == EROFS ? KEY_IS_CUT_OFF : KEY_IS_SERVED;
}

bool api_is_elsewhere(RedisModuleCtx *ctx, RedisModuleString *key) {
    bool primary = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_MASTER;
    return primary ? api_key_standing(ctx, key) == KEY_IS_ELSEWHERE : !api_serves_keys(ctx, &key, 1);
}

bool api_asks_for_keys(void) {
    return asks_for_keys;
}

/* No notification, no statistics, nothing expires: modes of 7.2 and newer. */
enum { OPEN_KEY_UNNOTICED = REDISMODULE_OPEN_KEY_NOTOUCH | 1 << 17 | 1 << 18 | 1 << 19 };

RedisModuleKey *api_peek_key(RedisModuleCtx *ctx, RedisModuleString *key) {
    int modes = open_key_modes ? OPEN_KEY_UNNOTICED & open_key_modes() : REDISMODULE_OPEN_KEY_NOTOUCH;
    return RedisModule_OpenKey(ctx, key, REDISMODULE_READ | modes);
}

enum { VALKEY_OPTION_ATOMIC_SLOT_MIGRATION = 1 << 5 };

int api_server_options(void) {
    return is_valkey() ? VALKEY_OPTION_ATOMIC_SLOT_MIGRATION : 0;
}

RedisModuleString *api_defrag_string(RedisModuleDefragCtx *ctx, RedisModuleString *string) {
    return defrag_string ? defrag_string(ctx, string) : NULL;
}
