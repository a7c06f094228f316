#include "table_shadow.h"

#include "core/feed.h"
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

static void policies_set(struct table_shadow *shadow, struct packed_list policies) {
    size_t length = policies.count ? policies.items.length : 0;
    model_bytes_set(&shadow->policies, (struct model_view){policies.items.data, length});
}

/* --- Entities --- */

static enum model_entity_verb verb_of(const struct table_step *step) {
    switch (step->kind) {
    case STEP_ADD: return MODEL_INSERT;
    case STEP_SET: return MODEL_REPLACE;
    case STEP_MERGE: return MODEL_MERGE;
    default: return MODEL_REMOVE;
    }
}

/* What a step gives to its entity. Not to be copied. */
struct gift {
    struct model_write write;
    struct model_given given[PROPERTIES_MAX];
    struct record_writer values[PROPERTIES_MAX];
};

/* Sizes are as the storage service counts, as long as keys and names are ASCII: no others come near the limit here. */
static void gift_start(struct gift *gift, const struct table_step *step) {
    struct record_reader reader = record_reader(step->properties.items);
    struct property property;
    struct model_write *write = &gift->write;
    *write = (struct model_write){.verb = verb_of(step),
                                  .key = model_view_of(step->key),
                                  .key_size = 4 + 2 * (step->key.length - 1),
                                  .matches_any = true,
                                  .given = gift->given,
                                  .etag = step->etag,
                                  .ticks = step->ticks};
    while (property_next(&reader, &property)) {
        struct record_writer *value = &gift->values[write->given_count];
        record_start(value);
        value_put(value, &property.value);
        gift->given[write->given_count++] =
            (struct model_given){model_view_of(property.name), model_view_of(record_written(value)),
                                 8 + 2 * property.name.length + value_size(&property.value)};
    }
}

static void gift_end(struct gift *gift) {
    for (size_t i = 0; i < gift->write.given_count; i++) record_end(&gift->values[i]);
}

static bool step_fits(const struct table_shadow *shadow, const struct table_step *step) {
    struct gift gift;
    if (step->kind == STEP_REMOVE && shadow->followed) return false;
    gift_start(&gift, step);
    bool fits = !table_model_refusal(&shadow->now, &gift.write);
    gift_end(&gift);
    return fits;
}

static void do_step(struct table_shadow *shadow, const struct table_step *step) {
    struct gift gift;
    gift_start(&gift, step);
    table_model_play(&shadow->now, &gift.write);
    gift_end(&gift);
    if (!table_step_removes(step) && step->ticks > shadow->ticks) shadow->ticks = step->ticks;
}

/* --- Indexes --- */

static struct shadow_index *index_of(struct table_shadow *shadow, struct bytes name) {
    for (unsigned i = 0; i < shadow->index_count; i++)
        if (bytes_equal(shadow->indexes[i].name, name)) return &shadow->indexes[i];
    return NULL;
}

static void declare(struct table_shadow *shadow, struct packed_list names) {
    struct record_reader reader = record_reader(names.items);
    struct bytes name;
    while (table_name_next(&reader, &name)) {
        if (index_of(shadow, name)) continue;
        shadow->indexes[shadow->index_count++] =
            (struct shadow_index){own(name), own(bytes_of("", 0)), .complete = !shadow->now.count};
    }
}

static void drop(struct table_shadow *shadow, struct packed_list names) {
    struct record_reader reader = record_reader(names.items);
    struct bytes name;
    while (table_name_next(&reader, &name)) {
        struct shadow_index *index = index_of(shadow, name);
        if (!index) continue;
        disown(index->name);
        disown(index->frontier);
        *index = shadow->indexes[--shadow->index_count];
    }
}

static void finish(struct shadow_index *index) {
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
static void build(struct table_shadow *shadow, const struct table_change *change) {
    struct shadow_index *index = index_of(shadow, first_name(change));
    if (index->complete) return;
    if (bytes_compare(change->key, index->frontier) > 0) {
        disown(index->frontier);
        index->frontier = own(change->key);
    }
    if (!shadow->now.count ||
        bytes_compare(model_bytes(shadow->now.entities[shadow->now.count - 1].key), index->frontier) <= 0)
        finish(index);
}

void table_shadow_finish_indexes(struct table_shadow *shadow) {
    for (unsigned i = 0; i < shadow->index_count; i++) finish(&shadow->indexes[i]);
}

/* --- Changes --- */

void table_shadow_start(struct table_shadow *shadow, const struct table_change *change) {
    memset(shadow, 0, sizeof(*shadow));
    shadow->now.exists = true;
    shadow->ticks = change->ticks;
    policies_set(shadow, change->policies);
    declare(shadow, change->names);
}

void table_shadow_end(struct table_shadow *shadow) {
    table_model_end(&shadow->now);
    while (shadow->index_count) {
        struct bytes name = shadow->indexes[0].name;
        disown(shadow->indexes[0].frontier);
        shadow->indexes[0] = shadow->indexes[--shadow->index_count];
        disown(name);
    }
    model_bytes_drop(&shadow->policies);
}

static bool steps_fit(const struct table_shadow *shadow, struct packed_list steps) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step))
        if (!step_fits(shadow, &step)) return false;
    return true;
}

bool table_shadow_fits(const struct table_shadow *shadow, const struct table_change *change) {
    switch (change->kind) {
    case TABLE_CREATE:
    case TABLE_DROP: return false;
    case TABLE_SETACL:
    case TABLE_UNINDEX: return true;
    case TABLE_INDEX: return shadow->index_count + change->names.count <= TABLE_INDEXES_MAX;
    case TABLE_INDEXED: return index_of((struct table_shadow *)shadow, first_name(change));
    case TABLE_FEEDON: return !shadow->followed && change->keep <= FEED_KEEP_MAX;
    case TABLE_FEEDKEEP: return shadow->followed && change->keep <= FEED_KEEP_MAX;
    case TABLE_FEEDOFF:
    case TABLE_FEEDBUILT: return shadow->followed;
    case TABLE_FEEDSTATE: return !shadow->followed && !shadow->now.count && feed_state_newest(change->feed);
    case TABLE_FEEDMARKERS: return shadow->followed && !shadow->now.count;
    default: return steps_fit(shadow, change->steps);
    }
}

static void do_steps(struct table_shadow *shadow, struct packed_list steps) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step)) do_step(shadow, &step);
}

void table_shadow_apply(struct table_shadow *shadow, const struct table_change *change) {
    switch (change->kind) {
    case TABLE_SETACL: policies_set(shadow, change->policies); break;
    case TABLE_INDEX: declare(shadow, change->names); break;
    case TABLE_UNINDEX: drop(shadow, change->names); break;
    case TABLE_INDEXED: build(shadow, change); break;
    case TABLE_FEEDON:
    case TABLE_FEEDSTATE: shadow->followed = true; break;
    case TABLE_FEEDOFF: shadow->followed = false; break;
    default: do_steps(shadow, change->steps);
    }
}

/* --- Comparing --- */

static void compare_entity(const struct model_entity *expected, const struct entity *entity) {
    struct record_reader reader = record_reader(entity_properties(entity).items);
    struct property property;
    require_bytes(entry_name(&entity->entry), model_bytes(expected->key), "the next key");
    require_same(entity->etag, expected->etag, "its ETag");
    require_same(entity->ticks, expected->ticks, "its Timestamp");
    require_same(entity_properties(entity).count, expected->count, "how many properties");
    for (size_t i = 0; i < expected->count; i++) {
        struct record_writer packed ENDS_BY(record_end);
        require(property_next(&reader, &property), "property %zu of %zu is missing", i, expected->count);
        require_bytes(property.name, model_bytes(expected->properties[i].name), "name of property %zu", i);
        record_start(&packed);
        value_put(&packed, &property.value);
        require_bytes(record_written(&packed), model_bytes(expected->properties[i].value), "value %zu", i);
    }
    require(record_complete(&reader), "there is one property more");
}

static void compare_entities(const struct table_shadow *shadow, const struct table *table) {
    struct order_cursor cursor = catalog_seek(&table->entities, bytes_of("", 0));
    require_same(catalog_count(&table->entities), shadow->now.count, "entities");
    for (size_t i = 0; i < shadow->now.count; i++, order_cursor_next(&cursor)) {
        struct entry *entry = order_cursor_entry(&cursor);
        require(entry, "entity %zu of %zu is missing", i, shadow->now.count);
        compare_entity(&shadow->now.entities[i], (const struct entity *)entry);
        require(table_find(table, model_bytes(shadow->now.entities[i].key)) == (struct entity *)entry,
                "%zu is not found", i);
    }
    require(!order_cursor_entry(&cursor), "there is one entity more");
}

static int by_bytes(const void *left, const void *right) {
    return bytes_compare(*(const struct bytes *)left, *(const struct bytes *)right);
}

/* The keys of an index in their order; each is the model's own. */
static size_t index_keys_of(const struct table_shadow *shadow, const struct shadow_index *index,
                            struct bytes *keys) {
    size_t count = 0;
    for (size_t i = 0; i < shadow->now.count; i++) {
        const struct model_entity *entity = &shadow->now.entities[i];
        const struct model_property *property = table_model_property(entity, model_view_of(index->name));
        bool known = index->complete || bytes_compare(model_bytes(entity->key), index->frontier) <= 0;
        if (!property || !known) continue;
        struct record_reader packed = record_reader(model_bytes(property->value));
        struct value value = value_next(&packed);
        struct record_writer entry ENDS_BY(record_end);
        record_start(&entry);
        index_key_put_value(&entry, &value);
        record_put_raw(&entry, model_bytes(entity->key));
        keys[count++] = own(record_written(&entry));
    }
    qsort(keys, count, sizeof(*keys), by_bytes);
    return count;
}

static void compare_index(const struct table_shadow *shadow, const struct shadow_index *expected,
                          const struct table_index *index) {
    struct bytes *keys = model_resized(NULL, (shadow->now.count + 1) * sizeof(*keys));
    size_t count = index_keys_of(shadow, expected, keys);
    struct order_cursor cursor = order_index_seek(&index->entries, bytes_of("", 0));
    require_same(index->complete, expected->complete, "complete");
    require_bytes(index->frontier, expected->frontier, "its frontier");
    for (size_t i = 0; i < count; i++, order_cursor_next(&cursor)) {
        struct entry *entry = order_cursor_entry(&cursor);
        require(entry, "entry %zu of %zu is missing", i, count);
        require_bytes(entry_name(entry), keys[i], "index entry %zu of %zu", i, count);
        require(table_model_find(&shadow->now, model_view_of(index_entry_key(entry))),
                "entry %zu is of nobody", i);
        disown(keys[i]);
    }
    require(!order_cursor_entry(&cursor), "there is one index entry more");
    require_same(index->count, count, "index entries counted");
    free(keys);
}

/* A feed has each entity once, in the order of ETags, and markers of keys that have none. Answers its parts. */
static size_t compare_feed(const struct table_shadow *shadow, const struct feed *feed) {
    const struct version_slot *slot;
    struct version_cursor cursor = {0, 0};
    size_t entities = 0, parts = feed ? 1U + !!feed->frontier.length + !!feed->order.blocks : 0U;
    require_same(feed != NULL, shadow->followed, "whether a feed is on");
    for (; feed && (slot = version_cursor_slot(&feed->order, &cursor));
         version_cursor_next(&feed->order, &cursor)) {
        const struct model_entity *entity =
            table_model_find(&shadow->now, model_view_of(entry_name(version_slot_entry(slot))));
        require_same(version_slot_marked(slot), !entity, "a marker");
        if (entity) require_same(slot->v, entity->etag, "the version of an entity in the feed");
        entities += entity != NULL;
        parts += (size_t)version_slot_marked(slot) + !cursor.at;
    }
    if (feed && !feed->building) require_same(entities, shadow->now.count, "entities in the feed");
    return parts;
}

/* What hangs from a table: itself, its lists, its entities, its keys and what its indexes are called. */
static size_t parts_of(const struct table_shadow *shadow, const struct table *table) {
    size_t parts = 1 + shadow->now.count + !!shadow->policies.length + !!table->indexes;
    for (unsigned i = 0; table->indexes && i < table->index_count; i++)
        parts += 1 + table->indexes[i].count + !!table->indexes[i].frontier.length;
    return parts;
}

void table_shadow_compare(const struct table_shadow *shadow, const struct table *table) {
    compare_entities(shadow, table);
    require_same(table->index_count, shadow->index_count, "indexes");
    bool unfinished = false;
    for (unsigned i = 0; i < shadow->index_count; i++) {
        const struct table_index *index = table_index_of(table, shadow->indexes[i].name);
        require(index, "index %u is missing", i);
        compare_index(shadow, &shadow->indexes[i], index);
        unfinished |= !index->complete;
    }
    require(!table_unfinished(table) == !unfinished, "there is one to be built, or not");
    struct packed_list policies = packed_view(table->policies);
    require_bytes(policies.items, model_bytes(shadow->policies), "policies");
    require_same(table->ticks, shadow->ticks, "the greatest Timestamp");
    require_same(table_allocations(table), parts_of(shadow, table) + compare_feed(shadow, table->feed),
                 "parts");
}
