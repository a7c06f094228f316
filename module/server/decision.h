/* Decisions: what a handler decides, and what the house does with it.
 *
 * A handler looks at the value, decides changes (call_decide) and says its answer (into call->out). It changes nothing,
 * wakes nobody and waits for nobody. What comes of it depends on why the call runs, which the handler does not know:
 *
 *   a call just arrived          what time has ended is settled; decide; carry out; answer
 *   … and cannot be served       decide; the handler says what it would wait for; the client gets in line
 *   may a waiter be served?      decide; the changes and the answer are dropped
 *   a waiter's turn has come     settle; decide; carry out; the answer is kept for its client
 *   its time is up               decide; the changes are dropped; the refusal is answered
 *
 * With ONCE a call that is known is not decided in any of these: it is answered again (see once.h).
 *
 * So the code behind call_decide must not look for what it decided: it has not happened yet. A handler that refuses
 * leaves no trace, whatever it decided before. */
#ifndef HOLDFAST_DECISION_H
#define HOLDFAST_DECISION_H

#include "server/command.h"

void decision_start(struct call *call);
void decision_end(struct call *call);

/* Runs the call's handler as its mode asks. OUTCOME_WAITING for a call that waits. */
enum outcome decision_run(struct call *call);

/* The steps of one call of several that are decided as one. Those who stand in line before it are served first, as far as
 * they can be; who comes behind some that cannot is refused. The reply is kept. */
void decision_settle(struct call *call);
void decision_let_ahead(struct call *call);
enum outcome decision_make(struct call *call);

/* What has been decided happens. */
void decision_carry_out(struct call *call);

#endif
