/* Properties: the six content headers that a blob or a file may carry. A packed list has them under their own
 * names, in the order of the table and without empty values, so equal properties are equal bytes. */
#ifndef HOLDFAST_PROPERTY_H
#define HOLDFAST_PROPERTY_H

#include "core/outcome.h"
#include "core/packed.h"

enum { PROPERTIES_MAX_BYTES = 8192 };

#define PROPERTY_DEFAULT_TYPE "application/octet-stream"

/* Brings a caller's list (names in any case and order) into the packed form. */
enum outcome properties_pack(struct packed_list given, struct record_writer *writer,
                             struct packed_list *packed);

/* Whether a list from outside is in packed form. */
bool properties_sound(struct packed_list list);

/* The value of one property, empty when it is not there. */
struct bytes properties_find(struct packed_list list, const char *wanted);

/* Whether content has the MD5 that the list claims; true when it claims none. */
bool properties_match_content(struct packed_list list, struct bytes content);

#endif
