/* Commits: from a decided change to the world that knows of it. One way for all data types:
 *
 *   record ─▶ apply ─▶ send the effect ─▶ notify ─▶ count, expect upkeep
 *
 * A change may borrow from what it replaces, so its record is written before it is applied. Nothing is recorded when
 * nobody listens: see audience.h. */
#ifndef HOLDFAST_COMMIT_H
#define HOLDFAST_COMMIT_H

#include "server/command.h"

/* Makes the change happen in the call's value, with what travels beside it, and what is remembered with it. Those who
 * wait are not served yet: see wake in aggregate.h. */
void commit_change(struct call *call, const struct decided *decided);

/* The two halves of that, for changes that happen as one: nobody is told of any before all have happened. */
void commit_apply(struct call *call, const struct decided *decided);
void commit_tell(struct call *call, const void *change);

/* Serves those who wait for what the change brought. */
void commit_wake(struct call *call, const void *change);

/* Both, for what is no answer to the call itself. */
void commit_at_once(struct call *call, void *change);

#endif
