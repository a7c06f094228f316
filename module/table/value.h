/* Values of properties, in one of eight types. A value has three forms:
 *
 *   text     in commands and replies:        "12"  "3.5"  "true"  "2026-11-18T09:00:00Z"
 *   value    in code, for comparison:        a number, a double, an id, or a view of bytes
 *   packed   in entities and records:        the type, and as few bytes as possible
 *
 * The type is never guessed: the caller gives it after the name, and a property without a type is a string. */
#ifndef HOLDFAST_TABLE_VALUE_H
#define HOLDFAST_TABLE_VALUE_H

#include "core/guid.h"
#include "core/outcome.h"
#include "core/record.h"

/* The numbers are stored in files. */
enum value_type {
    VALUE_STRING,
    VALUE_INT32,
    VALUE_INT64,
    VALUE_DOUBLE,
    VALUE_BOOL,
    VALUE_DATETIME,
    VALUE_GUID,
    VALUE_BINARY,
    VALUE_TYPES
};

enum {
    VALUE_STRING_MAX_UNITS = 32768,                      /* UTF-16 code units */
    VALUE_STRING_MAX_BYTES = VALUE_STRING_MAX_UNITS * 3, /* checked first, before the units are counted */
    VALUE_BINARY_MAX_BYTES = 65536,
};

struct value {
    enum value_type type;
    union {
        struct bytes bytes; /* string (UTF-8) and binary; borrowed */
        int64_t number;     /* int32, int64, bool (0 and 1), and datetime: ticks */
        double real;        /* only one NaN, and no -0 */
        struct guid guid;   /* compares as its lower-case text */
    };
};

/* The word behind the colon: "int32", "datetime", ...; "string" for strings, which may be written without one. */
const char *value_type_word(enum value_type type);
bool value_type_read(struct bytes word, enum value_type *type);

/* Reads a value from text, borrowing its bytes. INVALID_INPUT, PROPERTY_VALUE_TOO_LARGE, or, for a datetime outside the
 * supported years, INSTANT_OUT_OF_RANGE. */
enum outcome value_read(enum value_type type, struct bytes text, struct value *value);

/* What a value counts for in the size of an entity. */
size_t value_size(const struct value *value);

/* Writes the packed form, type first. */
void value_put(struct record_writer *writer, const struct value *value);
/* Reads the packed form and checks it, except for what value_sound checks: whether a string is valid UTF-8, and whether
 * a string or binary value is too long. */
struct value value_next(struct record_reader *reader);
bool value_sound(const struct value *value);

/* The same in two steps, for callers that skip most values: first the type and the body, then the value in the body.
 * value_unpack returns false when the body is no packed value of the type. */
struct bytes value_body(struct record_reader *reader, enum value_type *type);
bool value_unpack(enum value_type type, struct bytes body, struct value *value);

#endif
