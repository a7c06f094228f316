/* Values: what a property of an entity holds, in one of eight types, and the three forms that it has.
 *
 *   text     as a caller writes it and reads it:          "12"  "3.5"  "true"  "2026-11-18T09:00:00Z"
 *   value    as code compares it:                         a number, a double, an id, or a view of bytes
 *   packed   as it stands in an entity and in a record:   a type and as few bytes as it takes
 *
 * The type is never guessed: the writer gives it after the name, and a property without a type is a string. */
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
    VALUE_STRING_MAX_BYTES = VALUE_STRING_MAX_UNITS * 3, /* what is longer is not even looked at */
    VALUE_BINARY_MAX_BYTES = 65536,
};

struct value {
    enum value_type type;
    union {
        struct bytes bytes; /* string (UTF-8) and binary; borrowed */
        int64_t number;     /* int32, int64, bool (0 and 1), and datetime: ticks */
        double real;        /* NaN is always the same one, and there is no -0 */
        struct guid guid;   /* compares as its lower-case text does */
    };
};

/* The word behind the colon: "int32", "datetime", ...; "string" for strings, which are written without one, too. */
const char *value_type_word(enum value_type type);
bool value_type_read(struct bytes word, enum value_type *type);

/* Text that does not stand for a value of the type: INVALID_INPUT, PROPERTY_VALUE_TOO_LARGE, or, for an instant that
 * cannot be, INSTANT_OUT_OF_RANGE. Bytes are borrowed from the text. */
enum outcome value_read(enum value_type type, struct bytes text, struct value *value);

/* What the value counts for in the size of an entity. */
size_t value_size(const struct value *value);

/* The packed form, with its type in front. */
void value_put(struct record_writer *writer, const struct value *value);
/* Takes nothing on trust; but whether strings are well formed and not too long is asked by value_sound. */
struct value value_next(struct record_reader *reader);
bool value_sound(const struct value *value);

/* The same in two steps, for those who step over most of what they meet: the type and what stands for the value, and the
 * value of that; false for what no value of the type is packed as. */
struct bytes value_body(struct record_reader *reader, enum value_type *type);
bool value_unpack(enum value_type type, struct bytes body, struct value *value);

/* --- Instants: ticks of 100 nanoseconds since the year 1601 --- */

enum { TICKS_TEXT_LENGTH = 28, TICKS_PER_MILLISECOND = 10000 };

#define TICKS_MAX INT64_C(2650467743999999999) /* the end of the year 9999 */

/* ISO 8601: a date alone, or with a time of up to seven digits behind the second, and Z, +hh:mm, or nothing for UTC. */
enum outcome ticks_read(struct bytes text, int64_t *ticks);
/* 2026-11-18T09:00:00.0000000Z */
void ticks_write(int64_t ticks, char text[TICKS_TEXT_LENGTH]);
int64_t ticks_of_ms(int64_t unix_ms);

#endif
