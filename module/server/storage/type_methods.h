/* The type methods of a data type. The server calls them with a value but not with its type, so each type has its
 * own, which differ only in what they call. These macros make them from a prefix of function names:
 *
 *   TYPE_VALUES(prefix)           make_value, apply_change, walk_value, release
 *                                                               from prefix_new, prefix_apply, prefix_walk, prefix_free
 *   TYPE_FILES(prefix)            save, rewrite                 from prefix_type; see saving.h
 *   TYPE_LOADS(prefix)            load, digest_value            the same, for one that keeps no progress when it loads
 *   TYPE_MEMORY(prefix)           memory_use, effort, copy      from prefix_memory, prefix_allocations, prefix_copy
 *   TYPE_MOVES(prefix, members)   defrag                        from prefix_relocate, prefix_places,
 *                                                               prefix_relocate_members; and what is remembered
 *   TYPE_METHODS                  the table of all of them, with `release`, which frees a value; and upkeep hears of
 *                                 keys that lose their value */
#ifndef HOLDFAST_TYPE_METHODS_H
#define HOLDFAST_TYPE_METHODS_H

#include "server/effects/upkeep.h"
#include "server/storage/loading.h"
#include "server/storage/relocating.h"
#include "server/storage/saving.h"

#define TYPE_VALUES(prefix)                                                                                  \
    static void *make_value(const void *change) {                                                            \
        return prefix##_new(change);                                                                         \
    }                                                                                                        \
    static bool apply_change(void *value, const void *change) {                                              \
        return prefix##_apply(value, change);                                                                \
    }                                                                                                        \
    static void walk_value(const void *value, const struct change_walk *walk) {                              \
        prefix##_walk(value, walk);                                                                          \
    }                                                                                                        \
    static void release(void *value) {                                                                       \
        prefix##_free(value);                                                                                \
    }

#define TYPE_FILES(prefix)                                                                                   \
    static void save(RedisModuleIO *io, void *value) {                                                       \
        saving_file(io, value, &prefix##_type);                                                              \
    }                                                                                                        \
    static void rewrite(RedisModuleIO *io, RedisModuleString *key, void *value) {                            \
        saving_effects(io, key, value, &prefix##_type);                                                      \
    }

#define TYPE_LOADS(prefix)                                                                                   \
    static void *load(RedisModuleIO *io, int encoding) {                                                     \
        return loading_file(io, encoding, &prefix##_type, NULL);                                             \
    }                                                                                                        \
    static void digest_value(RedisModuleDigest *digest, void *value) {                                       \
        saving_digest(digest, value, &prefix##_type);                                                        \
    }

#define TYPE_MEMORY(prefix)                                                                                  \
    static size_t memory_use(RedisModuleKeyOptCtx *ctx, const void *value, size_t sample_size) {             \
        (void)ctx;                                                                                           \
        (void)sample_size;                                                                                   \
        return prefix##_memory(value);                                                                       \
    }                                                                                                        \
    static size_t effort(RedisModuleKeyOptCtx *ctx, const void *value) {                                     \
        (void)ctx;                                                                                           \
        return prefix##_allocations(value);                                                                  \
    }                                                                                                        \
    static void *copy(RedisModuleKeyOptCtx *ctx, const void *value) {                                        \
        (void)ctx;                                                                                           \
        return prefix##_copy(value);                                                                         \
    }

/* Large values take several turns. */
#define TYPE_MOVES(prefix, members)                                                                          \
    static int defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value) {                     \
        struct relocating relocating = relocating_start(ctx);                                                \
        (void)key;                                                                                           \
        if (relocating.first) *value = prefix##_relocate(*value, &relocating.relocation);                    \
        struct prefix *moved = *value;                                                                       \
        const size_t own = prefix##_places(moved);                                                           \
        while (relocating_next(&relocating, own + remembered_places(moved->remembered)))                     \
            if (relocating.place < own)                                                                      \
                prefix##_relocate_##members(moved, relocating.place, &relocating.relocation);                \
            else                                                                                             \
                remembered_relocate_place(moved->remembered, relocating.place - own,                         \
                                          &relocating.relocation);                                           \
        return relocating.paused;                                                                            \
    }

#define TYPE_METHODS                                                                                         \
    {                                                                                                        \
        .version = REDISMODULE_TYPE_METHOD_VERSION, .rdb_load = load, .rdb_save = save,                      \
        .aof_rewrite = rewrite, .digest = digest_value, .mem_usage2 = memory_use, .free_effort2 = effort,    \
        .free = release, .copy2 = copy, .defrag = defrag, .unlink2 = upkeep_on_unlink,                       \
    }

#endif
