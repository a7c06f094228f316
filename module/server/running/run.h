/* Running a call: the fixed sequence of steps of every command.
 *
 *   open the key, prefetch ─▶ parse ─▶ settle ─▶ the handler decides and replies ─▶ carry out
 *
 * The first step that fails replies with its error and leaves no trace but what time had ended. A missing key or a
 * wrong type is reported only after syntax errors; the key is opened first so that its memory is being prefetched while
 * argv is parsed.
 *
 * What is done with the decision depends on why the call runs (enum call_mode): see the table in module/README.md.
 * With ONCE a repeated call is not decided, whatever it runs for: it gets the first reply (see once.h). */
#ifndef HOLDFAST_RUN_H
#define HOLDFAST_RUN_H

#include "server/call/call.h"

struct wait_runner;

/* Runs a command from argv to reply. */
int run_command(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* Runs calls whose clients wait: see wait.h. */
extern const struct wait_runner waiting_calls;

/* --- The steps of one call of a transaction --- */

/* Removes what time has ended. */
void run_settle(struct call *call);

/* Earlier waiters are served first, as far as possible. */
void run_let_ahead(struct call *call);

/* Counts a call that is carried out. */
void run_count(const struct call *call);

/* Decides. A call behind waiters that cannot be served is refused. The reply is packed. */
enum outcome run_part(struct call *call);

#endif
