#include "server/settings.h"

#include "core/number.h"

bool accept_effects = false;
long long clock_offset_ms = 0;

/* A hundred years either way. */
#define CLOCK_OFFSET_MOST_MS 3155760000000LL

const struct setting server_settings[] = {
    {.name = "clock-offset-ms",
     .number = &clock_offset_ms,
     .least = -CLOCK_OFFSET_MOST_MS,
     .most = CLOCK_OFFSET_MOST_MS},
    {.name = "accept-effects", .toggle = &accept_effects},
    {.name = NULL},
};

int64_t longest_reply_bytes = INT64_C(512) * 1024 * 1024;

static struct bytes reply_text(RedisModuleCallReply *reply) {
    size_t length = 0;
    const char *text = reply ? RedisModule_CallReplyStringPtr(reply, &length) : NULL;
    return bytes_of(text, length);
}

static void read_server(RedisModuleCtx *ctx) {
    RedisModuleCallReply *reply = RedisModule_Call(ctx, "CONFIG", "cc", "GET", "proto-max-bulk-len");
    if (!reply) return;
    int64_t number;
    if (number_read(reply_text(RedisModule_CallReplyArrayElement(reply, 1)), &number))
        longest_reply_bytes = number;
    RedisModule_FreeCallReply(reply);
}

static void on_config(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t stage, void *data) {
    (void)event;
    (void)stage;
    (void)data;
    read_server(ctx);
}

int settings_watch_server(RedisModuleCtx *ctx) {
    read_server(ctx);
    return RedisModule_SubscribeToServerEvent(ctx, RedisModuleEvent_Config, on_config);
}

static void tell(const struct setting *setting) {
    if (setting->changed) setting->changed();
}

static long long get_number(const char *name, void *setting) {
    (void)name;
    return *((const struct setting *)setting)->number;
}

static int set_number(const char *name, long long value, void *data, RedisModuleString **error) {
    const struct setting *setting = data;
    (void)name;
    (void)error;
    *setting->number = value;
    tell(setting);
    return REDISMODULE_OK;
}

static int get_toggle(const char *name, void *setting) {
    (void)name;
    return *((const struct setting *)setting)->toggle;
}

static int set_toggle(const char *name, int value, void *data, RedisModuleString **error) {
    const struct setting *setting = data;
    (void)name;
    (void)error;
    *setting->toggle = value != 0;
    tell(setting);
    return REDISMODULE_OK;
}

static int register_one(RedisModuleCtx *ctx, const struct setting *setting) {
    void *data = (void *)setting;
    if (setting->number)
        return RedisModule_RegisterNumericConfig(ctx, setting->name, *setting->number,
                                                 REDISMODULE_CONFIG_DEFAULT, setting->least, setting->most,
                                                 get_number, set_number, NULL, data);
    return RedisModule_RegisterBoolConfig(ctx, setting->name, *setting->toggle, REDISMODULE_CONFIG_DEFAULT,
                                          get_toggle, set_toggle, NULL, data);
}

int settings_register(RedisModuleCtx *ctx, const struct setting *settings) {
    for (; settings && settings->name; settings++)
        if (register_one(ctx, settings) != REDISMODULE_OK) return REDISMODULE_ERR;
    return REDISMODULE_OK;
}

static const struct setting *find(const struct setting *const *tables, struct bytes name) {
    for (; *tables; tables++)
        for (const struct setting *setting = *tables; setting->name; setting++)
            if (bytes_same_word(bytes_text(setting->name), name)) return setting;
    return NULL;
}

static bool set_from_text(const struct setting *setting, struct bytes text) {
    int64_t number;
    bool yes = bytes_same_word(text, bytes_text("yes")), no = bytes_same_word(text, bytes_text("no"));
    if (setting->toggle) {
        *setting->toggle = yes;
        return yes || no;
    }
    if (!number_read(text, &number) || number < setting->least || number > setting->most) return false;
    *setting->number = number;
    return true;
}

static struct bytes text_of(RedisModuleString *string) {
    size_t length;
    const char *data = RedisModule_StringPtrLen(string, &length);
    return bytes_of(data, length);
}

int settings_from_arguments(RedisModuleCtx *ctx, const struct setting *const *tables,
                            RedisModuleString **argv, int argc) {
    for (int i = 0; i < argc; i += 2) {
        struct bytes name = text_of(argv[i]);
        const struct setting *setting = find(tables, name);
        if (!setting || i + 1 == argc || !set_from_text(setting, text_of(argv[i + 1]))) {
            RedisModule_Log(ctx, "warning", "%s: module argument '%.*s' %s", "holdfast", (int)name.length,
                            name.data, !setting ? "is none that the module knows" : "has no sound value");
            return REDISMODULE_ERR;
        }
        tell(setting);
    }
    return REDISMODULE_OK;
}
