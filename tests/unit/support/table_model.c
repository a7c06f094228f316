#include "table_model.h"

#include "core/feed_files.h"
#include "require.h"

#include <stdlib.h>

static struct bytes own(struct bytes bytes) {
    char *copy = model_resized(NULL, bytes.length);
    if (bytes.length) memcpy(copy, bytes.data, bytes.length);
    return bytes_of(copy, bytes.length);
}

static void disown(struct bytes bytes) {
    free((char *)bytes.data);
}

static void policies_set(struct table_model *model, struct packed_list policies) {
    size_t length = policies.count ? policies.items.length : 0;
    model_bytes_set(&model->policies, (struct model_view){policies.items.data, length});
}

/* --- Properties --- */

static struct model_property *property_of(const struct model_entity *entity, struct bytes name) {
    for (size_t i = 0; i < entity->count; i++)
        if (bytes_equal(entity->properties[i].name, name)) return &entity->properties[i];
    return NULL;
}

static void clear_properties(struct model_entity *entity) {
    for (size_t i = 0; i < entity->count; i++) {
        disown(entity->properties[i].name);
        disown(entity->properties[i].value);
    }
    free(entity->properties);
    entity->properties = NULL;
    entity->count = 0;
}

/* In place of the one that has this name, or behind all others. */
static void set_property(struct model_entity *entity, const struct property *property) {
    struct model_property *place = property_of(entity, property->name);
    struct record_writer packed;
    record_start(&packed);
    value_put(&packed, &property->value);
    if (place) {
        disown(place->value);
    } else {
        entity->properties =
            model_resized(entity->properties, (entity->count + 1) * sizeof(*entity->properties));
        place = &entity->properties[entity->count++];
        place->name = own(property->name);
    }
    place->value = own(bytes_of(packed.data, packed.length));
    record_end(&packed);
}

static void set_properties(struct model_entity *entity, struct packed_list list) {
    struct record_reader reader = record_reader(list.items);
    struct property property;
    while (property_next(&reader, &property)) set_property(entity, &property);
}

static struct value value_of(const struct model_property *property) {
    struct record_reader reader = record_reader(property->value);
    return value_next(&reader);
}

/* As the storage service counts, as long as keys and names are ASCII: no others come near the limit here. */
static size_t size_of(const struct model_entity *entity) {
    size_t size = 4 + 2 * (entity->key.length - 1);
    for (size_t i = 0; i < entity->count; i++) {
        struct value value = value_of(&entity->properties[i]);
        size += 8 + 2 * entity->properties[i].name.length + value_size(&value);
    }
    return size;
}

/* --- Entities --- */

size_t table_model_place(const struct table_model *model, struct bytes key) {
    size_t place = 0;
    while (place < model->count && bytes_compare(model->entities[place].key, key) < 0) place++;
    return place;
}

struct model_entity *table_model_find(const struct table_model *model, struct bytes key) {
    size_t place = table_model_place(model, key);
    bool there = place < model->count && bytes_equal(model->entities[place].key, key);
    return there ? &model->entities[place] : NULL;
}

static struct model_entity *add_entity(struct table_model *model, struct bytes key) {
    size_t place = table_model_place(model, key);
    model->entities = model_resized(model->entities, (model->count + 1) * sizeof(*model->entities));
    struct model_entity *entity = &model->entities[place];
    memmove(entity + 1, entity, (model->count++ - place) * sizeof(*entity));
    *entity = (struct model_entity){.key = own(key)};
    return entity;
}

static void remove_entity(struct table_model *model, struct model_entity *entity) {
    disown(entity->key);
    clear_properties(entity);
    model->count--;
    memmove(entity, entity + 1, (size_t)(&model->entities[model->count] - entity) * sizeof(*entity));
}

static bool step_fits(const struct table_model *model, const struct table_step *step) {
    const struct model_entity *entity = table_model_find(model, step->key);
    if (step->kind == STEP_REMOVE && model->followed) return false;
    if (step->kind == STEP_ADD || !entity) return (step->kind == STEP_ADD) == !entity;
    if (step->kind != STEP_MERGE) return true;
    struct model_entity merged = {.key = entity->key};
    for (size_t i = 0; i < entity->count; i++) {
        struct property property = {entity->properties[i].name, value_of(&entity->properties[i])};
        set_property(&merged, &property);
    }
    set_properties(&merged, step->properties);
    bool fits = merged.count <= PROPERTIES_MAX && size_of(&merged) <= ENTITY_MAX_BYTES;
    clear_properties(&merged);
    return fits;
}

static void do_step(struct table_model *model, const struct table_step *step) {
    struct model_entity *entity = table_model_find(model, step->key);
    if (table_step_removes(step)) {
        remove_entity(model, entity);
        return;
    }
    if (step->kind == STEP_ADD) entity = add_entity(model, step->key);
    if (step->kind == STEP_SET) clear_properties(entity);
    set_properties(entity, step->properties);
    entity->etag = step->etag;
    entity->ticks = step->ticks;
    if (step->ticks > model->ticks) model->ticks = step->ticks;
}

/* --- Indexes --- */

static struct model_index *index_of(struct table_model *model, struct bytes name) {
    for (unsigned i = 0; i < model->index_count; i++)
        if (bytes_equal(model->indexes[i].name, name)) return &model->indexes[i];
    return NULL;
}

static void declare(struct table_model *model, struct packed_list names) {
    struct record_reader reader = record_reader(names.items);
    struct bytes name;
    while (table_name_next(&reader, &name)) {
        if (index_of(model, name)) continue;
        model->indexes[model->index_count++] =
            (struct model_index){own(name), own(bytes_of("", 0)), .complete = !model->count};
    }
}

static void drop(struct table_model *model, struct packed_list names) {
    struct record_reader reader = record_reader(names.items);
    struct bytes name;
    while (table_name_next(&reader, &name)) {
        struct model_index *index = index_of(model, name);
        if (!index) continue;
        disown(index->name);
        disown(index->frontier);
        *index = model->indexes[--model->index_count];
    }
}

static void finish(struct model_index *index) {
    disown(index->frontier);
    index->frontier = own(bytes_of("", 0));
    index->complete = true;
}

static struct bytes first_name(const struct table_change *change) {
    struct record_reader reader = record_reader(change->names.items);
    struct bytes name = {"", 0};
    table_name_next(&reader, &name);
    return name;
}

/* An index never knows less than before. */
static void build(struct table_model *model, const struct table_change *change) {
    struct model_index *index = index_of(model, first_name(change));
    if (index->complete) return;
    if (bytes_compare(change->key, index->frontier) > 0) {
        disown(index->frontier);
        index->frontier = own(change->key);
    }
    if (!model->count || bytes_compare(model->entities[model->count - 1].key, index->frontier) <= 0)
        finish(index);
}

void table_model_finish_indexes(struct table_model *model) {
    for (unsigned i = 0; i < model->index_count; i++) finish(&model->indexes[i]);
}

/* --- Changes --- */

void table_model_start(struct table_model *model, const struct table_change *change) {
    memset(model, 0, sizeof(*model));
    model->ticks = change->ticks;
    policies_set(model, change->policies);
    declare(model, change->names);
}

void table_model_end(struct table_model *model) {
    while (model->count) remove_entity(model, &model->entities[model->count - 1]);
    while (model->index_count) {
        struct bytes name = model->indexes[0].name;
        disown(model->indexes[0].frontier);
        model->indexes[0] = model->indexes[--model->index_count];
        disown(name);
    }
    free(model->entities);
    model_bytes_drop(&model->policies);
}

static bool steps_fit(const struct table_model *model, struct packed_list steps) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step))
        if (!step_fits(model, &step)) return false;
    return true;
}

bool table_model_fits(const struct table_model *model, const struct table_change *change) {
    switch (change->kind) {
    case TABLE_CREATE:
    case TABLE_DROP: return false;
    case TABLE_SETACL:
    case TABLE_UNINDEX: return true;
    case TABLE_INDEX: return model->index_count + change->names.count <= TABLE_INDEXES_MAX;
    case TABLE_INDEXED: return index_of((struct table_model *)model, first_name(change));
    case TABLE_FEEDON: return !model->followed;
    case TABLE_FEEDKEEP:
    case TABLE_FEEDOFF:
    case TABLE_FEEDBUILT: return model->followed;
    case TABLE_FEEDSTATE: return !model->followed && !model->count && feed_state_newest(change->feed);
    case TABLE_FEEDMARKERS: return model->followed && !model->count;
    default: return steps_fit(model, change->steps);
    }
}

static void do_steps(struct table_model *model, struct packed_list steps) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step)) do_step(model, &step);
}

void table_model_apply(struct table_model *model, const struct table_change *change) {
    switch (change->kind) {
    case TABLE_SETACL: policies_set(model, change->policies); break;
    case TABLE_INDEX: declare(model, change->names); break;
    case TABLE_UNINDEX: drop(model, change->names); break;
    case TABLE_INDEXED: build(model, change); break;
    case TABLE_FEEDON:
    case TABLE_FEEDSTATE: model->followed = true; break;
    case TABLE_FEEDOFF: model->followed = false; break;
    default: do_steps(model, change->steps);
    }
}

/* --- Comparing --- */

static void compare_entity(const struct model_entity *expected, const struct entity *entity) {
    struct record_reader reader = record_reader(entity_properties(entity).items);
    struct property property;
    require_bytes(entry_name(&entity->entry), expected->key, "the next key");
    require_same(entity->etag, expected->etag, "its ETag");
    require_same(entity->ticks, expected->ticks, "its Timestamp");
    require_same(entity_properties(entity).count, expected->count, "how many properties");
    for (size_t i = 0; i < expected->count; i++) {
        struct record_writer packed;
        require(property_next(&reader, &property), "property %zu of %zu is missing", i, expected->count);
        require_bytes(property.name, expected->properties[i].name, "name of property %zu", i);
        record_start(&packed);
        value_put(&packed, &property.value);
        require_bytes(bytes_of(packed.data, packed.length), expected->properties[i].value, "value %zu", i);
        record_end(&packed);
    }
    require(record_complete(&reader), "there is one property more");
}

static void compare_entities(const struct table_model *model, const struct table *table) {
    struct order_cursor cursor = catalog_seek(&table->entities, bytes_of("", 0));
    require_same(catalog_count(&table->entities), model->count, "entities");
    for (size_t i = 0; i < model->count; i++, order_cursor_next(&cursor)) {
        struct entry *entry = order_cursor_entry(&cursor);
        require(entry, "entity %zu of %zu is missing", i, model->count);
        compare_entity(&model->entities[i], (const struct entity *)entry);
        require(table_find(table, model->entities[i].key) == (struct entity *)entry, "%zu is not found", i);
    }
    require(!order_cursor_entry(&cursor), "there is one entity more");
}

static int by_bytes(const void *left, const void *right) {
    return bytes_compare(*(const struct bytes *)left, *(const struct bytes *)right);
}

/* The keys of an index in their order; each is the model's own. */
static size_t index_keys_of(const struct table_model *model, const struct model_index *index,
                            struct bytes *keys) {
    size_t count = 0;
    for (size_t i = 0; i < model->count; i++) {
        const struct model_entity *entity = &model->entities[i];
        const struct model_property *property = property_of(entity, index->name);
        bool known = index->complete || bytes_compare(entity->key, index->frontier) <= 0;
        if (!property || !known) continue;
        struct value value = value_of(property);
        struct record_writer entry;
        record_start(&entry);
        index_key_put_value(&entry, &value);
        record_put_raw(&entry, entity->key);
        keys[count++] = own(bytes_of(entry.data, entry.length));
        record_end(&entry);
    }
    qsort(keys, count, sizeof(*keys), by_bytes);
    return count;
}

static void compare_index(const struct table_model *model, const struct model_index *expected,
                          const struct table_index *index) {
    struct bytes *keys = model_resized(NULL, (model->count + 1) * sizeof(*keys));
    size_t count = index_keys_of(model, expected, keys);
    struct order_cursor cursor = order_index_seek(&index->entries, bytes_of("", 0));
    require_same(index->complete, expected->complete, "complete");
    require_bytes(index->frontier, expected->frontier, "its frontier");
    for (size_t i = 0; i < count; i++, order_cursor_next(&cursor)) {
        struct entry *entry = order_cursor_entry(&cursor);
        require(entry, "entry %zu of %zu is missing", i, count);
        require_bytes(entry_name(entry), keys[i], "index entry %zu of %zu", i, count);
        require(table_model_find(model, index_entry_key(entry)), "entry %zu is of nobody", i);
        disown(keys[i]);
    }
    require(!order_cursor_entry(&cursor), "there is one index entry more");
    require_same(index->count, count, "index entries counted");
    free(keys);
}

/* A feed has each entity once, in the order of ETags, and markers of keys that have none. Answers its parts. */
static size_t compare_feed(const struct table_model *model, const struct feed *feed) {
    const struct version_slot *slot;
    struct version_cursor cursor = {0, 0};
    size_t entities = 0, parts = feed ? 1U + !!feed->frontier + !!feed->order.blocks : 0U;
    require_same(feed != NULL, model->followed, "whether a feed is on");
    for (; feed && (slot = version_cursor_slot(&feed->order, &cursor));
         version_cursor_next(&feed->order, &cursor)) {
        const struct model_entity *entity = table_model_find(model, entry_name(version_slot_entry(slot)));
        require_same(version_slot_marked(slot), !entity, "a marker");
        if (entity) require_same(slot->v, entity->etag, "the version of an entity in the feed");
        entities += entity != NULL;
        parts += (size_t)version_slot_marked(slot) + !cursor.at;
    }
    if (feed && !feed->building) require_same(entities, model->count, "entities in the feed");
    return parts;
}

/* What hangs from a table: itself, its lists, its entities, its keys and what its indexes are called. */
static size_t parts_of(const struct table_model *model, const struct table *table) {
    size_t parts = 1 + model->count + !!model->policies.length + !!table->indexes;
    for (unsigned i = 0; table->indexes && i < table->index_count; i++)
        parts += 1 + table->indexes[i].count + !!table->indexes[i].frontier.length;
    return parts;
}

void table_model_compare(const struct table_model *model, const struct table *table) {
    compare_entities(model, table);
    require_same(table->index_count, model->index_count, "indexes");
    bool unfinished = false;
    for (unsigned i = 0; i < model->index_count; i++) {
        const struct table_index *index = table_index_of(table, model->indexes[i].name);
        require(index, "index %u is missing", i);
        compare_index(model, &model->indexes[i], index);
        unfinished |= !index->complete;
    }
    require(!table_unfinished(table) == !unfinished, "there is one to be built, or not");
    struct packed_list policies = packed_view(table->policies);
    require_bytes(policies.items, bytes_of(model->policies.data, model->policies.length), "policies");
    require_same(table->ticks, model->ticks, "the greatest Timestamp");
    require_same(table_allocations(table), parts_of(model, table) + compare_feed(model, table->feed),
                 "parts");
}
