/* The tail of an append-only file: whether a server that has loaded one has every write that it ever replied to. */
#ifndef HOLDFAST_AOF_TAIL_H
#define HOLDFAST_AOF_TAIL_H

#include "server/base/api.h"

/* Before an append-only file is loaded: whether every write was in it before its reply, if nothing was cut off. */
bool aof_tail_expect_whole(RedisModuleCtx *ctx);

/* After it was loaded: whether the server has truncated an unreadable end. */
bool aof_tail_was_cut(void);

#endif
