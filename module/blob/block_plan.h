/* Plans of commits: the chunks for a list of choices and ids. */
#ifndef HOLDFAST_BLOCK_PLAN_H
#define HOLDFAST_BLOCK_PLAN_H

#include "blob/blob.h"
#include "blob/blocks.h"

/* Where a commit takes a block from. */
enum block_choice { BLOCK_COMMITTED, BLOCK_UNCOMMITTED, BLOCK_LATEST, BLOCK_CHOICES };

/* The blocks of a commit. */
struct block_plan {
    size_t count;
    struct chunk **chunks;
    struct record_writer choices; /* as requested, with LATEST resolved */
    struct record_writer ids;
};

/* Each item is a choice and an id. */
static inline void block_choice_put(struct record_writer *writer, enum block_choice choice, struct bytes id) {
    record_put_byte(writer, (uint8_t)choice);
    record_put_bytes(writer, id);
}

/* Finds all requested blocks; the blob and the staging may be NULL. Makes a plan only if it returns OUTCOME_DONE;
 * the plan is freed by block_plan_end and is valid until the blob changes. */
enum outcome block_plan_make(const struct blob *blob, const struct staging *staging, struct packed_list asked,
                             struct block_plan *plan);
void block_plan_end(struct block_plan *plan);

/* The same list with every choice resolved. */
struct packed_list block_plan_list(const struct block_plan *plan);

/* Makes the plan's blocks the blob's content. */
void block_plan_commit(struct account *account, struct blob *blob, const struct block_plan *plan);

#endif
