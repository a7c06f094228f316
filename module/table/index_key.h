/* Keys of a secondary index: the value of the property in an order of bytes, then the stored key of the entity.
 *
 *   class | value, in an order of bytes, cut where it gets long | 00 01 | stored key
 *
 * Values of one type stand together, in the order in which filters compare them; entities of one value stand in the
 * order of their keys. A value that is cut stands where its beginning does, so ranges of long values are a little too
 * wide, and never too narrow. */
#ifndef HOLDFAST_TABLE_INDEX_KEY_H
#define HOLDFAST_TABLE_INDEX_KEY_H

#include "table/value.h"

enum { INDEX_VALUE_MAX_BYTES = 256, INDEX_KEY_VALUE_MAX = 2 * INDEX_VALUE_MAX_BYTES + 8 };

/* Class and value and what ends it. */
void index_key_put_value(struct record_writer *writer, const struct value *value);

#endif
