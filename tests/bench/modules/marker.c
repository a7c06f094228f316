/* A module for the counted server: it tells valgrind where counting begins and ends, and takes chance away.
 *
 * COUNT.START sets valgrind's counters to zero. COUNT.STOP makes valgrind write a file with what it has counted
 * since then. Both cost the same number of instructions every time, so the caller can subtract them. A replica gets
 * them, too, and counts between them what it spends on applying.
 *
 * The server's hash tables have a random seed, and how many keys share a bucket changes the count of a short command
 * by some per cent. So this library is preloaded as well, and hands /dev/zero to those who open /dev/urandom. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <redismodule.h>
#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

typedef FILE *open_function(const char *path, const char *mode);

static FILE *open_without_chance(const char *real_name, const char *path, const char *mode) {
    open_function *real = (open_function *)dlsym(RTLD_NEXT, real_name);
    return real(strcmp(path, "/dev/urandom") == 0 ? "/dev/zero" : path, mode);
}

/* The C library declares them with names of its own. NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode) {
    return open_without_chance("fopen", path, mode);
}

__attribute__((visibility("default"))) FILE *fopen64(const char *path, const char *mode) {
    return open_without_chance("fopen64", path, mode);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

static int count_start(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    (void)argv, (void)argc;
    RedisModule_ReplicateVerbatim(ctx);
    int status = RedisModule_ReplyWithSimpleString(ctx, "OK");
    CALLGRIND_ZERO_STATS;
    return status;
}

static int count_stop(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    (void)argv, (void)argc;
    RedisModule_ReplicateVerbatim(ctx);
    CALLGRIND_DUMP_STATS;
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx) {
    if (RedisModule_Init(ctx, "count", 1, REDISMODULE_APIVER_1) == REDISMODULE_ERR) return REDISMODULE_ERR;
    if (RedisModule_CreateCommand(ctx, "count.start", count_start, "", 0, 0, 0) == REDISMODULE_ERR)
        return REDISMODULE_ERR;
    return RedisModule_CreateCommand(ctx, "count.stop", count_stop, "", 0, 0, 0);
}
