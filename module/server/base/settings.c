#include "server/base/settings.h"

#include "core/duration.h"
#include "core/memory.h"
#include "core/number.h"

#include <stdio.h>

static const char *fault_of(const struct setting *setting) {
    return setting->fault ? setting->fault() : NULL;
}

static int refuse_value(RedisModuleString **error, const char *fault) {
    *error = RedisModule_CreateString(NULL, fault, strlen(fault));
    return REDISMODULE_ERR;
}

/* The server asks when it has set everything that one CONFIG SET names, and puts all of it back after an error. */
static int apply_setting(RedisModuleCtx *ctx, void *data, RedisModuleString **error) {
    const struct setting *setting = data;
    const char *fault = fault_of(setting);
    (void)ctx;
    if (fault) return refuse_value(error, fault);
    if (setting->changed) setting->changed();
    return REDISMODULE_OK;
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
    return REDISMODULE_OK;
}

/* As the operator wrote it; NULL if nobody has. */
static RedisModuleString **text_place(const struct setting *setting) {
    return setting->duration ? &setting->duration->text : &setting->text->text;
}

static bool read_duration(const struct setting *setting, struct bytes text) {
    int64_t ms;
    if (!duration_read(text, &ms) || ms < setting->min || ms > setting->max) return false;
    setting->duration->ms = ms;
    return true;
}

static bool is_sound_text(const struct setting_text *setting, struct bytes text) {
    return !setting->is_sound || setting->is_sound(text);
}

static bool text_set(const struct setting *setting, RedisModuleString *text) {
    bool sound = setting->duration ? read_duration(setting, api_bytes(text))
                                   : is_sound_text(setting->text, api_bytes(text));
    if (!sound) return false;
    RedisModuleString **place = text_place(setting);
    if (*place) RedisModule_FreeString(NULL, *place);
    *place = RedisModule_HoldString(NULL, text);
    return true;
}

static RedisModuleString *get_text(const char *name, void *setting) {
    (void)name;
    return *text_place(setting);
}

static int set_text(const char *name, RedisModuleString *text, void *data, RedisModuleString **error) {
    const struct setting *setting = data;
    char fault[128];
    (void)name;
    if (text_set(setting, text)) return REDISMODULE_OK;
    if (!setting->duration) return refuse_value(error, setting->text->fault);
    snprintf(fault, sizeof(fault), "it takes seconds from %.15g to %.15g, with at most three decimals",
             (double)setting->min / 1000, (double)setting->max / 1000);
    return refuse_value(error, fault);
}

/* The default is what an argument of the module has set, as it was written, or whole seconds. Servers take the flag of
 * secrets and forget it: their logs of slow and of large commands show them. */
static int register_text(RedisModuleCtx *ctx, const struct setting *setting) {
    bool secret = setting->text && setting->text->secret;
    unsigned flags = secret ? REDISMODULE_CONFIG_SENSITIVE : REDISMODULE_CONFIG_DEFAULT;
    char seconds[32] = "";
    if (setting->duration)
        snprintf(seconds, sizeof(seconds), "%lld", (long long)setting->duration->ms / 1000);
    RedisModuleString *text = *text_place(setting);
    return RedisModule_RegisterStringConfig(ctx, setting->name,
                                            text ? RedisModule_StringPtrLen(text, NULL) : seconds, flags,
                                            get_text, set_text, apply_setting, (void *)setting);
}

static int get_choice(const char *name, void *setting) {
    (void)name;
    return ((const struct setting *)setting)->choice->chosen;
}

static int set_choice(const char *name, int chosen, void *data, RedisModuleString **error) {
    const struct setting *setting = data;
    (void)name;
    (void)error;
    setting->choice->chosen = chosen;
    return REDISMODULE_OK;
}

/* A word's place in its list is its value. The server copies both. */
static int register_choice(RedisModuleCtx *ctx, const struct setting *setting) {
    const char **words = setting->choice->words;
    int count = 0;
    while (words[count]) count++;
    int *values = memory_alloc((size_t)count * sizeof(*values));
    for (int i = 0; i < count; i++) values[i] = i;
    int status = RedisModule_RegisterEnumConfig(ctx, setting->name, setting->choice->chosen,
                                                REDISMODULE_CONFIG_DEFAULT, words, values, count, get_choice,
                                                set_choice, apply_setting, (void *)setting);
    memory_free(values);
    return status;
}

static bool choice_set(struct setting_choice *choice, struct bytes word) {
    for (int i = 0; choice->words[i]; i++) {
        if (!bytes_same_word(bytes_text(choice->words[i]), word)) continue;
        choice->chosen = i;
        return true;
    }
    return false;
}

static int register_one(RedisModuleCtx *ctx, const struct setting *setting) {
    void *data = (void *)setting;
    if (setting->duration || setting->text) return register_text(ctx, setting);
    if (setting->choice) return register_choice(ctx, setting);
    unsigned flags = setting->bytes ? REDISMODULE_CONFIG_MEMORY : REDISMODULE_CONFIG_DEFAULT;
    if (setting->number)
        return RedisModule_RegisterNumericConfig(ctx, setting->name, *setting->number, flags, setting->min,
                                                 setting->max, get_number, set_number, apply_setting, data);
    return RedisModule_RegisterBoolConfig(ctx, setting->name, *setting->toggle, REDISMODULE_CONFIG_DEFAULT,
                                          get_toggle, set_toggle, apply_setting, data);
}

int settings_register(RedisModuleCtx *ctx, const struct setting *settings) {
    for (; settings && settings->name; settings++)
        if (register_one(ctx, settings) != REDISMODULE_OK) return REDISMODULE_ERR;
    return REDISMODULE_OK;
}

int settings_check(RedisModuleCtx *ctx, const struct setting *const *tables) {
    for (; *tables; tables++)
        for (const struct setting *setting = *tables; setting->name; setting++)
            if (fault_of(setting)) {
                RedisModule_Log(ctx, "warning", "holdfast: %s", fault_of(setting));
                return REDISMODULE_ERR;
            }
    return REDISMODULE_OK;
}

static const struct setting *find_setting(const struct setting *const *tables, struct bytes name) {
    for (; *tables; tables++)
        for (const struct setting *setting = *tables; setting->name; setting++)
            if (bytes_same_word(bytes_text(setting->name), name)) return setting;
    return NULL;
}

static bool set_from_text(const struct setting *setting, RedisModuleString *string) {
    struct bytes text = api_bytes(string);
    int64_t number;
    bool yes = bytes_same_word(text, bytes_text("yes")), no = bytes_same_word(text, bytes_text("no"));
    if (setting->duration || setting->text) return text_set(setting, string);
    if (setting->choice) return choice_set(setting->choice, text);
    if (setting->toggle) {
        if (yes || no) *setting->toggle = yes;
        return yes || no;
    }
    if (!(setting->bytes ? number_read_bytes : number_read)(text, &number) || number < setting->min ||
        number > setting->max)
        return false;
    *setting->number = number;
    return true;
}

int settings_from_arguments(RedisModuleCtx *ctx, const struct setting *const *tables,
                            RedisModuleString **argv, int argc) {
    for (int i = 0; i < argc; i += 2) {
        struct bytes name = api_bytes(argv[i]);
        const struct setting *setting = find_setting(tables, name);
        if (!setting || i + 1 == argc || !set_from_text(setting, argv[i + 1])) {
            RedisModule_Log(ctx, "warning", "holdfast: module argument '%.*s' %s", (int)name.length,
                            name.data, !setting ? "is unknown" : "has an invalid value");
            return REDISMODULE_ERR;
        }
    }
    return REDISMODULE_OK;
}
