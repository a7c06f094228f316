#include "table/table_change.h"

#include "change/checks.h"
#include "change/feed_change.h"
#include "table/entity.h"
#include "table/key.h"
#include "table/ticks.h"

#include <stddef.h>

/* --- Steps --- */

enum { STEP_KIND, STEP_KEY, STEP_ETAG, STEP_TICKS, STEP_PROPERTIES };

#define HAS(field) (UINT64_C(1) << STEP_##field)

#define AT(member) .offset = offsetof(struct table_step, member)
static const struct field step_fields[] = {
    [STEP_KIND] = {AT(kind), .codec = CODEC_ENUM, .max = STEP_KINDS - 1},
    [STEP_KEY] = {AT(key), .codec = CODEC_BYTES},
    [STEP_ETAG] = {AT(etag), .codec = CODEC_VERSION},
    [STEP_TICKS] = {AT(ticks), .codec = CODEC_WORD, .max = TICKS_MAX},
    [STEP_PROPERTIES] = {AT(properties), .codec = CODEC_LIST},
};
#undef AT

static const struct layout step_layout = {.fields = step_fields};

/* The fields of a step besides kind and key. */
static uint64_t step_fields_of(const struct table_step *step) {
    if (step->kind == STEP_MARK) return HAS(ETAG);
    return step->kind == STEP_REMOVE ? 0 : HAS(ETAG) | HAS(TICKS) | HAS(PROPERTIES);
}

void table_step_put(struct record_writer *writer, const struct table_step *step) {
    layout_write(&step_layout, HAS(KIND) | HAS(KEY) | step_fields_of(step), step, writer);
}

bool table_step_next(struct record_reader *reader, struct table_step *step) {
    if (!record_more(reader)) return false;
    *step = (struct table_step){0};
    layout_read(&step_layout, HAS(KIND) | HAS(KEY), reader, step);
    layout_read(&step_layout, step_fields_of(step), reader, step);
    return !reader->failed;
}

#undef HAS

static void put_decided_step(const void *steps, uint64_t at, struct record_writer *packed) {
    table_step_put(packed, (const struct table_step *)steps + at);
}

/* The array of a decision is packed here, so only if the change is replicated or saved. */
static void write_steps(const void *field, struct record_writer *writer) {
    const struct table_change *change = field;
    if (change->decided)
        record_put_items(writer, change->steps.count, change->decided, put_decided_step);
    else
        record_put_list(writer, change->steps);
}

static void read_steps(struct record_reader *reader, void *field) {
    struct table_change *change = field;
    change->steps = record_list(reader);
}

static version newest_etag(const void *field) {
    const struct table_change *change = field;
    struct record_reader reader = record_reader(change->steps.items);
    struct table_step step;
    version newest = 0;
    while (table_step_next(&reader, &step))
        if (step.etag > newest) newest = step.etag;
    return newest;
}

static const struct own_codec steps_codec = {write_steps, read_steps, newest_etag};

/* --- Names --- */

bool table_name_next(struct record_reader *reader, struct bytes *name) {
    if (!record_more(reader)) return false;
    *name = record_bytes(reader);
    return !reader->failed;
}

static bool is_property_name(struct bytes name) {
    return property_name_check(name) == OUTCOME_DONE && filter_subject_of(name) == SUBJECT_PROPERTY;
}

static bool names_are_sound(const void *field) {
    const struct packed_list *names = field;
    struct record_reader reader = record_reader(names->items);
    struct bytes name;
    uint64_t count = 0;
    if (names->count > TABLE_INDEXES_MAX) return false;
    while (table_name_next(&reader, &name)) {
        if (!is_property_name(name)) return false;
        count++;
    }
    return record_complete(&reader) && count == names->count;
}

/* --- Fields --- */

/* Empty means: past the last key. */
static bool key_is_sound(const void *field) {
    const struct bytes *key = field;
    return !key->length || stored_key_sound(*key);
}

#define ROW(name, member, ...) {.offset = offsetof(struct table_change, member), __VA_ARGS__},
static const struct field fields[] = {TABLE_FIELDS(ROW)};
#undef ROW

/* --- Checks of steps --- */

/* Whether the list has as many properties as it says, all valid and with distinct names. */
static bool properties_fit(struct packed_list list) {
    struct record_reader reader = record_reader(list.items);
    struct property property;
    uint64_t count = 0;
    if (list.count > PROPERTIES_MAX) return false;
    while (property_next(&reader, &property)) {
        if (!is_property_name(property.name) || !value_sound(&property.value)) return false;
        count++;
    }
    return record_complete(&reader) && count == list.count && properties_unique(list);
}

static bool step_sound(const struct table_step *step) {
    if (!stored_key_sound(step->key)) return false;
    if (table_step_removes(step)) return true;
    return properties_fit(step->properties) && entity_check_size(step->key, step->properties) == OUTCOME_DONE;
}

/* Whether an earlier step has the same key. */
static bool has_earlier_step(struct packed_list steps, const struct table_step *wanted) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step) && step.key.data < wanted->key.data)
        if (bytes_equal(step.key, wanted->key)) return true;
    return false;
}

static uint64_t steps_max(enum table_change_kind kind) {
    switch (kind) {
    case TABLE_BATCH: return TABLE_BATCH_MAX;
    case TABLE_ENTITIES: return TABLE_ENTITIES_MAX;
    default: return 1;
    }
}

/* Each entity may appear once. In files, where they are many, they must be in the order of their keys. */
static bool steps_sound(const struct table_change *change) {
    struct packed_list list = change->steps;
    struct record_reader reader = record_reader(list.items);
    struct table_step step;
    struct bytes before = {"", 0};
    uint64_t count = 0;
    if (!list.count || list.count > steps_max(change->kind)) return false;
    while (table_step_next(&reader, &step)) {
        if (!step_sound(&step)) return false;
        bool in_file = change->kind == TABLE_ENTITIES;
        if (in_file && (step.kind != STEP_ADD || bytes_compare(before, step.key) >= 0)) return false;
        if (!in_file && has_earlier_step(list, &step)) return false;
        before = step.key;
        count++;
    }
    return record_complete(&reader) && count == list.count;
}

static bool is_sound_table(const void *record) {
    const struct table_change *change = record;
    return !(table_change_kinds[change->kind].is.fields & TABLE_HAS(STEPS)) || steps_sound(change);
}

const struct change_schema table_changes = {
    .letter = 'T',
    SCHEMA_ROWS(table),
    .layout = {.fields = fields},
    .sound = is_sound_table,
};
