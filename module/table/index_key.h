/* Keys of a secondary index: the value of the property, then the stored key of the entity.
 *
 *   class | value, encoded so that bytes compare as values do, truncated if long | 00 01 | stored key
 *
 * Index keys sort by type, then by value as filters compare them, then by stored key. A long value is truncated, so
 * ranges of long values may be too wide, and are never too narrow. */
#ifndef HOLDFAST_TABLE_INDEX_KEY_H
#define HOLDFAST_TABLE_INDEX_KEY_H

#include "table/value.h"

enum { INDEX_VALUE_MAX_BYTES = 256, INDEX_KEY_VALUE_MAX = 2 * INDEX_VALUE_MAX_BYTES + 8 };

/* Writes class, value and terminator. */
void index_key_put_value(struct record_writer *writer, const struct value *value);

#endif
