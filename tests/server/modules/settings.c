/* A module of nothing but settings, one of each kind, which are registered as Holdfast's own are: by
 * server/base/settings.c. SETTINGS.CHANGED tells what was said to have changed since it was asked last: for each time the
 * setting's name, and the values of all of them at that moment. Another name for this command may be given as argument of
 * the module. */
#include "server/base/settings.h"

#include <stdio.h>

enum { SAID_BYTES = 1000 };

static long long number = 1, bytes = 1;
static bool toggle;
static struct setting_duration duration = {.ms = 1000};
static const char *words[] = {"one", "two", NULL};
static struct setting_choice choice = {words, 0};
static struct setting_text text;

static char said[SAID_BYTES];

static void say(const char *name) {
    size_t length = strlen(said);
    struct bytes given = setting_text(&text);
    snprintf(said + length, sizeof(said) - length, "%s(%lld %lld %d %lld %s %.*s) ", name, number, bytes,
             toggle, (long long)duration.ms, words[choice.chosen], (int)given.length, given.data);
}

#define SAYS(name)                                                                                           \
    static void say_##name(void) {                                                                           \
        say(#name);                                                                                          \
    }
SAYS(number)
SAYS(bytes)
SAYS(toggle)
SAYS(duration)
SAYS(choice)
SAYS(text)

static const struct setting settings[] = {
    {.name = "number", .number = &number, .max = 100, .changed = say_number},
    {.name = "bytes", .number = &bytes, .bytes = true, .max = 100000, .changed = say_bytes},
    {.name = "toggle", .toggle = &toggle, .changed = say_toggle},
    {.name = "duration", .duration = &duration, .max = 100000, .changed = say_duration},
    {.name = "choice", .choice = &choice, .changed = say_choice},
    {.name = "text", .text = &text, .changed = say_text},
    {.name = NULL},
};

static int settings_changed(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    (void)argv;
    (void)argc;
    RedisModule_ReplyWithStringBuffer(ctx, said, strlen(said));
    said[0] = '\0';
    return REDISMODULE_OK;
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv,
                                                              int argc) {
    if (api_bind(ctx, "settings", 1) != REDISMODULE_OK) return REDISMODULE_ERR;
    const char *name = argc ? RedisModule_StringPtrLen(argv[0], NULL) : "settings.changed";
    if (RedisModule_CreateCommand(ctx, name, settings_changed, "", 0, 0, 0) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    if (settings_register(ctx, settings) != REDISMODULE_OK) return REDISMODULE_ERR;
    return RedisModule_LoadConfigs(ctx);
}
