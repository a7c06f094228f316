/* HOLDFAST.ATOMIC: several commands as one. All take effect, or none.
 *
 *   words ─▶ calls ─▶ form ─▶ rights, memory ─▶ settle ─▶ decide each ─▶ carry out ─▶ tell, wake ─▶ answer
 *                                                on one state, at one moment
 *
 * The rules:
 *   - Each call is decided as if it were alone, on the state before the transaction. So no two calls may change the
 *     same object: see targets.h. What they use of a limit is added up: see limits.h.
 *   - The first refusal, in the order of the calls, refuses all. Nothing is applied until the last call is decided, and
 *     nothing can fail after that. So a change whose objects have been moved by earlier changes must look them up by
 *     name again: refresh in data_type.h.
 *   - Changes that read what others change come first, and those whose objects may be ended by others come last; see
 *     change.h. All others are applied in the order of their commands.
 *   - No notification of its changes is sent, and nobody is served what they make possible, before all of them are
 *     applied. But waiters that came before are served first, as for a single call, and stay served when the
 *     transaction is refused. */
#ifndef HOLDFAST_ATOMIC_H
#define HOLDFAST_ATOMIC_H

#include "server/call/call.h"

enum { ATOMIC_COMMANDS_MAX = 100 };

/* Slot of the number of commands. */
enum { SLOT_COMMANDS = SLOT_FAMILY };

/* Registers the commands that may be part of a transaction; once, at load. False, after a line in the log, when there
 * are too many commands, when one of them can never be a part and has `touches` nevertheless, or when a second data
 * type has changes that come first. */
bool atomic_start(RedisModuleCtx *ctx, const struct command *commands, size_t count);

/* For commands that change nothing. */
void touches_nothing(const struct call *call, struct targets *targets);

void atomic_tell_keys(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* For INFO. */
void atomic_info(RedisModuleInfoCtx *ctx);

#endif
