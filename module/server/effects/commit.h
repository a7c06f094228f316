/* Commits: apply a decided change and propagate it. The same for all data types:
 *
 *   record ─▶ apply ─▶ send the effect ─▶ count, schedule upkeep ─▶ notify
 *
 * A change may borrow from what it replaces, so its record is written before it is applied. No record is written
 * when an effect has no receiver: see propagation.h. */
#ifndef HOLDFAST_COMMIT_H
#define HOLDFAST_COMMIT_H

#include "server/call/call.h"

/* Applies the change to the call's value, with what travels beside it and what is remembered with it. Does not serve
 * waiters yet: see wake in data_type.h. */
void commit_change(struct call *call, const struct decided *decided);

/* The two halves of commit_change, for calls that decide several changes: no notification is sent before all of them
 * are applied. */
void commit_apply(struct call *call, const struct decided *decided);
void commit_tell(struct call *call, const void *change);

/* Serves those who wait for what the change brought. */
void commit_wake(struct call *call, const void *change);

/* commit_change and commit_wake, for changes that the call does not decide: settling and upkeep. */
void commit_at_once(struct call *call, void *change);

#endif
