/* Upkeep: clears expired state from values in the background, in small portions.
 *
 *   chore = db, key ─▶ when to look next              found by key, one alarm for the earliest of all
 *
 * A chore is only a hint: it has a name, never a value. When it is due the key is opened, and the value found there
 * clears what has expired. A value that was renamed, moved, copied or restored gets a chore under its new name;
 * SWAPDB moves chores with their database.
 *
 * Names take memory, so names of deleted keys are removed, on replicas as well: at once where the server reports
 * that a key loses its value, and otherwise (FLUSHALL, a full resync, slots that have left) by sweeps, which open
 * every known key, a few at a time, and only read.
 *
 * Only a primary that may write does upkeep, in a cluster only for slots of its own. Its changes are
 * propagated as effects. */
#ifndef HOLDFAST_UPKEEP_H
#define HOLDFAST_UPKEEP_H

#include "server/call/call.h"

/* Nothing is left to be done; nothing is scheduled. */
#define UPKEEP_NEVER INT64_MAX

/* In place of the instant for which a value's upkeep is scheduled, while it is being looked after. */
#define UPKEEP_AT_WORK INT64_MIN

int upkeep_start(RedisModuleCtx *ctx);

/* Schedules upkeep of the key at this instant, if none is scheduled earlier. */
void upkeep_schedule_key(struct key_name name, int64_t due_ms);

/* When a value needs upkeep; UPKEEP_NEVER. */
int64_t upkeep_next_ms(const struct data_type *type, const void *value);

/* Whether upkeep of the key is scheduled. */
bool upkeep_is_scheduled(struct key_name name);

/* Schedules upkeep for the call's value when something in it will expire, unless that is already scheduled. */
void upkeep_schedule(struct call *call);
/* The same where nothing has changed yet: it is asked for only if none is scheduled, or the one that was is lost. */
void upkeep_recover(struct call *call);
/* The same, without trusting what the value says: a value that came from elsewhere may be wrong about it. */
void upkeep_insist(struct call *call);

/* The same for a value without a call. */
void upkeep_insist_on(const struct data_type *type, void *value, struct key_name name);

/* Work that belongs to no key, on any server. A static struct; only `run` is filled in. */
struct upkeep_work {
    bool (*run)(void); /* does a portion; returns whether more is left */
    bool known, due, after_sweeps;
    struct upkeep_work *next; /* list of all that is known */
};

/* Runs the work at the end of every sweep, for those who keep names of keys themselves. */
void upkeep_after_sweeps(struct upkeep_work *work);

/* Databases were emptied or swapped as a whole, without events for keys: starts a sweep for names of deleted keys. */
void upkeep_sweep_soon(void);

/* Called by the server when a key loses its value. */
void upkeep_on_unlink(RedisModuleKeyOptCtx *ctx, const struct data_type *type, const void *value);

/* The known names, and the memory they take. */
void upkeep_info(RedisModuleInfoCtx *ctx);

#endif
