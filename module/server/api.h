/* The server's API: every call that Holdfast makes, bound once, checked once.
 *
 * Calls that Redis 7.0.15 has are required: without one of them the module refuses to load and names it.
 * Calls that came later are optional and have a fallback here and nowhere else, so no caller ever asks
 * whether a call is there. Nothing is decided by the server's version number: it means different things on
 * different servers. */
#ifndef HOLDFAST_API_H
#define HOLDFAST_API_H

#include "core/bytes.h"

#include "redismodule.h"

#include <stdbool.h>
#include <stdint.h>

/* Binds everything and registers the module's name. Logs what is missing. */
int api_bind(RedisModuleCtx *ctx, const char *name, int version);

/* A borrowed view of a string of the server. */
static inline struct bytes api_bytes(const RedisModuleString *string) {
    size_t length;
    const char *data = RedisModule_StringPtrLen(string, &length);
    return bytes_of(data, length);
}

/* The wall clock, which may be set to anything at any time; and one that nobody sets, counted from somewhere, which goes
 * on while the machine sleeps. */
int64_t api_wall_us(void);
int64_t api_elapsed_us(void);

/* Whether the last one who asked did so in the same command, transaction or script, through which time does not pass;
 * always no where the server cannot say so. */
bool api_is_same_moment(void);

/* Whether what comes from the context's client has been decided elsewhere, and is to be carried out. */
int api_must_obey(RedisModuleCtx *ctx);

/* The user whose rights count for what the context's client does, until api_user_end; NULL where there is none, as when
 * another module calls. */
RedisModuleUser *api_user(RedisModuleCtx *ctx);
void api_user_end(RedisModuleUser *user);

/* Whether the user may run a command with these words, keys included. */
bool api_may_run(RedisModuleUser *user, RedisModuleString **argv, int argc);

/* Whether the context's client may read this key. */
bool api_may_read(RedisModuleCtx *ctx, RedisModuleString *key);

/* Opens a key to see what is there, as unnoticed as the server can: 7.0 counts a key that is missing as a miss. NULL when
 * nothing is there. */
RedisModuleKey *api_peek_key(RedisModuleCtx *ctx, RedisModuleString *key);

/* Whether the key is this server's to decide about: in a cluster others may serve its slot, or send it over at this
 * moment. The key may turn out to have expired. */
bool api_serves_key(RedisModuleCtx *ctx, RedisModuleString *key);

/* Whether this is a primary that may write at this moment: not paused, not loading. For what no client asked for. */
bool api_may_write(RedisModuleCtx *ctx);

/* Module options that only this server knows: a slot that migrates brings effects, as a file does. */
int api_server_options(void);

/* Answers where the string is now; NULL when it stays. */
RedisModuleString *api_defrag_string(RedisModuleDefragCtx *ctx, RedisModuleString *string);

/* Announces an ACL category of our own. */
void api_add_category(RedisModuleCtx *ctx, const char *category);

/* Puts a command into ACL categories, the server's and ours, as far as the server has any for modules. */
void api_set_categories(RedisModuleCommand *command, const char *categories);

#endif
