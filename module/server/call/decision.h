/* Decisions: what a handler decides.
 *
 * A handler reads the value, decides changes (decision_add) and writes its reply (to call->out). It changes nothing,
 * wakes nobody and waits for nobody: run.h does the rest. Why the call runs makes no difference to what it decides.
 * Three things show it: call->grant, where a handler writes what give_back will need; reply_is_wanted(), false for a
 * probe, so that nothing is collected for nobody; and call_is_part().
 *
 * Code after decision_add must not expect to find the change: it has not been applied yet. A handler that refuses
 * leaves no trace, whatever it decided before. */
#ifndef HOLDFAST_DECISION_H
#define HOLDFAST_DECISION_H

#include "server/call/call.h"

#include <assert.h>

/* Adds a change of this kind for the handler to fill in. It is applied after the handler has returned, if the
 * outcome is OUTCOME_DONE. Everything it borrows must live as long as the call. Handlers call it by the function of
 * their family, so that the compiler knows their kinds: see queue_decide. */
void *decision_add(struct call *call, unsigned kind);

/* The same, with an argument that travels beside the change. */
void *decision_add_with(struct call *call, unsigned kind, RedisModuleString *content);

/* Raises the counter when the call is carried out, for a call that changes nothing: changes count themselves. */
static inline void decision_count(struct call *call, unsigned long long *counter, size_t amount) {
    struct decision *decision = &call->decision;
    assert(decision->counted_count < COUNTED_MAX);
    struct counted *counted = &decision->counted[decision->counted_count++];
    counted->counter = counter;
    counted->amount = amount;
}

/* The one change that the call has decided. */
static inline void *decision_only(const struct call *call) {
    assert(call->decision.first && !call->decision.first->next);
    return call->decision.first->change;
}

/* A new ETag, and the time of the call. */
struct stamp decision_new_stamp(struct call *call);

/* A new version alone: few need to look at the clock, which takes as long as a hundred instructions. */
version decision_new_version(struct call *call);

/* The call cannot have what it wants now. With BLOCK it waits in this line, and is decided again when something
 * changes there, or at due_ms, which only lines that are WAIT_IN_TURN may give. Returns `outcome`, which is the reply
 * for a caller who does not wait. */
enum outcome decision_not_yet(struct call *call, struct wait_kind *kind, struct bytes name, int64_t due_ms,
                              enum outcome outcome);

/* After decision_not_yet: the reply to a caller whose time to wait is over, where that is another one. */
static inline void decision_gives_up(struct call *call, enum outcome outcome) {
    call->wait.given_up = outcome;
}

/* The call takes something for which others may wait in this line; they come first. */
void decision_in_line(struct call *call, struct wait_kind *kind, struct bytes name);

/* After either of them, for lines whose waiters want different things: what this call wants. Waiters then come first
 * only if their claims conflict with this one, and only if the call would wait, too. */
void decision_claims(struct call *call, const struct wait_claim *claim);

#endif
