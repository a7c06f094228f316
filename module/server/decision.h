/* Decisions: what a handler decides, and what the server side does with it.
 *
 * A handler reads the value, decides changes (call_decide) and writes its reply (to call->out). It changes
 * nothing, wakes nobody and waits for nobody. What happens next depends on why the call runs, which the
 * handler does not know:
 *
 *   a call just arrived          what time has ended is settled; decide; carry out; answer
 *   … and cannot be served       decide; the handler says what it would wait for; the client gets in line
 *   may a waiter be served?      decide; the changes and the answer are dropped
 *   a waiter's turn has come     settle; decide; carry out; the answer is kept for its client
 *   its time is up               decide; the changes are dropped; the refusal is answered
 *
 * With ONCE a repeated call is not decided in any of these: it gets the first reply (see once.h).
 *
 * So code after call_decide must not expect to find the change: it has not been applied yet. A handler that refuses
 * leaves no trace, whatever it decided before. */
#ifndef HOLDFAST_DECISION_H
#define HOLDFAST_DECISION_H

#include "server/command.h"

void decision_start(struct call *call);
void decision_end(struct call *call);

/* Runs the call's handler as its mode requires. OUTCOME_WAITING for a call that waits. */
enum outcome decision_run(struct call *call);

/* The steps of one call of a transaction. Earlier waiters are served first, as far as possible; a call behind some
 * that cannot be served is refused. The reply is kept. */
void decision_settle(struct call *call);
void decision_let_ahead(struct call *call);
enum outcome decision_make(struct call *call);

/* Applies what has been decided. */
void decision_carry_out(struct call *call);

#endif
