/* Commits: apply a decided change and propagate it. The same for all data types:
 *
 *   record ─▶ apply ─▶ send the effect ─▶ count, schedule upkeep ─▶ notify
 *
 * A change may borrow from what it replaces, so its record is written before it is applied. No record is written
 * when an effect has no receiver: see propagation.h. */
#ifndef HOLDFAST_COMMIT_H
#define HOLDFAST_COMMIT_H

#include "server/call/call.h"

/* Applies a change to the call's value, with what travels beside it and what is remembered with it. */
void commit_apply(struct call *call, const struct decided *decided);

/* Tells of a change: counts it, schedules upkeep and notifies. Of several changes all are applied before anybody hears
 * of one. */
void commit_tell(struct call *call, const void *change);

/* Serves those who wait for what the change brought. */
void commit_wake(struct call *call, const void *change);

/* All three, for changes that no call decides: by settling, upkeep and copiers. */
void commit_at_once(struct call *call, void *change, RedisModuleString *content);

#endif
