/* Relocating: how the server lets a value's allocations move, in several turns if the value is large.
 *
 * The value itself moves in the first turn; its parts follow place by place, as its hash index has them, for as long as
 * the server gives. */
#ifndef HOLDFAST_RELOCATING_H
#define HOLDFAST_RELOCATING_H

#include "core/relocation.h"
#include "server/api.h"

struct relocating {
    struct relocation relocation;
    bool first;          /* this is the first turn for the value */
    bool paused;         /* the server wants its time back, and comes again: what the type's method answers */
    unsigned long place; /* the next one to be moved */
    unsigned long following;
};

struct relocating relocating_start(RedisModuleDefragCtx *ctx);

/* Steps to the next of so many places; false at their end, and when the turn is over. */
bool relocating_next(struct relocating *relocating, size_t places);

#endif
