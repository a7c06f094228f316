/* An order index: entries sorted by name, for listings that start anywhere and go on in bounded steps.
 *
 *   root ─▶ inner node ─▶ … ─▶ leaf ⇄ leaf ⇄ leaf       a B+tree whose leaves hold the entries
 *
 * An inner node keeps, for each child, the first entry below it. Names are not copied: they are read in the entries.
 * Nodes join when they get sparse, and a tree that grows only at its end has full leaves.
 *
 * It owns its nodes and no entry. */
#ifndef HOLDFAST_ORDER_INDEX_H
#define HOLDFAST_ORDER_INDEX_H

#include "core/entry.h"

struct order_node;

/* A zeroed struct is an empty index, and an empty index has no nodes. */
struct order_index {
    struct order_node *root;
    size_t memory; /* bytes */
};

/* Points to an entry, or past the last one. Valid until the next change. */
struct order_cursor {
    const struct order_node *leaf;
    unsigned at;
};

enum { ORDER_INDEX_MAX_HEIGHT = 16 };

_Static_assert(3 * ORDER_INDEX_MAX_HEIGHT + 2 <= ENTRY_SLOTS_MAX, "three order indexes fit");

/* Leaves an empty index. */
void order_index_end(struct order_index *index);

static inline bool order_index_empty(const struct order_index *index) {
    return !index->root;
}

/* The name must not be there yet. */
void order_index_add(struct order_index *index, struct entry *entry);

/* The entry must be there. */
void order_index_remove(struct order_index *index, const struct entry *entry);

/* Makes an empty index equal to another one. `twin` returns what takes an entry's place, by the same name, or
 * the entry itself; it is called in the order of names. */
void order_index_copy(struct order_index *index, const struct order_index *source,
                      struct entry *(*twin)(void *context, struct entry *entry), void *context);

/* Adds the index's pointers to an entry in it. */
void order_index_slots(const struct order_index *index, const struct entry *entry, struct entry_slots *slots);

/* The first entry whose name is not less than this one. */
struct order_cursor order_index_seek(const struct order_index *index, struct bytes name);
/* The first entry whose name is greater than this one. */
struct order_cursor order_index_seek_after(const struct order_index *index, struct bytes name);

/* How many entries there are in [from, to), or from `from` to the end if `to` has no data. Counting stops at `max`,
 * and costs a fraction of the count. */
size_t order_index_count(const struct order_index *index, struct bytes from, struct bytes to, size_t max);

/* NULL past the last one. */
struct entry *order_cursor_entry(const struct order_cursor *cursor);
void order_cursor_next(struct order_cursor *cursor);

/* The entry, from which the cursor has moved on; NULL past the last one. Later ones, which lie anywhere in memory, are
 * prefetched, since all are taken in most cases. */
struct entry *order_cursor_take(struct order_cursor *cursor);

#endif
