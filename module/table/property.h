/* Properties: the named values of an entity. A packed list has name, type and value of each, one after the other in the
 * order of writing. Entities, changes and files hold the same bytes.
 *
 * Names are case-sensitive identifiers. Callers write and read the type behind a colon: "age:int32". */
#ifndef HOLDFAST_TABLE_PROPERTY_H
#define HOLDFAST_TABLE_PROPERTY_H

#include "core/packed.h"
#include "table/value.h"

enum {
    PROPERTIES_MAX = 252,
    PROPERTY_NAME_MAX_UNITS = 255,
    PROPERTY_NAME_MAX_BYTES = PROPERTY_NAME_MAX_UNITS * 3,
    ENTITY_MAX_BYTES = 1 << 20, /* as the storage service counts: see value_size */
};

struct property {
    struct bytes name;
    struct value value;
};

/* Reads the next property of a list; false at its end. */
bool property_next(struct record_reader *reader, struct property *property);

/* The same without decoding the value: value_unpack does that. */
struct packed_property {
    struct bytes name, body;
    enum value_type type;
};
bool property_step(struct record_reader *reader, struct packed_property *property);

void property_put(struct record_writer *writer, const struct property *property);

/* PROPERTY_NAME_INVALID, PROPERTY_NAME_TOO_LONG. */
enum outcome property_name_check(struct bytes name);

/* Whether a name can have this byte, as its first one or later. */
bool property_name_byte(char byte, bool first);

/* Splits "age:int32" into the name, which is checked, and the type: TYPE_UNKNOWN when there is no such type. */
enum outcome property_name_read(struct bytes text, struct bytes *name, enum value_type *type);

#endif
