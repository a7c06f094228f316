#include "table/property.h"

#include "core/utf16.h"

/* Names are not empty, and their length is in its shortest form: its last byte is not zero. */
static struct bytes property_take_name(struct record_reader *reader) {
    struct bytes name = record_bytes(reader);
    if (!name.length || !name.data[-1]) reader->failed = true;
    return name;
}

bool property_next(struct record_reader *reader, struct property *property) {
    if (reader->failed || reader->at == reader->end) return false;
    property->name = property_take_name(reader);
    property->value = value_next(reader);
    return !reader->failed;
}

bool property_step(struct record_reader *reader, struct packed_property *property) {
    if (reader->failed || reader->at == reader->end) return false;
    property->name = property_take_name(reader);
    property->body = value_body(reader, &property->type);
    return !reader->failed;
}

void property_put(struct record_writer *writer, const struct property *property) {
    record_put_bytes(writer, property->name);
    value_put(writer, &property->value);
}

/* Bytes of other kinds are in no name. */
enum { KIND_LETTER = 1, KIND_DIGIT = 2, KIND_BEYOND = 4 /* ASCII: the units must be counted */ };

static const uint8_t kinds_in_names[256] = {
    ['A' ... 'Z'] = KIND_LETTER, ['a' ... 'z'] = KIND_LETTER,   ['_'] = KIND_LETTER,
    ['0' ... '9'] = KIND_DIGIT,  [0x80 ... 0xff] = KIND_BEYOND,
};

bool property_name_byte(char byte, bool first) {
    unsigned kind = kinds_in_names[(unsigned char)byte];
    return kind && !(first && kind == KIND_DIGIT);
}

enum outcome property_name_check(struct bytes name) {
    size_t units = name.length;
    unsigned kinds = 0;
    if (!name.length) return OUTCOME_PROPERTY_NAME_INVALID;
    if (name.length > PROPERTY_NAME_MAX_BYTES) return OUTCOME_PROPERTY_NAME_TOO_LONG;
    if (!property_name_byte(name.data[0], true)) return OUTCOME_PROPERTY_NAME_INVALID;
    for (size_t i = 0; i < name.length; i++) {
        unsigned kind = kinds_in_names[(unsigned char)name.data[i]];
        if (!kind) return OUTCOME_PROPERTY_NAME_INVALID;
        kinds |= kind;
    }
    if (kinds & KIND_BEYOND && !utf16_count(name, &units)) return OUTCOME_PROPERTY_NAME_INVALID;
    return units > PROPERTY_NAME_MAX_UNITS ? OUTCOME_PROPERTY_NAME_TOO_LONG : OUTCOME_DONE;
}

enum outcome property_name_read(struct bytes text, struct bytes *name, enum value_type *type) {
    const char *colon = text.length ? memchr(text.data, ':', text.length) : NULL;
    *type = VALUE_STRING;
    *name = text;
    if (colon) name->length = (size_t)(colon - text.data);
    enum outcome outcome = property_name_check(*name);
    if (outcome != OUTCOME_DONE || !colon) return outcome;
    struct bytes word = bytes_of(colon + 1, text.length - name->length - 1);
    return value_type_read(word, type) ? OUTCOME_DONE : OUTCOME_TYPE_UNKNOWN;
}
