/* Incoming effects: HOLDFAST.APPLY.
 *
 * The command calls the same apply as the primary did and replicates itself onward, since a replica's own
 * append-only file depends on that. It takes effects from the primary's link and from an append-only file that is
 * being loaded; from clients only where the operator allows it.
 *
 * An effect from the primary or a file is never refused: one that does not fit or cannot be read is counted
 * and logged, since an error reply there would stop the replica's stream and help nobody. */
#ifndef HOLDFAST_INCOMING_H
#define HOLDFAST_INCOMING_H

#include "server/call/call.h"

extern bool accept_effects; /* holdfast.accept-effects */

/* Of one record, or of all in a bundle. */
void incoming_tell_keys(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* Runs the command. */
int incoming_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
