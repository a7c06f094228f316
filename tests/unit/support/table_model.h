/* A naive table: a sorted array of entities, each with a plain array of properties, and of every index only how far it
 * is. What marks there are, and everything else, is found by looking at all entities. */
#ifndef HOLDFAST_UNIT_TABLE_MODEL_H
#define HOLDFAST_UNIT_TABLE_MODEL_H

#include "blob_model.h"
#include "table/table.h"

/* Bytes are the model's own. A value has only one packed form. */
struct model_property {
    struct bytes name, value;
};

struct model_entity {
    struct bytes key;
    version etag;
    int64_t ticks;
    struct model_property *properties;
    size_t count;
};

struct model_index {
    struct bytes name, frontier;
    bool complete;
};

struct table_model {
    struct model_entity *entities;
    size_t count;
    struct model_index indexes[TABLE_INDEXES_MAX];
    unsigned index_count;
    struct model_bytes policies;
    int64_t ticks;
    bool followed; /* a feed is on */
};

/* From a change that creates. */
void table_model_start(struct table_model *model, const struct table_change *change);
void table_model_end(struct table_model *model);

/* Where the entity of this key stands, or would. */
size_t table_model_place(const struct table_model *model, struct bytes key);
/* NULL when there is none. */
struct model_entity *table_model_find(const struct table_model *model, struct bytes key);

/* Whether the table has to take the change; and what it is then. */
bool table_model_fits(const struct table_model *model, const struct table_change *change);
void table_model_apply(struct table_model *model, const struct table_change *change);

/* All indexes are complete from now on: those of a table that was built anew are. */
void table_model_finish_indexes(struct table_model *model);

/* Requires that the table is what the model is. */
void table_model_compare(const struct table_model *model, const struct table *table);

#endif
