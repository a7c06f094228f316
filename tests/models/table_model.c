#include "table_model.h"

#include <stdlib.h>
#include <string.h>

/* --- Properties --- */

static struct model_property *property_of(const struct model_entity *entity, struct model_view name) {
    for (size_t i = 0; i < entity->count; i++)
        if (!model_order(model_view(entity->properties[i].name), name)) return &entity->properties[i];
    return NULL;
}

const struct model_property *table_model_property(const struct model_entity *entity, struct model_view name) {
    return entity ? property_of(entity, name) : NULL;
}

static void clear_properties(struct model_entity *entity) {
    for (size_t i = 0; i < entity->count; i++) {
        model_bytes_drop(&entity->properties[i].name);
        model_bytes_drop(&entity->properties[i].value);
    }
    free(entity->properties);
    entity->properties = NULL;
    entity->count = 0;
}

/* In place of the one that has this name, or behind all others. */
static void set_property(struct model_entity *entity, const struct model_given *given) {
    struct model_property *place = property_of(entity, given->name);
    if (!place) {
        entity->properties =
            model_resized(entity->properties, (entity->count + 1) * sizeof(*entity->properties));
        place = &entity->properties[entity->count++];
        *place = (struct model_property){0};
        model_bytes_set(&place->name, given->name);
    }
    model_bytes_set(&place->value, given->value);
    place->size = given->size;
}

/* --- Entities --- */

size_t table_model_place(const struct table_model *model, struct model_view key) {
    size_t place = 0;
    while (place < model->count && model_order(model_view(model->entities[place].key), key) < 0) place++;
    return place;
}

struct model_entity *table_model_find(const struct table_model *model, struct model_view key) {
    size_t place = table_model_place(model, key);
    bool there = place < model->count && !model_order(model_view(model->entities[place].key), key);
    return there ? &model->entities[place] : NULL;
}

static struct model_entity *add_entity(struct table_model *model, const struct model_write *write) {
    size_t place = table_model_place(model, write->key);
    model->entities = model_resized(model->entities, (model->count + 1) * sizeof(*model->entities));
    struct model_entity *entity = &model->entities[place];
    memmove(entity + 1, entity, (model->count++ - place) * sizeof(*entity));
    *entity = (struct model_entity){.key_size = write->key_size};
    model_bytes_set(&entity->key, write->key);
    return entity;
}

static void remove_entity(struct table_model *model, struct model_entity *entity) {
    model_bytes_drop(&entity->key);
    clear_properties(entity);
    model->count--;
    memmove(entity, entity + 1, (size_t)(&model->entities[model->count] - entity) * sizeof(*entity));
}

void table_model_end(struct table_model *model) {
    while (model->count) remove_entity(model, &model->entities[model->count - 1]);
    free(model->entities);
    *model = (struct table_model){0};
}

/* --- Writes --- */

bool table_model_needs(enum model_entity_verb verb) {
    return verb == MODEL_REPLACE || verb == MODEL_MERGE || verb == MODEL_REMOVE;
}

static bool merges(enum model_entity_verb verb) {
    return verb == MODEL_MERGE || verb == MODEL_INSERT_OR_MERGE;
}

static bool is_given(const struct model_write *write, struct model_view name) {
    for (size_t i = 0; i < write->given_count; i++)
        if (!model_order(write->given[i].name, name)) return true;
    return false;
}

/* With what stays of the entity, and what comes. */
static const char *limit_refusal(const struct model_entity *entity, const struct model_write *write) {
    size_t count = write->given_count, size = write->key_size;
    for (size_t i = 0; i < write->given_count; i++) size += write->given[i].size;
    for (size_t i = 0; entity && merges(write->verb) && i < entity->count; i++) {
        if (is_given(write, model_view(entity->properties[i].name))) continue;
        count++;
        size += entity->properties[i].size;
    }
    if (count > MODEL_PROPERTIES_MAX) return "INVALID TooManyProperties";
    return size > MODEL_ENTITY_MAX_BYTES ? "INVALID EntityTooLarge" : NULL;
}

const char *table_model_refusal(const struct table_model *model, const struct model_write *write) {
    if (!model->exists) return "NOTFOUND TableNotFound";
    const struct model_entity *entity = table_model_find(model, write->key);
    if (write->verb == MODEL_INSERT && entity) return "CONFLICT EntityAlreadyExists";
    if (table_model_needs(write->verb)) {
        if (!entity) return "NOTFOUND ResourceNotFound";
        bool matches = write->matches_any || write->if_etag == entity->etag;
        if (!matches || write->is_unwanted) return "PRECONDITION UpdateConditionNotSatisfied";
    }
    return write->verb == MODEL_REMOVE ? NULL : limit_refusal(entity, write);
}

const char *table_model_batch_refusal(const struct table_model *model, const struct model_write *writes,
                                      size_t count, size_t *which) {
    for (*which = 1; *which < count; ++*which)
        for (size_t before = 0; before < *which; before++)
            if (!model_order(writes[before].key, writes[*which].key)) return "INVALID InvalidDuplicateRow";
    for (*which = 0; *which < count; ++*which) {
        const char *refusal = table_model_refusal(model, &writes[*which]);
        if (refusal) return refusal;
    }
    return NULL;
}

void table_model_play(struct table_model *model, const struct model_write *write) {
    struct model_entity *entity = table_model_find(model, write->key);
    if (write->verb == MODEL_REMOVE) {
        remove_entity(model, entity);
        return;
    }
    if (!entity) entity = add_entity(model, write);
    if (!merges(write->verb)) clear_properties(entity);
    for (size_t i = 0; i < write->given_count; i++) set_property(entity, &write->given[i]);
    entity->etag = write->etag;
    entity->ticks = write->ticks;
}
