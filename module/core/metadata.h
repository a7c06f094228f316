/* Metadata: a caller's own name-value pairs on an object. Names are identifiers, keep their case and are
 * compared without it; values are any bytes; names and values together are limited. A set is always replaced
 * as a whole. */
#ifndef HOLDFAST_METADATA_H
#define HOLDFAST_METADATA_H

#include "core/outcome.h"
#include "core/packed.h"

enum { METADATA_MAX_BYTES = 8192 };

/* Also for untrusted lists: a malformed list is INVALID_METADATA. */
enum outcome metadata_check(struct packed_list list);

/* Whether two valid sets are equal: names without case, values exactly, in any order. */
bool metadata_same(struct packed_list one, struct packed_list other);

#endif
