#include "table/entity.h"

#include "core/memory.h"
#include "core/utf16.h"
#include "table/filter_match.h"
#include "table/key.h"
#include "table/name_set.h"

#include <stddef.h>

enum { SIZE_STEP = 16 };

/* All but the key. */
static void fill_entity(struct entity *entity, const struct entity_state *state) {
    struct bytes items = state->properties.items;
    entity->etag = state->etag;
    entity->ticks = state->ticks;
    entity->length = (uint32_t)items.length;
    entity->count = (uint16_t)state->properties.count;
    if (items.length) memcpy(entity->bytes + entity->entry.name_length, items.data, items.length);
}

/* Sizes are rounded up, so that a state of about the same size fits into the old allocation. */
static size_t bytes_for(struct bytes key, size_t properties) {
    return (sizeof(struct entity) + key.length + properties + SIZE_STEP - 1) / SIZE_STEP * SIZE_STEP;
}

struct entity *entity_new(const struct entity_state *state) {
    struct entity *entity = memory_alloc(bytes_for(state->key, state->properties.items.length));
    entity->entry =
        (struct entry){.name_length = (uint16_t)state->key.length, .name_at = offsetof(struct entity, bytes)};
    memcpy(entity->bytes, state->key.data, state->key.length);
    fill_entity(entity, state);
    return entity;
}

struct entity *entity_twin(const struct entity *entity) {
    return entity_new(&(struct entity_state){entry_name(&entity->entry), entity->etag, entity->ticks,
                                             entity_properties(entity)});
}

bool entity_rewrite(struct entity *entity, const struct entity_state *state) {
    size_t wanted = bytes_for(state->key, state->properties.items.length);
    if (wanted != bytes_for(state->key, entity->length) || entry_is_common(&entity->entry)) return false;
    fill_entity(entity, state);
    return true;
}

struct packed_list entity_properties(const struct entity *entity) {
    return (struct packed_list){entity->count,
                                bytes_of(entity->bytes + entity->entry.name_length, entity->length)};
}

struct row entity_row(const struct entity *entity) {
    struct stored_key key = {{"", 0}, {"", 0}};
    stored_key_split(entry_name(&entity->entry), &key);
    return (struct row){key.partition, key.row, entity->ticks, entity_properties(entity).items};
}

bool properties_find_name(struct packed_list properties, struct bytes name, struct property *found) {
    struct record_reader reader = record_reader(properties.items);
    struct packed_property property;
    while (property_step(&reader, &property)) {
        if (!bytes_equal(property.name, name)) continue;
        found->name = property.name;
        return value_unpack(property.type, property.body, &found->value);
    }
    return false;
}

bool properties_unique(struct packed_list properties) {
    struct name_set names;
    struct record_reader reader = record_reader(properties.items);
    struct packed_property property;
    name_set_start(&names);
    while (property_step(&reader, &property))
        if (names.count == NAME_SET_MAX || !name_set_add(&names, property.name)) return false;
    return true;
}

/* --- Merging --- */

/* The properties to add, each as packed, and whether it has replaced an old one. */
struct additions {
    struct name_set names;
    struct {
        struct bytes whole;
        bool replaced_old;
    } items[NAME_SET_MAX];
};

static void additions_read(struct additions *added, struct packed_list list) {
    struct record_reader reader = record_reader(list.items);
    struct packed_property property;
    name_set_start(&added->names);
    for (const char *from = reader.at; added->names.count < NAME_SET_MAX && property_step(&reader, &property);
         from = reader.at) {
        added->items[added->names.count].whole = bytes_of(from, (size_t)(reader.at - from));
        added->items[added->names.count].replaced_old = false;
        name_set_add(&added->names, property.name);
    }
}

/* The property that replaces the old one of this name; NULL if that stays. */
static const struct bytes *additions_replace(struct additions *added, struct bytes name) {
    unsigned number = name_set_find(&added->names, name);
    if (number == NAME_SET_NONE) return NULL;
    added->items[number].replaced_old = true;
    return &added->items[number].whole;
}

/* Old properties that stay are copied in runs. */
struct packed_list properties_merge(struct packed_list old, struct packed_list added,
                                    struct record_writer *buffer) {
    struct additions additions;
    struct record_reader reader = record_reader(old.items);
    struct packed_property property;
    uint64_t count = old.count;
    const char *run = reader.at;
    additions_read(&additions, added);
    for (const char *from = reader.at; property_step(&reader, &property); from = reader.at) {
        const struct bytes *replacement = additions_replace(&additions, property.name);
        if (!replacement) continue;
        record_put_raw(buffer, bytes_of(run, (size_t)(from - run)));
        record_put_raw(buffer, *replacement);
        run = reader.at;
    }
    record_put_raw(buffer, bytes_of(run, (size_t)(reader.at - run)));
    for (unsigned i = 0; i < additions.names.count; i++) {
        if (additions.items[i].replaced_old) continue;
        record_put_raw(buffer, additions.items[i].whole);
        count++;
    }
    return (struct packed_list){count, record_written(buffer)};
}

/* --- Limits --- */

enum {
    COUNTED_HEAD = 4,     /* bytes that each entity counts for, besides its key */
    COUNTED_PROPERTY = 8, /* … and each property, besides its name and value */
    COUNTED_MAX_EXTRA = COUNTED_PROPERTY + 4,
};

/* Whether the entity is so small that counting can be skipped: no byte counts more than twice. */
static bool surely_fits(struct bytes key, struct packed_list properties) {
    return 2 * (key.length + properties.items.length) + properties.count * COUNTED_MAX_EXTRA + COUNTED_HEAD <=
           ENTITY_MAX_BYTES;
}

static size_t counted_size(struct bytes key, struct packed_list properties) {
    struct record_reader reader = record_reader(properties.items);
    struct property property;
    size_t size = COUNTED_HEAD + 2 * stored_key_units(key);
    while (property_next(&reader, &property)) {
        size_t units = 0;
        utf16_count(property.name, &units);
        size += COUNTED_PROPERTY + 2 * units + value_size(&property.value);
    }
    return size;
}

enum outcome entity_check_size(struct bytes key, struct packed_list properties) {
    if (properties.count > PROPERTIES_MAX) return OUTCOME_TOO_MANY_PROPERTIES;
    if (surely_fits(key, properties)) return OUTCOME_DONE;
    return counted_size(key, properties) > ENTITY_MAX_BYTES ? OUTCOME_ENTITY_TOO_LARGE : OUTCOME_DONE;
}

enum outcome entity_check_merged_size(const struct entity *entity, struct packed_list added) {
    struct packed_list old = entity_properties(entity);
    struct bytes key = entry_name(&entity->entry);
    struct packed_list upper = {
        old.count + added.count,
        bytes_of("", old.items.length + added.items.length)}; /* only its sizes count */
    if (upper.count <= PROPERTIES_MAX && surely_fits(key, upper)) return OUTCOME_DONE;
    struct record_writer buffer;
    record_start(&buffer);
    enum outcome outcome = entity_check_size(key, properties_merge(old, added, &buffer));
    record_end(&buffer);
    return outcome;
}
