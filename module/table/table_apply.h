/* How changes are applied to a table. */
#ifndef HOLDFAST_TABLE_APPLY_H
#define HOLDFAST_TABLE_APPLY_H

#include "table/table.h"

/* Applies a change. False, and nothing done, when the change does not fit the state. */
bool table_apply(struct table *table, const struct table_change *change);

/* Applies a step that is known to fit. */
void table_do_step(struct table *table, const struct table_step *step);

#endif
