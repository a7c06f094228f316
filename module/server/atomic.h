/* HOLDFAST.ATOMIC: several commands as one. All happen, or none.
 *
 *   words ─▶ calls ─▶ form ─▶ rights, memory ─▶ settle ─▶ decide each ─▶ carry out ─▶ tell, wake ─▶ answer
 *                                                on one state, at one moment
 *
 * The rules:
 *   - A call of a transaction is decided as if it stood alone, on the state before the transaction. So no two of them may
 *     change the same: see things.h. What they take of a limit together is counted: call_taken_before.
 *   - The first refusal, by its place, refuses all. Nothing has happened until the last one is decided, and nothing fails
 *     any more then. So a change that was decided on a state that others have moved since must find by name what it had
 *     found by address: aggregate.refresh.
 *   - Changes that read what others change come first, those that go with what others end come last; see change.h. All
 *     others happen in the order of their commands.
 *   - Nobody is told of a change, and nobody is served, before all have happened. */
#ifndef HOLDFAST_ATOMIC_H
#define HOLDFAST_ATOMIC_H

#include "server/command.h"

enum { ATOMIC_COMMANDS_MAX = 100 };

/* Where the parser leaves how many commands there are. */
enum { SLOT_COMMANDS = SLOT_FAMILY };

/* The commands that may be part of a transaction are among these; once, at load. */
void atomic_start(const struct command *commands, size_t count);

/* What a command touches that changes nothing. */
void touches_nothing(const struct call *call, struct things *things);

enum outcome atomic_handle(struct call *call);
void atomic_tell_keys(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* For INFO. */
void atomic_info(RedisModuleInfoCtx *ctx);

#endif
