/* Acts: changes by hand, one line each, for trials that tell a story. Each gets a new ETag, the blob's name as a text,
 * and answers whether it did fit. */
#ifndef HOLDFAST_UNIT_ACTS_H
#define HOLDFAST_UNIT_ACTS_H

#include "container_trial.h"

/* An empty container, without lists and a lease. */
void acts_start(struct container_trial *trial);

/* Compares, frees, and requires that nothing is left. */
void acts_end(struct container_trial *trial);

#define ACTS(trial) ACTS_BY(trial, acts_start)

/* The same with another start, which calls acts_start. */
#define ACTS_BY(trial, start)                                                                                \
    struct container_trial trial ENDS_BY(acts_end);                                                          \
    start(&(trial))

/* The change that other acts begin with. */
struct container_change act_change(enum container_change_kind kind, const char *name);

/* Bytes that do not repeat for long, from a place in them on; valid for ever. */
struct bytes act_bytes(size_t place, size_t length);

/* Small contents are copied, large ones bring a chunk, as commands have it. */
bool act_put(struct container_trial *trial, const char *name, struct bytes content);
bool act_delete(struct container_trial *trial, const char *name);
bool act_lease(struct container_trial *trial, const char *name, enum lease_kind kind);

bool act_stage(struct container_trial *trial, const char *name, const char *id, struct bytes content);
/* Pairs of a letter, C, U or L, and an id: "Ca Ub La". */
bool act_commit(struct container_trial *trial, const char *name, const char *blocks);

bool act_create_page(struct container_trial *trial, const char *name, uint64_t length);
/* In pages. */
bool act_put_pages(struct container_trial *trial, const char *name, uint64_t from, size_t count);
bool act_clear_pages(struct container_trial *trial, const char *name, uint64_t from, uint64_t count);

bool act_create_append(struct container_trial *trial, const char *name);
bool act_append(struct container_trial *trial, const char *name, struct bytes content);

/* The id is a number that the test chooses. */
bool act_snapshot(struct container_trial *trial, const char *name, version id);
bool act_drop_snapshots(struct container_trial *trial, const char *name, version id);

/* Within the container, from the blob or from a snapshot of it. */
bool act_copy(struct container_trial *trial, const char *name, const char *source, version snapshot);
/* From the trial's neighbour. */
bool act_copy_from(struct container_trial *trial, const char *name, const char *source, version snapshot);
/* Where the blob is said to come from. */
bool act_copy_state(struct container_trial *trial, const char *name, enum copy_status status);

/* A container as a file builds it, with an empty blob `blob`; and a list of so many blocks for the blob, at most
 * ACT_BLOCKS_MAX, each the same chunk of one byte. */
enum { ACT_BLOCKS_MAX = 50001 };
struct container *act_container_of_blocks(void);
bool act_add_blocks(struct container *container, uint64_t count);

/* NULL if there is none. */
struct blob *act_blob(const struct container_trial *trial, const char *name);

#endif
