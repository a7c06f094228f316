/* Commits: apply a decided change and propagate it. The same for all data types:
 *
 *   record ─▶ apply ─▶ send the effect ─▶ count, schedule upkeep, tell ─▶ wake ─▶ … ─▶ notify
 *
 * A change may borrow from what it replaces, so its record is written before it is applied. No record is written
 * when an effect has no receiver: see propagation.h. */
#ifndef HOLDFAST_COMMIT_H
#define HOLDFAST_COMMIT_H

#include "server/call/call.h"

/* Applies a change to the call's value, with what travels beside it and what is remembered with it. */
void commit_apply(struct call *call, const struct decided *decided);

/* Counts a change, schedules upkeep, and tells those who watch the key. Its notifications are sent when the call is
 * over: see notices.h. */
void commit_follow(struct call *call, const void *change);

/* Serves those who wait for what the change brought. */
void commit_wake(struct call *call, const void *change);

/* All three, for changes that no call decides: by settling, upkeep and copiers. */
void commit_at_once(struct call *call, void *change, RedisModuleString *content);

/* The same for two of them that are one effect: none arrives without the other. */
void commit_both(struct call *call, void *first, void *second);

#endif
