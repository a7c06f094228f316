/* Packed lists: metadata, properties and policies are each a count and the items one after the other, written
 * as records are. The same bytes stand in a value, in an effect and in a file, so none of them needs a
 * translation. */
#ifndef HOLDFAST_PACKED_H
#define HOLDFAST_PACKED_H

#include "core/record.h"

/* A borrowed list. */
struct packed_list {
    uint64_t count;
    struct bytes items;
};

/* An owned one, in one allocation. NULL is the empty list. */
struct packed;

struct packed *packed_new(struct packed_list list);
struct packed_list packed_view(const struct packed *packed);

void record_put_list(struct record_writer *writer, struct packed_list list);
/* Count and bytes only; whether the items are sound is for the rules of the list's kind to say. */
struct packed_list record_list(struct record_reader *reader);

/* A step through a list of name-value pairs; false at its end. */
bool packed_next_pair(struct record_reader *reader, struct bytes *name, struct bytes *value);

#endif
