/* A version order: entries by the version that each of them has, for walks that begin behind a version and go on in
 * bounded steps.
 *
 *   blocks ─▶ [ first version, marked, count, slots ] ─▶ slot slot slot …      a slot: a version, and the entry that has it
 *
 * New versions come at the end, so that blocks are full until entries leave them. A block that entries leave joins its
 * neighbour as soon as both fit into one, so that on average more than half of the slots are used. Where versions are
 * equal, which only a doctored payload can bring about, names decide.
 *
 * A slot may be marked; walks can jump from one that is marked to the next one. The order owns its blocks and no entry,
 * and all memory stands on the account of the aggregate. */
#ifndef HOLDFAST_VERSION_ORDER_H
#define HOLDFAST_VERSION_ORDER_H

#include "core/account.h"
#include "core/entry.h"
#include "core/relocation.h"
#include "core/version.h"

#include <stdbool.h>

struct version_slot {
    version v;
    struct entry *entry; /* the lowest bit of the pointer is set if the slot is marked */
};

struct version_block;

/* A struct of zeros is an empty order. */
struct version_order {
    struct version_block *blocks;
    size_t count, capacity; /* of blocks */
};

/* Stands on a slot, or behind the last one. Valid until the next change. */
struct version_cursor {
    size_t block;
    unsigned at;
};

void version_order_end(struct account *account, struct version_order *order);

/* False, and nothing done, when the entry is there already with this version. */
bool version_order_add(struct account *account, struct version_order *order, version v, struct entry *entry,
                       bool marked);

/* False when it is not there. The entry is still what it was. */
bool version_order_remove(struct account *account, struct version_order *order, version v,
                          const struct entry *entry);

/* The slot of an entry; NULL when it is not there. It can be given another pointer to an equal entry. */
struct version_slot *version_order_slot(const struct version_order *order, version v,
                                        const struct entry *entry);

/* The first slot with a greater version. */
struct version_cursor version_order_seek(const struct version_order *order, version v);
/* NULL behind the last one. */
const struct version_slot *version_cursor_slot(const struct version_order *order,
                                               const struct version_cursor *cursor);
void version_cursor_next(const struct version_order *order, struct version_cursor *cursor);
/* Goes on to a slot that is marked, if it does not stand on one; jumps over blocks without any. */
void version_cursor_to_marked(const struct version_order *order, struct version_cursor *cursor);

/* How many of the slots before the cursor are marked. Goes by blocks. */
size_t version_order_marked_before(const struct version_order *order, const struct version_cursor *cursor);

/* Where the marked slot stands before which there are so many. */
struct version_cursor version_order_marked_at(const struct version_order *order, size_t before);

/* Frees the last block, whatever is in it; false when there is none. */
bool version_order_shrink(struct account *account, struct version_order *order);

/* The slots of one block go where the allocator likes them better; with the first one, the list of blocks. */
void version_order_relocate(struct version_order *order, size_t block, const struct relocation *relocation);

static inline bool version_slot_marked(const struct version_slot *slot) {
    return (uintptr_t)slot->entry & 1;
}

static inline struct entry *version_slot_entry(const struct version_slot *slot) {
    return (struct entry *)((uintptr_t)slot->entry & ~(uintptr_t)1);
}

#endif
