/* Settings: values in redis.conf, CONFIG SET or the loadmodule arguments. One table for the server side and one
 * per data type; the code reads the variables directly. None of them is used when an effect is applied, since a
 * replica may have other values. */
#ifndef HOLDFAST_SETTINGS_H
#define HOLDFAST_SETTINGS_H

#include "server/base/api.h"

#include <stdbool.h>

/* A time in seconds with decimals, kept in milliseconds. */
struct setting_duration {
    int64_t ms;
    RedisModuleString *text; /* as the operator wrote it */
};

/* One of several words. */
struct setting_choice {
    const char **words; /* ended by NULL */
    int chosen;
};

/* Any text that is valid. */
struct setting_text {
    RedisModuleString *text; /* NULL for an empty one */
    bool secret;
    bool (*is_sound)(struct bytes text); /* NULL: any text is valid */
    const char *fault;                   /* what is wrong with an invalid one */
};

static inline struct bytes setting_text(const struct setting_text *setting) {
    return setting->text ? api_bytes(setting->text) : bytes_of("", 0);
}

/* A number, a switch, a time, a choice or a text. */
struct setting {
    const char *name;
    long long *number;
    long long min, max;
    bool *toggle;
    struct setting_duration *duration;
    struct setting_choice *choice;
    struct setting_text *text;
    bool bytes; /* the number counts bytes and accepts a unit: 100mb */
    /* Called after a CONFIG SET that names the setting has set all that it names, and never at load; may be NULL. */
    void (*changed)(void);
    /* What is wrong with the value in combination with other settings; may be NULL. */
    const char *(*fault)(void);
};

/* The variable's current value is the default. */
int settings_register(RedisModuleCtx *ctx, const struct setting *settings);

/* Checks the combination of all values after they were set. Logs those that are wrong. */
int settings_check(RedisModuleCtx *ctx, const struct setting *const *tables);

/* Name-value pairs of loadmodule become the defaults, so that redis.conf and CONFIG REWRITE take precedence. Call
 * before settings_register. Logs invalid ones. */
int settings_from_arguments(RedisModuleCtx *ctx, const struct setting *const *tables,
                            RedisModuleString **argv, int argc);

#endif
