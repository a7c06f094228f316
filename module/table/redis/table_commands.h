/* What the handlers of TABLE.* share, and what the tables of commands and data types need of them. */
#ifndef HOLDFAST_TABLE_COMMANDS_H
#define HOLDFAST_TABLE_COMMANDS_H

#include "server/call/decision.h"
#include "server/call/refusal.h"
#include "server/call/reply.h"
#include "table/key.h"
#include "table/operation.h"
#include "table/query.h"

/* Slots of the options that only this family has. */
enum {
    SLOT_ENTITY = SLOT_FAMILY, /* PROPS: an entity's own properties */
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

extern struct data_type table_type;

/* Decides a change of the call's table: see decision_add. */
static inline struct table_change *table_decide(struct call *call, enum table_change_kind kind) {
    return decision_add(call, kind);
}

/* For the data type's table: see data_type.h. */
int64_t table_next_look_ms(const void *value);

/* --- Entities --- */

/* Totals since the start: queries by plan, entities returned, examined and written. */
struct table_stats {
    unsigned long long queries[PLAN_KINDS];
    unsigned long long rows, examined, steps;
};

extern struct table_stats table_stats;

#endif
