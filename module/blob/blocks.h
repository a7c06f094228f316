/* Blocks: contents that are uploaded in parts and put together in one step.
 *
 *   staged      wait under their ids for a commit; they belong to the name, and all ids are equally long
 *   committed   the ids of the content's chunks, in their order; ids may repeat
 *
 * A commit takes blocks of both sorts in any order, any number of times, and copies none of them. Staged blocks that
 * it does not take are dropped. Staged blocks are also dropped when no block is staged or committed for a week. */
#ifndef HOLDFAST_BLOCKS_H
#define HOLDFAST_BLOCKS_H

#include "core/account.h"
#include "core/chunk.h"
#include "core/deadlines.h"
#include "core/order_index.h"
#include "core/packed.h"

enum { BLOCKS_STAGED_MAX = 100000, BLOCKS_COMMITTED_MAX = 50000 };

#define STAGED_LIFE_MS (INT64_C(7) * 24 * 3600 * 1000)

/* --- Committed --- */

struct block_list;

/* Items are ids with a length prefix. NULL for an empty list. */
struct block_list *block_list_new(struct account *account, struct packed_list ids);
/* Returns the list (NULL if empty) with one more id, of at most BLOCK_ID_MAX_BYTES. Replaces the list passed in. */
struct block_list *block_list_add(struct account *account, struct block_list *list, struct bytes id);
struct block_list *block_list_share(struct block_list *list);
void block_list_drop(struct account *account, struct block_list *list);

/* NULL is the empty list. */
struct packed_list block_list_view(const struct block_list *list);

/* --- Staged --- */

struct staged_block {
    struct entry entry; /* its name is the id */
    struct chunk *chunk;
    char id[];
};

struct staging {
    struct deadline deadline;
    struct order_index blocks;
    size_t count;
    uint8_t id_length;
    int64_t touched_ms;
    struct blob *blob;
};

/* A staging without blocks. */
struct staging *staging_new(struct account *account, struct blob *blob, size_t id_length);
/* Many blocks are freed in the background: see garbage.h. */
void staging_free(struct account *account, struct staging *staging);

/* When blocks staged at this instant expire. */
static inline int64_t staging_due_ms(int64_t touched_ms) {
    return touched_ms < INT64_MAX - STAGED_LIFE_MS ? touched_ms + STAGED_LIFE_MS : INT64_MAX;
}

const struct staged_block *staging_find(const struct staging *staging, struct bytes id);

/* The same for one id after the other: quick when they come in order. The cursor begins with staging_walk, and is
 * behind the block that was found last. */
const struct staged_block *staging_find_next(const struct staging *staging, struct order_cursor *cursor,
                                             struct bytes id);

/* The id must be as long as the others. Replaces a block with the same id. */
void staging_add(struct account *account, struct staging *staging, struct bytes id, struct chunk *chunk);

/* Drops at most this many blocks, the first by id. */
void staging_drop(struct account *account, struct staging *staging, uint64_t max);

/* In the order of the ids. */
static inline struct order_cursor staging_walk(const struct staging *staging) {
    return order_index_seek(&staging->blocks, bytes_of("", 0));
}

static inline const struct staged_block *staged_block_at(const struct order_cursor *cursor) {
    return (const struct staged_block *)order_cursor_entry(cursor); /* the entry is its head */
}

#endif
