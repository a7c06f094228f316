#include "naive_row.h"

#include "require.h"
#include "table/filter_parser.h"

struct value naive_value_read(const struct naive_value *naive, char room[NAIVE_TEXT_MAX]) {
    struct value value;
    enum value_type type;
    require(value_type_read(bytes_text(naive_type_word(naive->type)), &type), "type %u", naive->type);
    struct bytes text = bytes_of(room, naive_value_write(naive, room));
    require_same(value_read(type, text, &value), OUTCOME_DONE, "'%.*s' as %s", (int)text.length, room,
                 value_type_word(type));
    return value;
}

static struct bytes put_key(struct naive_row *row, const struct naive_value *value) {
    char *at = row->key + row->key_length;
    struct bytes key = bytes_of(value->text, value->length);
    require_same(key_check(key), OUTCOME_DONE, "'%s' is a key", value->text);
    key_store(key, at);
    row->key_length += key.length;
    return bytes_of(at, key.length);
}

void naive_row_start(struct naive_row *row, const struct naive_entity *entity) {
    record_start(&row->properties);
    for (unsigned i = 0; i < entity->count; i++) {
        char room[NAIVE_TEXT_MAX];
        struct property property = {.name = bytes_text(entity->properties[i].name),
                                    .value = naive_value_read(&entity->properties[i].value, room)};
        property_put(&row->properties, &property);
    }
    row->key_length = 0;
    row->row.partition = put_key(row, &entity->partition);
    row->key[row->key_length++] = '\0';
    row->row.row = put_key(row, &entity->row);
    row->row.ticks = entity->timestamp.number;
    row->row.properties = bytes_of(row->properties.data, row->properties.length);
}

void naive_row_end(struct naive_row *row) {
    record_end(&row->properties);
}

void filter_of(struct bytes text, struct filter *filter) {
    struct filter_fault fault = {0};
    require(filter_compile(text, filter, &fault), "at %zu of '%.*s': %s", fault.position,
            (int)(text.length < 300 ? text.length : 300), text.data, fault.text);
}
