/* Settings: values that an operator may set in redis.conf, by CONFIG SET, or behind loadmodule. Tables of
 * them, one for the server side and one per family; the code reads the variable itself. None of them is asked
 * for when an effect is applied, since a replica may have other ones. */
#ifndef HOLDFAST_SETTINGS_H
#define HOLDFAST_SETTINGS_H

#include "server/api.h"

#include <stdbool.h>

/* A time in seconds with decimals, kept in milliseconds. */
struct setting_duration {
    int64_t ms;
    RedisModuleString *text; /* as the operator wrote it */
};

/* One of some words. */
struct setting_choice {
    const char **words; /* ended by NULL */
    int chosen;
};

/* Any text that is sound. */
struct setting_text {
    RedisModuleString *text; /* NULL for an empty one */
    bool secret;
    bool (*is_sound)(struct bytes text); /* NULL: any */
    const char *fault;                   /* what is wrong with one that is not */
};

static inline struct bytes setting_text(const struct setting_text *setting) {
    return setting->text ? api_bytes(setting->text) : bytes_of("", 0);
}

/* A number, a switch, a time, a choice or a text. */
struct setting {
    const char *name;
    long long *number;
    long long least, most;
    bool *toggle;
    struct setting_duration *duration;
    struct setting_choice *choice;
    struct setting_text *text;
    bool bytes;                 /* the number counts bytes and is taken with a unit: 100mb */
    void (*changed)(void);      /* may be NULL */
    const char *(*fault)(void); /* what is wrong with the value beside those of other settings; may be NULL */
};

/* Called when clock_offset_ms has changed; may be NULL. */
extern void (*clock_moved)(void);

extern bool accept_effects;
extern long long clock_offset_ms;

/* The server's own proto-max-bulk-len: no reply may have a longer string in it. */
extern int64_t longest_reply_bytes;

/* The server's maxmemory; 0 for none. */
extern int64_t server_max_memory;

/* See server/reply_room.h. */
extern long long max_reply_bytes;

/* One of the server's own settings as text. False when it has none of this name, or no room for it. */
bool server_config(RedisModuleCtx *ctx, const char *name, char *text, size_t size);

/* Reads what the server is set to, now and whenever that changes. */
int settings_watch_server(RedisModuleCtx *ctx);

extern const struct setting server_settings[];

/* The variable's value at this time is the default. */
int settings_register(RedisModuleCtx *ctx, const struct setting *settings);

/* Whether the values fit each other, after all of them were set. Logs those that do not. */
int settings_check(RedisModuleCtx *ctx, const struct setting *const *tables);

/* Name-value pairs behind loadmodule become the defaults, so that redis.conf and CONFIG REWRITE have the last word;
 * before settings_register. Logs what it cannot take. */
int settings_from_arguments(RedisModuleCtx *ctx, const struct setting *const *tables,
                            RedisModuleString **argv, int argc);

#endif
