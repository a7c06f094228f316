#include "table/table_change.h"

#include "core/policy.h"
#include "table/entity.h"
#include "table/key.h"

enum { FORMAT = 1 };

enum field { POLICIES = 1 << 0, TICKS = 1 << 1, NAMES = 1 << 2, KEY = 1 << 3, STEPS = 1 << 4 };

/* clang-format off */
static const struct { const char *event; unsigned fields; uint64_t most_steps; } kinds[TABLE_CHANGE_KINDS] = {
    [TABLE_CREATE]          = {"table.create",          POLICIES | TICKS | NAMES, 0},
    [TABLE_DROP]            = {"table.drop",            0, 0},
    [TABLE_SETACL]          = {"table.setacl",          POLICIES, 0},
    [TABLE_INDEX]           = {"table.index",           NAMES, 0},
    [TABLE_UNINDEX]         = {"table.unindex",         NAMES, 0},
    [TABLE_INDEXED]         = {NULL,                    NAMES | KEY, 0},
    [TABLE_INSERT]          = {"table.insert",          STEPS, 1},
    [TABLE_REPLACE]         = {"table.replace",         STEPS, 1},
    [TABLE_MERGE]           = {"table.merge",           STEPS, 1},
    [TABLE_DELETE]          = {"table.delete",          STEPS, 1},
    [TABLE_INSERTORREPLACE] = {"table.insertorreplace", STEPS, 1},
    [TABLE_INSERTORMERGE]   = {"table.insertormerge",   STEPS, 1},
    [TABLE_BATCH]           = {"table.batch",           STEPS, TABLE_BATCH_MOST},
    [TABLE_ENTITIES]        = {NULL,                    STEPS, TABLE_ENTITIES_MOST},
};
/* clang-format on */

const char *table_change_event(enum table_change_kind kind) {
    return kinds[kind].event;
}

/* --- To write --- */

void table_change_write(const struct table_change *change, struct record_writer *writer) {
    unsigned fields = kinds[change->kind].fields;
    record_put_byte(writer, TABLE_FAMILY);
    record_put_byte(writer, FORMAT);
    record_put_byte(writer, (uint8_t)change->kind);
    if (fields & POLICIES) record_put_list(writer, change->policies);
    if (fields & TICKS) record_put_number(writer, (uint64_t)change->ticks);
    if (fields & NAMES) record_put_list(writer, change->names);
    if (fields & KEY) record_put_bytes(writer, change->key);
    if (fields & STEPS) record_put_list(writer, change->steps);
}

void table_step_put(struct record_writer *writer, const struct table_step *step) {
    record_put_byte(writer, (uint8_t)step->kind);
    record_put_bytes(writer, step->key);
    if (step->kind == STEP_REMOVE) return;
    record_put_word(writer, step->etag);
    record_put_word(writer, (uint64_t)step->ticks);
    record_put_list(writer, step->properties);
}

/* --- To read --- */

static int64_t ticks_field(int64_t ticks, struct record_reader *reader) {
    if (ticks < 0 || ticks > TICKS_MOST) reader->failed = true;
    return ticks;
}

bool table_step_next(struct record_reader *reader, struct table_step *step) {
    if (reader->failed || reader->at == reader->end) return false;
    *step = (struct table_step){.kind = (enum table_step_kind)record_byte(reader)};
    if (step->kind >= STEP_KINDS) reader->failed = true;
    step->key = record_bytes(reader);
    if (!reader->failed && step->kind != STEP_REMOVE) {
        step->etag = record_word(reader);
        step->ticks = ticks_field((int64_t)record_word(reader), reader);
        step->properties = record_list(reader);
    }
    return !reader->failed;
}

bool table_name_next(struct record_reader *reader, struct bytes *name) {
    if (reader->failed || reader->at == reader->end) return false;
    *name = record_bytes(reader);
    return !reader->failed;
}

static bool name_sound(struct bytes name) {
    return property_name_check(name) == OUTCOME_DONE && filter_subject_of(name) == SUBJECT_PROPERTY;
}

/* As many as the list says, each of its own name and sound. */
static bool properties_sound(struct packed_list list) {
    struct record_reader reader = record_reader(list.items);
    struct property property;
    uint64_t count = 0;
    if (list.count > PROPERTIES_MOST) return false;
    while (property_next(&reader, &property)) {
        if (!name_sound(property.name) || !value_sound(&property.value)) return false;
        count++;
    }
    return record_complete(&reader) && count == list.count && properties_unique(list);
}

static bool step_sound(const struct table_step *step) {
    if (!stored_key_sound(step->key)) return false;
    if (step->kind == STEP_REMOVE) return true;
    return step->etag && step->etag <= VERSION_MOST && properties_sound(step->properties) &&
           entity_fits(step->key, step->properties) == OUTCOME_DONE;
}

static bool stands_before(struct packed_list steps, const struct table_step *wanted) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step) && step.key.data < wanted->key.data)
        if (bytes_equal(step.key, wanted->key)) return true;
    return false;
}

/* Each entity once. In files they are many, and stand in their order. */
static bool steps_sound(enum table_change_kind kind, struct packed_list steps) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    struct bytes before = {"", 0};
    uint64_t count = 0;
    if (!steps.count || steps.count > kinds[kind].most_steps) return false;
    while (table_step_next(&reader, &step)) {
        if (!step_sound(&step)) return false;
        bool in_file = kind == TABLE_ENTITIES;
        if (in_file && (step.kind != STEP_ADD || bytes_compare(before, step.key) >= 0)) return false;
        if (!in_file && stands_before(steps, &step)) return false;
        before = step.key;
        count++;
    }
    return record_complete(&reader) && count == steps.count;
}

static bool names_sound(struct packed_list names) {
    struct record_reader reader = record_reader(names.items);
    struct bytes name;
    uint64_t count = 0;
    if (names.count > TABLE_INDEXES_MOST) return false;
    while (table_name_next(&reader, &name)) {
        if (!name_sound(name)) return false;
        count++;
    }
    return record_complete(&reader) && count == names.count;
}

bool table_change_read(struct bytes record, struct table_change *change) {
    struct record_reader reader = record_reader(record);
    *change = (struct table_change){0};
    uint8_t family = record_byte(&reader), format = record_byte(&reader), kind = record_byte(&reader);
    if (reader.failed || family != TABLE_FAMILY || format != FORMAT || kind >= TABLE_CHANGE_KINDS)
        return false;
    unsigned fields = kinds[kind].fields;
    change->kind = (enum table_change_kind)kind;
    if (fields & POLICIES) change->policies = record_list(&reader);
    if (fields & TICKS) change->ticks = ticks_field((int64_t)record_number(&reader), &reader);
    if (fields & NAMES) change->names = record_list(&reader);
    if (fields & KEY) change->key = record_bytes(&reader);
    if (fields & STEPS) change->steps = record_list(&reader);
    if (!record_complete(&reader)) return false;
    if (fields & POLICIES && policies_check(change->policies) != OUTCOME_DONE) return false;
    if (fields & KEY && change->key.length && !stored_key_sound(change->key)) return false;
    return (!(fields & NAMES) || names_sound(change->names)) &&
           (!(fields & STEPS) || steps_sound(change->kind, change->steps));
}
