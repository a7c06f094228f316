/* The tail of an append-only file: whether a server that has loaded one has all that it ever answered. */
#ifndef HOLDFAST_TAIL_H
#define HOLDFAST_TAIL_H

#include "server/api.h"

/* Before an append-only file is loaded: whether every write was in it before it was answered, if nothing was cut off. */
bool tail_expect_whole(RedisModuleCtx *ctx);

/* When it has been loaded: the server has cut off an end that it could not read. */
bool tail_was_cut(void);

#endif
