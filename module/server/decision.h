/* Decisions: what a handler decides, and what the server side does with it.
 *
 * A handler reads the value, decides changes (call_decide) and writes its reply (to call->out). It changes
 * nothing, wakes nobody and waits for nobody. What happens next depends on why the call runs, which makes no
 * difference to what it decides. Three things show it: call->grant, where a handler writes what give_back will need;
 * reply_is_told(), false for a probe, so that nothing is collected for nobody; and call->transaction.
 *
 *   a call just arrived          settle what time has ended; decide and answer; carry out
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

/* --- For handlers --- */

/* Adds a change of this kind for the handler to fill in. It is applied after the handler has returned, if the
 * outcome is OUTCOME_DONE. Everything it borrows must live as long as the call. */
void *call_decide(struct call *call, unsigned kind);

/* The same, with an argument that travels beside the change. */
void *call_decide_with(struct call *call, unsigned kind, RedisModuleString *content);

/* Memory that lives as long as the call. */
void *call_alloc(struct call *call, size_t bytes);

/* An empty record that lives as long as the call. */
struct record_writer *call_writer(struct call *call);

/* The call cannot have what it wants now. With BLOCK it waits in this line, and is decided again when something
 * changes there, or at due_ms. Returns `outcome`, which is the reply for a caller who does not wait. */
enum outcome call_not_yet(struct call *call, struct wait_kind *kind, struct bytes name, int64_t due_ms,
                          enum outcome outcome);

/* The call takes something for which others may wait in this line; they come first. */
void call_in_line(struct call *call, struct wait_kind *kind, struct bytes name);

/* After either of them, for lines whose waiters want different things: what this call wants. Waiters then come first
 * only if their claims conflict with this one, and only if the call would wait, too. */
void call_claims(struct call *call, const struct wait_claim *claim);

/* --- For the server side --- */

void decision_start(struct call *call);
void decision_end(struct call *call);

/* Runs the call's handler as its mode requires. OUTCOME_WAITING for a call that waits. */
enum outcome decision_run(struct call *call);

/* The steps of one call of a transaction. Earlier waiters are served first, as far as possible; a call behind some
 * that cannot be served is refused. The reply is kept. */
void decision_settle(struct call *call);
void decision_let_ahead(struct call *call);
enum outcome decision_make_part(struct call *call);

/* Applies what has been decided. */
void decision_carry_out(struct call *call);

#endif
