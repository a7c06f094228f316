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

/* A borrowed view of a server string. */
static inline struct bytes api_bytes(const RedisModuleString *string) {
    size_t length;
    const char *data = RedisModule_StringPtrLen(string, &length);
    return bytes_of(data, length);
}

/* The wall clock, which can be set to anything at any time; and a clock that nobody sets, which also runs while
 * the machine sleeps. */
int64_t api_wall_us(void);
int64_t api_elapsed_us(void);

/* Whether the last caller asked in the same command, MULTI or script, during which time stands still. Always false
 * where the server cannot tell. */
bool api_is_same_moment(void);

/* Whether the context's client (a primary or a file) must be obeyed, since its commands were decided elsewhere. */
bool api_must_obey(RedisModuleCtx *ctx);

/* The user whose rights apply to the context's client, until api_user_end; NULL where there is none, as when
 * another module calls. */
RedisModuleUser *api_user(RedisModuleCtx *ctx);
void api_user_end(RedisModuleUser *user);

/* Whether the user may run this command in this database, keys included. */
bool api_may_run(RedisModuleUser *user, int db, RedisModuleString **argv, int argc);

/* Whether the context's client may use this key so, by the server's flags. One without a user has all rights. ACL LOG
 * shows it if not. */
bool api_may_use(RedisModuleCtx *ctx, RedisModuleString *key, int permissions);

/* A command that the server has allowed with its first key, and another key that it uses. */
struct api_use {
    RedisModuleCtx *ctx;
    RedisModuleString **argv;
    int argc;
    RedisModuleString *key;
    int permissions;
};

/* The same, as the server itself would have checked it: one selector of the user allows the command with both keys. */
bool api_may_use_with(const struct api_use *use);

/* Has ACL LOG show that the user may not run the command. */
void api_log_command(RedisModuleCtx *ctx, RedisModuleUser *user, const char *name);

/* Opens a key with as few side effects as the server allows: 7.0 counts a missing key as a miss. NULL when the
 * key does not exist. */
RedisModuleKey *api_peek_key(RedisModuleCtx *ctx, RedisModuleString *key);

/* Whether this server serves the keys together: in a cluster another node may own their slot, or it may be migrating
 * right now. A key may turn out to have expired. */
bool api_serves_keys(RedisModuleCtx *ctx, RedisModuleString **keys, size_t count);

/* Whether the server may ask commands for their keys, and then checks all of them itself. Elsewhere it knows only those
 * that stand at fixed places: see other_key.h. */
bool api_asks_for_keys(void);

enum key_standing {
    KEY_IS_SERVED,
    KEY_IS_ELSEWHERE, /* another primary of the cluster serves it, if only until its slot has come here */
    KEY_IS_CUT_OFF,   /* the cluster is down, and this node may have been cut off */
};

/* What the server says to a write of the key. A replica does not say, and counts as serving all. */
enum key_standing api_key_standing(RedisModuleCtx *ctx, RedisModuleString *key);

/* Whether another node serves the key to the client whose context this is. A replica, too, says so. */
bool api_is_elsewhere(RedisModuleCtx *ctx, RedisModuleString *key);

/* Inside MULTI or a script: the server runs several commands as one. */
bool api_runs_several(RedisModuleCtx *ctx);
/* Neither so, nor from a file that is loaded. */
bool api_runs_alone(RedisModuleCtx *ctx);

/* Another module calls, with arguments of its own. */
bool api_runs_for_module(RedisModuleCtx *ctx);

/* Whether the server lets the client wait. Where it does not, it answers nothing in its place. */
bool api_may_wait(RedisModuleCtx *ctx);

/* Whether more than maxmemory is in use right now. */
bool api_is_over_memory(RedisModuleCtx *ctx);

/* Whether the server refuses commands that may grow. It decides that before it runs a command, when it has evicted what
 * it could, and before the first of several that it runs as one. It is asked by a command that may grow, in a call that
 * may not write: the server refuses that for lack of memory, or else for being a write, and runs it in no case. */
bool api_refuses_growth(RedisModuleCtx *ctx, RedisModuleString *key);

/* Called at load: the command that asks. It has deny-oom, and takes a key and no more words. */
void api_ask_growth_by(const char *command);

/* Whether a file, or what a primary sends, is being loaded in place of the data. */
bool api_is_loading(RedisModuleCtx *ctx);

/* Whether this is a primary that may write now: not paused, not loading. For writes that no client asked for. */
bool api_may_write(RedisModuleCtx *ctx);

/* Module options that exist only on this server: a migrating slot delivers effects, as a file does. */
int api_server_options(void);

/* Returns the new address of the string; NULL when it stays. */
RedisModuleString *api_defrag_string(RedisModuleDefragCtx *ctx, RedisModuleString *string);

/* Registers an ACL category of our own. */
void api_add_category(RedisModuleCtx *ctx, const char *category);

/* Puts a command into ACL categories, the server's and ours, if the server supports them for modules. */
void api_set_categories(RedisModuleCommand *command, const char *categories);

#endif
