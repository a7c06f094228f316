#include "table/redis/entity_reply.h"

#include "server/refusal.h"

#include <math.h>

/* --- Selections --- */

static void select_sound(struct selection *selection, struct bytes name) {
    switch (filter_subject_of(name)) {
    case SUBJECT_PARTITION: selection->partition = true; break;
    case SUBJECT_ROW: selection->row = true; break;
    case SUBJECT_TIMESTAMP: selection->timestamp = true; break;
    default: name_set_add(&selection->names, name);
    }
}

static enum outcome select_name(struct call *call, struct selection *selection, struct bytes name) {
    enum outcome outcome = property_name_check(name);
    if (outcome != OUTCOME_DONE) return refusal_of_word(call, outcome, name);
    select_sound(selection, name);
    return OUTCOME_DONE;
}

enum outcome selection_read(struct call *call, struct selection *selection) {
    selection->all = !args_given(&call->args, SLOT_SELECT) || !call->args.slots[SLOT_SELECT].count;
    selection->partition = selection->row = selection->timestamp = false;
    if (selection->all) return OUTCOME_DONE;
    const struct argument *names = &call->args.slots[SLOT_SELECT];
    name_set_start(&selection->names);
    if (names->count > SELECTED_MOST) {
        call_note(call, "SELECT takes at most %d names", SELECTED_MOST);
        return OUTCOME_INVALID_INPUT;
    }
    for (int i = 0; i < names->count; i++) {
        enum outcome outcome = select_name(call, selection, call_word(call, names->at + i));
        if (outcome != OUTCOME_DONE) return outcome;
    }
    return OUTCOME_DONE;
}

/* --- Properties --- */

/* "age:int32"; a string's name stands alone. */
static void reply_name(RedisModuleCtx *ctx, struct bytes name, enum value_type type) {
    char text[PROPERTY_NAME_MAX_UNITS * 3 + 16];
    if (type == VALUE_STRING) {
        reply_bytes(ctx, name);
        return;
    }
    struct bytes word = bytes_text(value_type_word(type));
    memcpy(text, name.data, name.length);
    text[name.length] = ':';
    memcpy(text + name.length + 1, word.data, word.length);
    RedisModule_ReplyWithStringBuffer(ctx, text, name.length + 1 + word.length);
}

static void reply_ticks(RedisModuleCtx *ctx, int64_t ticks) {
    char text[TICKS_TEXT_LENGTH];
    ticks_write(ticks, text);
    RedisModule_ReplyWithStringBuffer(ctx, text, sizeof(text));
}

static void reply_guid(RedisModuleCtx *ctx, struct guid guid) {
    char text[GUID_TEXT_LENGTH];
    guid_write(guid, text);
    RedisModule_ReplyWithStringBuffer(ctx, text, sizeof(text));
}

/* Not every client takes what is no number for a double. */
static void reply_real(RedisModuleCtx *ctx, double real) {
    if (isnan(real))
        reply_bytes(ctx, bytes_text("NaN"));
    else
        RedisModule_ReplyWithDouble(ctx, real);
}

static void reply_value(RedisModuleCtx *ctx, const struct value *value) {
    switch (value->type) {
    case VALUE_INT32:
    case VALUE_INT64: RedisModule_ReplyWithLongLong(ctx, value->number); break;
    case VALUE_DOUBLE: reply_real(ctx, value->real); break;
    case VALUE_BOOL: RedisModule_ReplyWithBool(ctx, (int)value->number); break;
    case VALUE_DATETIME: reply_ticks(ctx, value->number); break;
    case VALUE_GUID: reply_guid(ctx, value->guid); break;
    default: reply_bytes(ctx, value->bytes);
    }
}

void reply_key(RedisModuleCtx *ctx, struct bytes stored) {
    char key[KEY_MAX_BYTES];
    key_show(stored, key);
    RedisModule_ReplyWithStringBuffer(ctx, key, stored.length);
}

static void reply_property(RedisModuleCtx *ctx, const struct property *property) {
    reply_name(ctx, property->name, property->value.type);
    reply_value(ctx, &property->value);
}

static void reply_whole(RedisModuleCtx *ctx, const struct entity *entity) {
    struct record_reader reader = record_reader(entity_properties(entity).items);
    struct property property;
    RedisModule_ReplyWithMap(ctx, entity->count);
    while (property_next(&reader, &property)) reply_property(ctx, &property);
}

/* What every entity has, if it is selected. */
static void reply_own(struct reply_list *map, const struct entity *entity,
                      const struct selection *selection) {
    struct row row = entity_row(entity);
    if (selection->partition) {
        reply_field(map, PARTITION_NAME);
        reply_key(map->ctx, row.partition);
    }
    if (selection->row) {
        reply_field(map, ROW_NAME);
        reply_key(map->ctx, row.row);
    }
    if (!selection->timestamp) return;
    map->count++;
    reply_name(map->ctx, bytes_text(TIMESTAMP_NAME), VALUE_DATETIME);
    reply_ticks(map->ctx, row.ticks);
}

void reply_entity(RedisModuleCtx *ctx, const struct entity *entity, const struct selection *selection) {
    if (selection->all) {
        reply_whole(ctx, entity);
        return;
    }
    struct reply_list map = reply_map_start(ctx);
    struct record_reader reader = record_reader(entity_properties(entity).items);
    struct property property;
    reply_own(&map, entity, selection);
    while (property_next(&reader, &property)) {
        if (!name_set_has(&selection->names, property.name)) continue;
        reply_property(ctx, &property);
        map.count++;
    }
    reply_map_end(&map);
}
