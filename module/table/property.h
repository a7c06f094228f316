/* Properties: what an entity holds under its names. A list has them one after the other, each once, in the order in
 * which they came: name, type and packed value. The same bytes stand in an entity, in a change and in a file.
 *
 * Names are identifiers and mind their case; a caller writes the type behind a colon, and reads it there. */
#ifndef HOLDFAST_TABLE_PROPERTY_H
#define HOLDFAST_TABLE_PROPERTY_H

#include "core/packed.h"
#include "table/value.h"

enum {
    PROPERTIES_MAX = 252,
    PROPERTY_NAME_MAX_UNITS = 255,
    PROPERTY_NAME_MAX_BYTES = PROPERTY_NAME_MAX_UNITS * 3,
    ENTITY_MAX_BYTES = 1 << 20, /* as the service counts: see value_size */
};

struct property {
    struct bytes name;
    struct value value;
};

/* A step through a list; false at its end. */
bool property_next(struct record_reader *reader, struct property *property);

/* The same without a look at the value: value_unpack says what it is. */
struct packed_property {
    struct bytes name, body;
    enum value_type type;
};
bool property_step(struct record_reader *reader, struct packed_property *property);

void property_put(struct record_writer *writer, const struct property *property);

/* PROPERTY_NAME_INVALID, PROPERTY_NAME_TOO_LONG. */
enum outcome property_name_check(struct bytes name);

/* Whether a name can have this byte, at its beginning or behind that. */
bool property_name_byte(char byte, bool first);

/* "age:int32" as the name, which is checked, and the type: TYPE_UNKNOWN when there is no such type. */
enum outcome property_name_read(struct bytes text, struct bytes *name, enum value_type *type);

#endif
