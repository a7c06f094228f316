/* A table in the words of the specification: entities in a plain sorted array, each with a plain array of properties.
 * Tests know what keys, names and values mean; here they are bytes. */
#ifndef HOLDFAST_MODELS_TABLE_MODEL_H
#define HOLDFAST_MODELS_TABLE_MODEL_H

#include "blob_model.h"

enum { MODEL_PROPERTIES_MAX = 252, MODEL_ENTITY_MAX_BYTES = 1 << 20 };

struct model_property {
    struct model_bytes name, value;
    size_t size; /* which it adds to its entity's */
};

struct model_entity {
    struct model_bytes key;
    size_t key_size;
    uint64_t etag;
    int64_t ticks;
    struct model_property *properties; /* in the order in which they were first given */
    size_t count;
};

/* Zeroed: there is none. */
struct table_model {
    bool exists;
    struct model_entity *entities;
    size_t count;
};

enum model_entity_verb {
    MODEL_INSERT,
    MODEL_REPLACE,
    MODEL_MERGE,
    MODEL_REMOVE,
    MODEL_INSERT_OR_REPLACE,
    MODEL_INSERT_OR_MERGE,
    MODEL_ENTITY_VERBS
};

struct model_given {
    struct model_view name, value;
    size_t size;
};

/* A write of one entity, alone or in a batch. */
struct model_write {
    enum model_entity_verb verb;
    bool matches_any; /* IFMATCH *; else the ETag that it has to have */
    bool is_unwanted; /* the filter behind IF does not fit the entity */
    uint64_t if_etag;
    struct model_view key;
    size_t key_size;
    const struct model_given *given;
    size_t given_count;
    uint64_t etag; /* what the answer says */
    int64_t ticks;
};

/* Replace, merge and remove: they ask for an entity that is there. */
bool table_model_needs(enum model_entity_verb verb);

/* The refusal as "CLASS Code", or NULL. */
const char *table_model_refusal(const struct table_model *model, const struct model_write *write);
/* Of several at once: the first refusal, and which one has it. */
const char *table_model_batch_refusal(const struct table_model *model, const struct model_write *writes,
                                      size_t count, size_t *which);
/* Plays a write that is not refused. */
void table_model_play(struct table_model *model, const struct model_write *write);

/* Where the entity of this key stands, or would. */
size_t table_model_place(const struct table_model *model, struct model_view key);
/* NULL when there is none. */
struct model_entity *table_model_find(const struct table_model *model, struct model_view key);
const struct model_property *table_model_property(const struct model_entity *entity, struct model_view name);

/* Leaves zeros. */
void table_model_end(struct table_model *model);

#endif
