/* Packed lists: metadata, properties and policies are each a count and the items one after the other, written as
 * records are. A value, an effect and a file use the same bytes, so nothing is ever converted. */
#ifndef HOLDFAST_PACKED_H
#define HOLDFAST_PACKED_H

#include "core/account.h"
#include "core/record.h"

/* A borrowed list. */
struct packed_list {
    uint64_t count;
    struct bytes items;
};

/* An owned list in one allocation. NULL is the empty list. */
struct packed;

/* Replaces a list in an account; the new one may be a view of the old one. */
void packed_replace(struct account *account, struct packed **place, struct packed_list list);
struct packed_list packed_view(const struct packed *packed);

void record_put_list(struct record_writer *writer, struct packed_list list);
/* The same from an array: `put` writes the item at a place. */
void record_put_items(struct record_writer *writer, uint64_t count, const void *items,
                      void (*put)(const void *items, uint64_t at, struct record_writer *packed));
/* Reads count and bytes only. Each kind of list has rules of its own for its items. */
struct packed_list record_list(struct record_reader *reader);

/* Iterates over a list of name-value pairs; false at its end. */
bool packed_next_pair(struct record_reader *reader, struct bytes *name, struct bytes *value);

#endif
