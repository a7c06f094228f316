/* Properties: the six content headers that a blob or a file may carry. A packed list has them under their own
 * names, in the order of the table and without empty values, so equal properties are equal bytes. */
#ifndef HOLDFAST_PROPERTY_H
#define HOLDFAST_PROPERTY_H

#include "core/outcome.h"
#include "core/packed.h"

enum { PROPERTIES_MAX_BYTES = 8192 };

#define PROPERTY_DEFAULT_TYPE "application/octet-stream"

/* Converts a caller's list (names in any case and order) to the packed form. */
enum outcome properties_pack(struct packed_list given, struct record_writer *writer,
                             struct packed_list *packed);

/* Whether an untrusted list is in packed form. */
bool properties_sound(struct packed_list list);

/* The value of one property; empty when it is missing. */
struct bytes properties_find(struct packed_list list, const char *wanted);

/* Whether the content has the MD5 in the list; true when the list has none. */
bool properties_match_content(struct packed_list list, struct bytes content);

#endif
