/* A version order: entries sorted by version, for walks that start after a version and continue in bounded steps.
 *
 *   blocks ─▶ [ first version, marked, count, slots ] ─▶ slot slot slot …      a slot: a version and its entry
 *
 * New versions are added at the end, so blocks are full until entries are removed from them. Then a block joins its
 * neighbour as soon as both fit into one, so that on average more than half of the slots are used. Equal versions,
 * which only a doctored payload can have, are sorted by name.
 *
 * A slot may be marked; walks can jump from one marked slot to the next. The order owns its blocks and no entry, and
 * all its memory is counted in the account of the aggregate. */
#ifndef HOLDFAST_VERSION_ORDER_H
#define HOLDFAST_VERSION_ORDER_H

#include "core/account.h"
#include "core/entry.h"
#include "core/relocation.h"
#include "core/version.h"

#include <stdbool.h>

struct version_slot {
    version v;
    struct entry *entry; /* with its lowest bit set if the slot is marked; see below */
};

struct version_block;

/* A zeroed struct is an empty order. */
struct version_order {
    struct version_block *blocks;
    size_t count, capacity; /* of blocks */
};

/* Points to a slot, or past the last one. Valid until the next change. */
struct version_cursor {
    size_t block;
    unsigned at;
};

void version_order_end(struct account *account, struct version_order *order);

/* False, and nothing done, when the entry is already there with this version. */
bool version_order_add(struct account *account, struct version_order *order, version v, struct entry *entry,
                       bool marked);

/* False when it is missing. The entry must not have been modified yet. */
bool version_order_remove(struct account *account, struct version_order *order, version v,
                          const struct entry *entry);

/* The slot of an entry; NULL when it is missing. The caller may set it to an equal entry. */
struct version_slot *version_order_slot(const struct version_order *order, version v,
                                        const struct entry *entry);

/* The first slot with a greater version. */
struct version_cursor version_order_seek(const struct version_order *order, version v);
/* NULL past the last one. */
const struct version_slot *version_cursor_slot(const struct version_order *order,
                                               const struct version_cursor *cursor);
void version_cursor_next(const struct version_order *order, struct version_cursor *cursor);
/* Advances to the next marked slot, unless the cursor is on one. Skips blocks without any. */
void version_cursor_to_marked(const struct version_order *order, struct version_cursor *cursor);

/* How many slots before the cursor are marked. Counts whole blocks. */
size_t version_order_marked_before(const struct version_order *order, const struct version_cursor *cursor);

/* The marked slot that has this many marked slots before it. */
struct version_cursor version_order_marked_at(const struct version_order *order, size_t before);

/* Frees the last block with its slots; false when there is none. */
bool version_order_shrink(struct account *account, struct version_order *order);

/* Moves the slots of one block; with the first block, the list of blocks too. */
void version_order_relocate(struct version_order *order, size_t block, const struct relocation *relocation);

static inline void version_slot_set(struct version_slot *slot, struct entry *entry, bool marked) {
    slot->entry = (struct entry *)((uintptr_t)entry | marked);
}

static inline bool version_slot_marked(const struct version_slot *slot) {
    return (uintptr_t)slot->entry & 1;
}

static inline struct entry *version_slot_entry(const struct version_slot *slot) {
    return (struct entry *)((uintptr_t)slot->entry & ~(uintptr_t)1);
}

#endif
