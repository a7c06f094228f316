/* Keys that only the command knows of. A server that asks commands for their keys has checked each of them before it
 * runs the command; where the server does not ask (see api_asks_for_keys), it has checked the first one alone. */
#ifndef HOLDFAST_OTHER_KEY_H
#define HOLDFAST_OTHER_KEY_H

#include "core/outcome.h"
#include "server/grammar/command.h"

/* Whether a key can be used beside the first one: both must be in one slot of a cluster, and that slot must be here. */
enum outcome other_key_place(RedisModuleCtx *ctx, RedisModuleString *first, RedisModuleString *key);

/* The same beside the first key of this command; and whether the context's client may use both of them with it:
 * OUTCOME_NOT_PERMITTED if not. */
enum outcome other_key_check(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, RedisModuleString *key,
                             enum key_use use);

#endif
