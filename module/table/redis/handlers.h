/* The handlers of TABLE.*, and what they share. */
#ifndef HOLDFAST_TABLE_HANDLERS_H
#define HOLDFAST_TABLE_HANDLERS_H

#include "server/command.h"
#include "server/reply.h"
#include "table/key.h"
#include "table/operation.h"
#include "table/query.h"

/* Where the parser leaves the options that only this family has. */
enum {
    SLOT_ENTITY = SLOT_FAMILY, /* PROPS, which are an entity's own here */
    SLOT_MATCH,
    SLOT_IF,
    SLOT_FILTER,
    SLOT_SELECT,
    SLOT_TOP,
    SLOT_NEXT,
    SLOT_EXPLAIN,
    SLOT_OPERATIONS,
    SLOT_TABLE_END,
};
_Static_assert((int)SLOT_TABLE_END <= (int)SLOTS_MAX, "too many options");

enum { ARG_PARTITION = 2, ARG_ROW = 3, ARG_NAMES = 2 };

enum { TABLE_REQUEST_MAX_BYTES = 4 << 20 };

extern struct aggregate table_aggregate;

/* --- Entities --- */

/* Sends for the entity that the call is about. */
void table_expect(struct call *call);

/* The rule of keys that are asked for; those that are written with an entity are under key_check. */
enum outcome table_asked_key_rule(struct bytes key);

/* Whether the last words but one may be ONCE and a token, behind words as one likes. */
bool table_ends_with_once(const struct call *call);

/* --- What follows a decision --- */

/* What the commands for one entity change: see things.h. */
void entity_touches(const struct call *call, struct things *things);

/* As the data type wants them: see aggregate.h. */
bool table_refresh(struct call *call, void *decided);
void table_changed(struct call *call, const void *decided);
void table_wake(struct call *call, const void *change);
int64_t table_upkeep(struct call *call);

/* What has been done so far: queries by their plans, entities answered, looked at, and written. */
struct table_stats {
    unsigned long long queries[PLAN_KINDS];
    unsigned long long rows, examined, steps;
};

extern struct table_stats table_stats;

/* For INFO. */
void table_info(RedisModuleInfoCtx *ctx);

/* What has been dropped is freed soon, a portion at a time. */
void table_free_dropped(void);

#endif
