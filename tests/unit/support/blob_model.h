/* The naive model of a blob: plain bytes and plain arrays, and copies of everything. What the real one shares, it has
 * as often as it is seen. */
#ifndef HOLDFAST_UNIT_BLOB_MODEL_H
#define HOLDFAST_UNIT_BLOB_MODEL_H

#include "blob/blocks.h"
#include "blob/container_change.h"
#include "core/pages.h"

/* A packed list of the model's own. */
struct model_list {
    uint64_t count;
    char *data;
    size_t length;
};

/* A lease with an owner of the model's own; NULL when there never was one. */
struct model_lease {
    struct lease *lease;
    char *owner;
};

struct model_block {
    char *id, *data;
    size_t id_length, length;
};

struct model_blocks {
    struct model_block *all;
    size_t count;
};

struct model_page {
    uint64_t number;
    char bytes[PAGE_BYTES];
};

/* What a blob is at one moment; a snapshot keeps one of its own. */
struct model_state {
    enum blob_kind kind;
    struct stamp stamp;
    int64_t created_ms;
    struct model_list properties, metadata;
    char *content; /* of a block or an append blob */
    uint64_t length;
    struct model_page *pages; /* those that were written, in their order */
    size_t page_count, page_capacity;
    struct model_blocks blocks; /* the committed ones, in their order */
    size_t chunks;              /* in which a block blob's content came; 0 for a small one */
    uint64_t appended;
    bool sealed;
    int64_t sequence;
    version born;
    struct copy copy; /* with a source of the model's own; COPY_NONE when it came from nowhere */
};

struct model_snapshot {
    version id;
    struct model_state state;
};

struct model_blob {
    char *name;
    size_t name_length;
    struct model_state state;
    struct model_blocks staged; /* in the order of their ids */
    int64_t touched_ms;
    struct model_snapshot *snapshots; /* in the order of their ids */
    size_t snapshot_count;
    struct model_lease lease;
};

static inline struct bytes model_name(const struct model_blob *blob) {
    return bytes_of(blob->name, blob->name_length);
}

static inline struct bytes model_block_id(const struct model_block *block) {
    return bytes_of(block->id, block->id_length);
}

static inline struct bytes model_block_bytes(const struct model_block *block) {
    return bytes_of(block->data, block->length);
}

static inline bool model_exists(const struct model_blob *blob) {
    return blob && blob->state.kind != KIND_UNCOMMITTED;
}

/* Memory that is not the module's; these never fail. */
void *model_copy_of(struct bytes bytes);
void *model_resized(void *memory, size_t size);

void model_list_set(struct model_list *own, struct packed_list list);

/* A NULL is none at all. */
void model_lease_set(struct model_lease *own, const struct lease *lease);
bool model_lease_stands(const struct model_lease *own);
/* Of a lease that has ended nothing is left but what a latecomer may ask for. */
void model_lease_end(struct model_lease *own);

/* Inserts at a place, and takes away the first so many. */
void model_blocks_insert(struct model_blocks *blocks, size_t place, struct bytes id, struct bytes bytes);
void model_blocks_drop(struct model_blocks *blocks, uint64_t max);
/* The first one of the id, or NULL. */
struct model_block *model_blocks_find(const struct model_blocks *blocks, struct bytes id);
/* A block that waits: in the place of its id, or in place of the one that is there. */
void model_stage(struct model_blocks *blocks, struct bytes id, struct bytes bytes);

/* A NULL forgets where it came from. */
void model_set_copy(struct model_state *state, const struct copy *copy);

/* Bytes more at the end; or those of blocks, each a chunk. */
void model_append(struct model_state *state, struct bytes bytes);
void model_append_blocks(struct model_state *state, const struct model_blocks *blocks);

/* The place of the first page that is not below this number. */
size_t model_page_place(const struct model_state *state, uint64_t number);
void model_pages_write(struct model_state *state, uint64_t offset, struct bytes bytes);
void model_pages_clear(struct model_state *state, uint64_t offset, uint64_t length);
void model_pages_resize(struct model_state *state, uint64_t length);

/* No bytes, pages and blocks any more, and none of their numbers. */
void model_empty(struct model_state *state);

/* The second becomes a whole copy of the first. */
void model_state_copy(const struct model_state *state, struct model_state *copy);
void model_state_end(struct model_state *state);

/* NULL if there is none. */
struct model_snapshot *model_snapshot_find(const struct model_blob *blob, version id);
/* One, or all for the id 0. */
void model_snapshots_drop(struct model_blob *blob, version id);

void model_blob_end(struct model_blob *blob);

#endif
