/* A blob as plain bytes and plain arrays. What the real one shares, each snapshot and each copy has for itself. */
#ifndef HOLDFAST_MODELS_BLOB_MODEL_H
#define HOLDFAST_MODELS_BLOB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_PAGE_BYTES = 512 };

/* Bytes of somebody else's, and bytes of the model's own. */
struct model_view {
    const char *data;
    size_t length;
};
struct model_bytes {
    char *data;
    size_t length;
};

enum model_kind {
    MODEL_BLOCK,
    MODEL_PAGE,
    MODEL_APPEND,
    MODEL_UNCOMMITTED, /* a name with staged blocks alone */
};

struct model_block {
    struct model_bytes id, bytes;
};

struct model_blocks {
    struct model_block *all;
    size_t count;
};

struct model_page {
    uint64_t number;
    char bytes[MODEL_PAGE_BYTES];
};

/* What a blob is at one moment; a snapshot keeps one of its own. */
struct model_state {
    enum model_kind kind;
    bool untyped; /* it waits for a copy, which may make it a blob of any kind */
    uint64_t etag;
    int64_t modified_ms, created_ms;
    struct model_bytes properties, metadata; /* in whatever form the test knows them */
    struct model_bytes copy;                 /* likewise what is told of its last copy; empty after a write */
    char *content;                           /* of a block or an append blob */
    uint64_t length;
    struct model_page *pages; /* those that were written, in their order */
    size_t page_count, page_capacity;
    struct model_blocks blocks; /* the committed ones, in their order */
    size_t pieces;              /* in which a content came, for a test that knows */
    uint64_t appended;
    bool sealed;
    int64_t sequence;
    uint64_t born;
};

struct model_snapshot {
    uint64_t id;
    struct model_state state;
};

struct model_blob {
    struct model_bytes name;
    struct model_state state;
    struct model_blocks staged; /* in the order of their ids */
    int64_t touched_ms;
    struct model_snapshot *snapshots; /* in the order of their ids */
    size_t snapshot_count;
    struct model_bytes lease; /* in whatever form the test knows it */
};

static inline struct model_view model_view(struct model_bytes bytes) {
    return (struct model_view){bytes.data, bytes.length};
}

static inline bool model_exists(const struct model_blob *blob) {
    return blob && blob->state.kind != MODEL_UNCOMMITTED;
}

/* Memory that never fails. */
void *model_resized(void *memory, size_t size);
/* The second becomes a copy of the first; what it was may be a part of it. */
void model_bytes_set(struct model_bytes *own, struct model_view bytes);
void model_bytes_append(struct model_bytes *own, struct model_view bytes);
void model_bytes_drop(struct model_bytes *own);
/* By byte value; a prefix sorts before the longer one. */
int model_order(struct model_view one, struct model_view other);

/* Inserts at a place, and takes away the first so many. */
void model_blocks_insert(struct model_blocks *blocks, size_t place, struct model_view id,
                         struct model_view bytes);
void model_blocks_drop(struct model_blocks *blocks, size_t count);
/* The first one of the id, or NULL. */
struct model_block *model_blocks_find(const struct model_blocks *blocks, struct model_view id);
/* A block that waits: in the place of its id, or in place of the one that is there. */
void model_stage(struct model_blocks *blocks, struct model_view id, struct model_view bytes);

/* Bytes more at the end; or those of blocks, each a piece. */
void model_append(struct model_state *state, struct model_view bytes);
void model_append_blocks(struct model_state *state, const struct model_blocks *blocks);

/* The place of the first page that is not below this number. */
size_t model_page_place(const struct model_state *state, uint64_t number);
void model_pages_write(struct model_state *state, uint64_t offset, struct model_view bytes);
void model_pages_clear(struct model_state *state, uint64_t offset, uint64_t length);
void model_pages_resize(struct model_state *state, uint64_t length);
/* The end of the run of pages that begins at this place. */
size_t model_page_run(const struct model_state *state, size_t place);
/* Reads a blob of any kind; what no page has is zeros. */
void model_read(const struct model_state *state, uint64_t offset, char *to, size_t length);

/* No bytes, pages and blocks any more, and none of their numbers. */
void model_empty(struct model_state *state);

/* The second becomes a whole copy of the first. */
void model_state_copy(const struct model_state *state, struct model_state *copy);
void model_state_end(struct model_state *state);

/* NULL if there is none. */
struct model_snapshot *model_snapshot_find(const struct model_blob *blob, uint64_t id);
/* One, or all for the id 0. */
void model_snapshots_drop(struct model_blob *blob, uint64_t id);

void model_blob_end(struct model_blob *blob);

#endif
