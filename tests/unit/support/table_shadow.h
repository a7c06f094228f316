/* The model of a table (tests/models/table_model.h), led by changes; and of every index how far it is. What marks there
 * are, and everything else, is found by looking at all entities. */
#ifndef HOLDFAST_UNIT_TABLE_SHADOW_H
#define HOLDFAST_UNIT_TABLE_SHADOW_H

#include "model_bytes.h"
#include "table/table.h"
#include "table_model.h"

struct shadow_index {
    struct bytes name, frontier; /* of the model's own */
    bool complete;
};

struct table_shadow {
    struct table_model now; /* a value has only one packed form */
    struct shadow_index indexes[TABLE_INDEXES_MAX];
    unsigned index_count;
    struct model_bytes policies;
    int64_t ticks;
    bool followed; /* a feed is on */
};

/* From a change that creates. */
void table_shadow_start(struct table_shadow *shadow, const struct table_change *change);
void table_shadow_end(struct table_shadow *shadow);

/* Whether the table has to take the change; and what it is then. */
bool table_shadow_fits(const struct table_shadow *shadow, const struct table_change *change);
void table_shadow_apply(struct table_shadow *shadow, const struct table_change *change);

/* All indexes are complete from now on: those of a table that was built anew are. */
void table_shadow_finish_indexes(struct table_shadow *shadow);

/* Requires that the table is what the model is. */
void table_shadow_compare(const struct table_shadow *shadow, const struct table *table);

#endif
