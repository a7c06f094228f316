/* Upkeep: what time has ended in a value is cleared away behind the scenes, in small portions.
 *
 *   chore = db, key ─▶ when to look next              found by key, one timer for the earliest of all
 *
 * A chore is a hint and no more: it knows a name, never a value. When its time has come the key is opened, and whatever
 * stands there now is asked what it has to clear away; a key that is gone or holds something else is forgotten. So
 * nothing has to be told of flushed keys. What was renamed, moved, copied, restored or swapped with its database is
 * asked where it has come to.
 *
 * Only a primary that may write does upkeep, and what it does goes to replicas and files as effects. */
#ifndef HOLDFAST_UPKEEP_H
#define HOLDFAST_UPKEEP_H

#include "server/command.h"

/* Nothing is left to be done. */
#define UPKEEP_NEVER INT64_MAX

int upkeep_start(RedisModuleCtx *ctx);

/* Something at the key will want to be looked after at this instant, if not sooner. */
void upkeep_expect(int db, struct bytes key, int64_t due_ms);

/* The clock has been moved. */
void upkeep_clock_moved(void);

/* What belongs to no key is looked after with the next turns of the event loop, on any server: work answers whether
 * more is left. There are a few works in all, one for each that a family has. */
void upkeep_soon(bool (*work)(void));

#endif
