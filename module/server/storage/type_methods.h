/* A data type's descriptor, made from a prefix of names, since each family has the same functions under the same
 * names. The server calls the methods with a value but not with its type, so each type has its own.
 *
 *   TYPE_METHODS(prefix)   declares prefix_changed, _wake, _refresh, _upkeep, _info; defines the methods, which call
 *                          what change/value_functions.h declares: save_share and so on
 *   TYPE_LOADS(prefix)     defines load_share; not for a type that keeps progress while it loads
 *   TYPE_ROWS(prefix)      the rows of the descriptor for all of these; upkeep hears of keys that lose their value */
#ifndef HOLDFAST_TYPE_METHODS_H
#define HOLDFAST_TYPE_METHODS_H

#include "server/effects/followed.h"
#include "server/effects/upkeep.h"
#include "server/storage/loading.h"
#include "server/storage/relocating.h"
#include "server/storage/saving.h"

#define TYPE_METHODS(prefix)                                                                                 \
    _Static_assert(offsetof(struct prefix, head) == 0, "the server side takes a value for its head");        \
    void prefix##_changed(struct call *call, const void *change);                                            \
    void prefix##_wake(struct call *call, const void *change);                                               \
    bool prefix##_refresh(struct call *call, void *change);                                                  \
    int64_t prefix##_upkeep(struct call *call);                                                              \
    void prefix##_info(RedisModuleInfoCtx *ctx);                                                             \
    static void *make_##prefix(const void *change) {                                                         \
        return prefix##_new(change);                                                                         \
    }                                                                                                        \
    static bool apply_to_##prefix(void *value, const void *change) {                                         \
        return prefix##_apply(value, change);                                                                \
    }                                                                                                        \
    static void walk_##prefix(const void *value, const struct change_walk *walk) {                           \
        prefix##_walk(value, walk);                                                                          \
    }                                                                                                        \
    static void release_##prefix(void *value) {                                                              \
        prefix##_free(value);                                                                                \
    }                                                                                                        \
    static void save_##prefix(RedisModuleIO *io, void *value) {                                              \
        saving_file(io, value, &prefix##_type);                                                              \
    }                                                                                                        \
    static void rewrite_##prefix(RedisModuleIO *io, RedisModuleString *key, void *value) {                   \
        saving_effects(io, key, value, &prefix##_type);                                                      \
    }                                                                                                        \
    static void digest_##prefix(RedisModuleDigest *digest, void *value) {                                    \
        saving_digest(digest, value, &prefix##_type);                                                        \
    }                                                                                                        \
    static size_t memory_of_##prefix(RedisModuleKeyOptCtx *ctx, const void *value, size_t sample_size) {     \
        (void)ctx;                                                                                           \
        (void)sample_size;                                                                                   \
        return prefix##_memory(value);                                                                       \
    }                                                                                                        \
    static size_t effort_of_##prefix(RedisModuleKeyOptCtx *ctx, const void *value) {                         \
        (void)ctx;                                                                                           \
        return prefix##_allocations(value);                                                                  \
    }                                                                                                        \
    static void *copy_##prefix(RedisModuleKeyOptCtx *ctx, const void *value) {                               \
        struct prefix *copy = prefix##_copy(value);                                                          \
        (void)ctx;                                                                                           \
        followed_copies(&prefix##_type, value, copy);                                                        \
        return copy;                                                                                         \
    }                                                                                                        \
    static void unlink_##prefix(RedisModuleKeyOptCtx *ctx, const void *value) {                              \
        upkeep_on_unlink(ctx, &prefix##_type, value);                                                        \
    }                                                                                                        \
    static int defragment_##prefix(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value) {        \
        struct relocating relocating = relocating_start(ctx);                                                \
        (void)key;                                                                                           \
        if (relocating.first) *value = prefix##_relocate(*value, &relocating.relocation);                    \
        struct prefix *moved = *value;                                                                       \
        const size_t own = prefix##_places(moved);                                                           \
        while (relocating_next(&relocating, own + once_log_places(moved->head.once_log)))                    \
            if (relocating.place < own)                                                                      \
                prefix##_relocate_place(moved, relocating.place, &relocating.relocation);                    \
            else                                                                                             \
                once_log_relocate_place(moved->head.once_log, relocating.place - own,                        \
                                        &relocating.relocation);                                             \
        return relocating.paused;                                                                            \
    }

#define TYPE_LOADS(prefix)                                                                                   \
    static void *load_##prefix(RedisModuleIO *io, int encoding) {                                            \
        return loading_file(io, encoding, &prefix##_type, NULL);                                             \
    }

#define TYPE_ROWS(prefix)                                                                                    \
    .methods = {.version = REDISMODULE_TYPE_METHOD_VERSION,                                                  \
                .rdb_load = load_##prefix,                                                                   \
                .rdb_save = save_##prefix,                                                                   \
                .aof_rewrite = rewrite_##prefix,                                                             \
                .digest = digest_##prefix,                                                                   \
                .mem_usage2 = memory_of_##prefix,                                                            \
                .free_effort2 = effort_of_##prefix,                                                          \
                .free = release_##prefix,                                                                    \
                .copy2 = copy_##prefix,                                                                      \
                .defrag = defragment_##prefix,                                                               \
                .unlink2 = unlink_##prefix},                                                                 \
    .changes = &prefix##_changes, .make = make_##prefix, .apply = apply_to_##prefix, .walk = walk_##prefix,  \
    .after = prefix##_changed, .wake = prefix##_wake, .refresh = prefix##_refresh,                           \
    .upkeep = prefix##_upkeep, .info = prefix##_info

#endif
