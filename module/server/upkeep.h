/* Upkeep: what time has ended in a value is cleared away behind the scenes, in small portions.
 *
 *   chore = db, key ─▶ when to look next              found by key, one alarm for the earliest of all
 *
 * A chore is a hint and no more: it knows a name, never a value. When its time has come the key is opened, and the value
 * found there is asked what it has to clear away. What was renamed, moved, copied or restored is asked where it has come
 * to; what was swapped with its database is followed.
 *
 * Names take memory, so those of keys that are gone are forgotten, on replicas as well: at once where the server tells
 * that a key loses its value, and where it does not (FLUSHALL, a new copy of the primary's data, slots that have left)
 * by sweeps, which open every key that is known, a few at a time, and only read.
 *
 * Only a primary that may write does upkeep, in a cluster of keys whose slots are its own, and what it does goes to
 * replicas and files as effects. */
#ifndef HOLDFAST_UPKEEP_H
#define HOLDFAST_UPKEEP_H

#include "server/command.h"

/* Nothing is left to be done. */
#define UPKEEP_NEVER INT64_MAX

int upkeep_start(RedisModuleCtx *ctx);

/* Something at the key will want to be looked after at this instant, if not sooner. */
void upkeep_expect(int db, struct bytes key, int64_t due_ms);

/* When a value will want to be looked after; UPKEEP_NEVER. */
int64_t upkeep_next_ms(const struct aggregate *type, const void *value);

/* Whether something is expected there. */
bool upkeep_is_expected(int db, struct bytes key);

/* The call's value will want to be looked after when time has ended something in it: sees to it that somebody will come,
 * unless somebody is on the way. */
void upkeep_schedule(struct call *call);
/* Likewise, even then: a value that came from elsewhere may be wrong about it. */
void upkeep_insist(struct call *call);

/* Where a value keeps the instant at which somebody will look. */
int64_t *upkeep_look_at(const struct aggregate *type, void *value);

/* What belongs to no key is looked after with the next turns of the event loop, on any server: work answers whether
 * more is left. There are a few works in all, one for each that a family has. */
void upkeep_soon(bool (*work)(void));

/* Such a work at the end of every sweep, for those who remember names of keys themselves. */
void upkeep_after_sweeps(bool (*work)(void));

/* Databases were emptied or exchanged as a whole, and no key was told of: names of keys that are gone are looked for. */
void upkeep_sweep_soon(void);

/* The server calls it when a key loses its value. */
void upkeep_on_unlink(RedisModuleKeyOptCtx *ctx, const void *value);

/* The names that are known, and what they take. */
void upkeep_info(RedisModuleInfoCtx *ctx);

#endif
