#include "table/redis/entity_reply.h"

#include "core/number.h"
#include "server/call/refusal.h"
#include "table/filter_match.h"
#include "table/ticks.h"

#include <math.h>

/* --- Selections --- */

static void select_valid(struct selection *selection, struct bytes name) {
    switch (filter_subject_of(name)) {
    case SUBJECT_PARTITION: selection->partition = true; break;
    case SUBJECT_ROW: selection->row = true; break;
    case SUBJECT_TIMESTAMP: selection->timestamp = true; break;
    default: name_set_add(&selection->names, name);
    }
}

static enum outcome select_name(struct call *call, struct selection *selection, struct bytes name) {
    if (bytes_equal(name, bytes_text("*"))) {
        selection->all = true;
        return OUTCOME_DONE;
    }
    enum outcome outcome = property_name_check(name);
    if (outcome != OUTCOME_DONE) return refusal_of_word(call, outcome, name);
    select_valid(selection, name);
    return OUTCOME_DONE;
}

enum outcome selection_read(struct call *call, struct selection *selection) {
    selection->all = !args_given(&call->args, SLOT_SELECT) || !call->args.slots[SLOT_SELECT].count;
    selection->partition = selection->row = selection->timestamp = false;
    if (selection->all) return OUTCOME_DONE;
    const struct argument *names = &call->args.slots[SLOT_SELECT];
    name_set_start(&selection->names);
    if (names->count > SELECTED_MAX)
        return refusal_because_format(call, OUTCOME_INVALID_INPUT, "SELECT takes at most %d names",
                                      SELECTED_MAX);
    for (int i = 0; i < names->count; i++) {
        enum outcome outcome = select_name(call, selection, call_word(call, names->at + i));
        if (outcome != OUTCOME_DONE) return outcome;
    }
    return OUTCOME_DONE;
}

/* --- Properties --- */

/* "age:int32"; strings have the name alone. */
static void reply_name(struct reply *out, struct bytes name, enum value_type type) {
    char text[PROPERTY_NAME_MAX_UNITS * 3 + 16];
    if (type == VALUE_STRING) {
        reply_bytes(out, name);
        return;
    }
    struct bytes word = bytes_text(value_type_word(type));
    memcpy(text, name.data, name.length);
    text[name.length] = ':';
    memcpy(text + name.length + 1, word.data, word.length);
    reply_bytes(out, bytes_of(text, name.length + 1 + word.length));
}

static void reply_ticks(struct reply *out, int64_t ticks) {
    char text[TICKS_TEXT_LENGTH];
    ticks_write(ticks, text);
    reply_bytes(out, bytes_of(text, sizeof(text)));
}

/* As text: scripts, and clients whose numbers are doubles, would round it. */
static void reply_large(struct reply *out, int64_t number) {
    char text[NUMBER_TEXT_MAX];
    reply_bytes(out, bytes_of(text, number_write(number, text)));
}

/* Not every client accepts NaN as a double of RESP3. */
static void reply_double(struct reply *out, double real) {
    if (isnan(real))
        reply_bytes(out, bytes_text("NaN"));
    else
        reply_real(out, real);
}

static void reply_value(struct reply *out, const struct value *value) {
    switch (value->type) {
    case VALUE_INT32: reply_number(out, value->number); break;
    case VALUE_INT64: reply_large(out, value->number); break;
    case VALUE_DOUBLE: reply_double(out, value->real); break;
    case VALUE_BOOL: reply_flag(out, value->number); break;
    case VALUE_DATETIME: reply_ticks(out, value->number); break;
    case VALUE_GUID: reply_guid(out, value->guid); break;
    default: reply_bytes(out, value->bytes);
    }
}

void reply_key(struct reply *out, struct bytes stored) {
    char key[KEY_MAX_BYTES];
    key_show(stored, key);
    reply_bytes(out, bytes_of(key, stored.length));
}

static void reply_property(struct reply *out, const struct property *property) {
    reply_name(out, property->name, property->value.type);
    reply_value(out, &property->value);
}

static void reply_whole(struct reply *out, const struct entity *entity) {
    struct record_reader reader = record_reader(entity_properties(entity).items);
    struct property property;
    reply_map(out, entity->count);
    while (property_next(&reader, &property)) reply_property(out, &property);
}

/* The keys and Timestamp, if they are selected. */
static void reply_system_properties(struct reply_map *map, const struct entity *entity,
                                    const struct selection *selection) {
    struct row row = entity_row(entity);
    if (selection->partition) {
        reply_field(map, PARTITION_NAME);
        reply_key(map->out, row.partition);
    }
    if (selection->row) {
        reply_field(map, ROW_NAME);
        reply_key(map->out, row.row);
    }
    if (!selection->timestamp) return;
    map->count++;
    reply_name(map->out, bytes_text(TIMESTAMP_NAME), VALUE_DATETIME);
    reply_ticks(map->out, row.ticks);
}

void reply_entity(struct reply *out, const struct entity *entity, const struct selection *selection) {
    bool with_system = selection->partition || selection->row || selection->timestamp;
    if (selection->all && !with_system) {
        reply_whole(out, entity);
        return;
    }
    struct reply_map map = reply_map_counted(out);
    while (reply_map_pass(&map)) {
        struct record_reader reader = record_reader(entity_properties(entity).items);
        struct property property;
        reply_system_properties(&map, entity, selection);
        while (property_next(&reader, &property)) {
            if (!selection->all && !name_set_has(&selection->names, property.name)) continue;
            reply_property(map.out, &property);
            map.count++;
        }
    }
}
