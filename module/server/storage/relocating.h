/* Relocating: active defragmentation of a value's allocations, in several turns if the value is large.
 *
 * The value itself moves in the first turn; its parts follow place by place of its hash index, within the time
 * that the server allows. */
#ifndef HOLDFAST_RELOCATING_H
#define HOLDFAST_RELOCATING_H

#include "core/relocation.h"
#include "server/base/api.h"

struct relocating {
    struct relocation relocation;
    bool first;          /* first turn for this value */
    bool paused;         /* the server wants its time back and will return: the result of the type's method */
    unsigned long place; /* next one to move */
    unsigned long following;
};

struct relocating relocating_start(RedisModuleDefragCtx *ctx);

/* Advances to the next of this many places; false at the end, and when the turn is over. */
bool relocating_next(struct relocating *relocating, size_t places);

#endif
