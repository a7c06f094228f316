#include "server/storage/relocating.h"

static void *move_memory(void *context, void *memory) {
    return RedisModule_DefragAlloc(context, memory);
}

/* NULL only says that the string object stayed. Its bytes, an allocation of their own if there are many, may have moved
 * all the same. */
static void *move_owner(void *context, void *owner, struct bytes *bytes) {
    RedisModuleString *moved = api_defrag_string(context, owner);
    *bytes = api_bytes(moved ? moved : owner);
    return moved;
}

struct relocating relocating_start(RedisModuleDefragCtx *ctx) {
    struct relocating relocating = {.relocation = {move_memory, move_owner, ctx}};
    if (RedisModule_DefragCursorGet(ctx, &relocating.following) != REDISMODULE_OK) relocating.following = 0;
    relocating.first = relocating.following == 0;
    return relocating;
}

bool relocating_next(struct relocating *relocating, size_t places) {
    RedisModuleDefragCtx *ctx = relocating->relocation.context;
    if (relocating->following >= places) return false;
    relocating->paused = RedisModule_DefragShouldStop(ctx) &&
                         RedisModule_DefragCursorSet(ctx, relocating->following) == REDISMODULE_OK;
    if (relocating->paused) return false;
    relocating->place = relocating->following++;
    return true;
}
