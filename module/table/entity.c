#include "table/entity.h"

#include "core/memory.h"
#include "core/utf16.h"
#include "table/key.h"
#include "table/name_set.h"

#include <stddef.h>

enum { SIZE_STEP = 16 };

/* All but the key. */
static void fill(struct entity *entity, const struct entity_state *state) {
    struct bytes items = state->properties.items;
    entity->etag = state->etag;
    entity->ticks = state->ticks;
    entity->length = (uint32_t)items.length;
    entity->count = (uint16_t)state->properties.count;
    if (items.length) memcpy(entity->bytes + entity->entry.name_length, items.data, items.length);
}

/* Sizes come in steps, so that a state of about the same size has room where the old one stood. */
static size_t bytes_for(struct bytes key, size_t properties) {
    return (sizeof(struct entity) + key.length + properties + SIZE_STEP - 1) / SIZE_STEP * SIZE_STEP;
}

struct entity *entity_new(const struct entity_state *state) {
    struct entity *entity = memory_alloc(bytes_for(state->key, state->properties.items.length));
    entity->entry =
        (struct entry){.name_length = (uint16_t)state->key.length, .name_at = offsetof(struct entity, bytes)};
    memcpy(entity->bytes, state->key.data, state->key.length);
    fill(entity, state);
    return entity;
}

bool entity_rewrite(struct entity *entity, const struct entity_state *state) {
    size_t wanted = bytes_for(state->key, state->properties.items.length);
    if (wanted != bytes_for(state->key, entity->length)) return false;
    fill(entity, state);
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

/* --- Names that stand twice --- */

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

/* The properties that are given, as they stand in their list, and whether each has found its place. */
struct given {
    struct name_set names;
    struct {
        struct bytes whole;
        bool placed;
    } items[NAME_SET_MAX];
};

static void given_read(struct given *given, struct packed_list list) {
    struct record_reader reader = record_reader(list.items);
    struct packed_property property;
    name_set_start(&given->names);
    for (const char *from = reader.at; given->names.count < NAME_SET_MAX && property_step(&reader, &property);
         from = reader.at) {
        given->items[given->names.count].whole = bytes_of(from, (size_t)(reader.at - from));
        given->items[given->names.count].placed = false;
        name_set_add(&given->names, property.name);
    }
}

/* What is given in the place of a standing property; NULL for nothing. */
static const struct bytes *given_place(struct given *given, struct bytes name) {
    unsigned number = name_set_find(&given->names, name);
    if (number == NAME_SET_NONE) return NULL;
    given->items[number].placed = true;
    return &given->items[number].whole;
}

/* What stays is copied in runs. */
struct packed_list properties_merge(struct packed_list standing, struct packed_list given_list,
                                    struct record_writer *room) {
    struct given given;
    struct record_reader reader = record_reader(standing.items);
    struct packed_property property;
    uint64_t count = standing.count;
    const char *run = reader.at;
    given_read(&given, given_list);
    for (const char *from = reader.at; property_step(&reader, &property); from = reader.at) {
        const struct bytes *other = given_place(&given, property.name);
        if (!other) continue;
        record_put_raw(room, bytes_of(run, (size_t)(from - run)));
        record_put_raw(room, *other);
        run = reader.at;
    }
    record_put_raw(room, bytes_of(run, (size_t)(reader.at - run)));
    for (unsigned i = 0; i < given.names.count; i++) {
        if (given.items[i].placed) continue;
        record_put_raw(room, given.items[i].whole);
        count++;
    }
    return (struct packed_list){count, bytes_of(room->data, room->length)};
}

/* --- Limits --- */

enum {
    COUNTED_HEAD = 4,     /* what each entity counts for, … */
    COUNTED_PROPERTY = 8, /* … and each property, besides its name and value */
    COUNTED_MAX_EXTRA = COUNTED_PROPERTY + 4,
};

/* Most entities are so small that nothing has to be counted: no byte of theirs counts more than twice. */
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

enum outcome entity_fits(struct bytes key, struct packed_list properties) {
    if (properties.count > PROPERTIES_MAX) return OUTCOME_TOO_MANY_PROPERTIES;
    if (surely_fits(key, properties)) return OUTCOME_DONE;
    return counted_size(key, properties) > ENTITY_MAX_BYTES ? OUTCOME_ENTITY_TOO_LARGE : OUTCOME_DONE;
}

enum outcome entity_fits_merged(const struct entity *entity, struct packed_list given) {
    struct packed_list standing = entity_properties(entity);
    struct bytes key = entry_name(&entity->entry);
    struct packed_list max = {standing.count + given.count,
                              bytes_of("", standing.items.length + given.items.length)};
    if (max.count <= PROPERTIES_MAX && surely_fits(key, max)) return OUTCOME_DONE;
    struct record_writer room;
    record_start(&room);
    enum outcome outcome = entity_fits(key, properties_merge(standing, given, &room));
    record_end(&room);
    return outcome;
}
