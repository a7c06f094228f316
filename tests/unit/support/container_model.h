/* The naive model of a container: its blobs in a plain sorted array, and the chunks of a file that builds it. */
#ifndef HOLDFAST_UNIT_CONTAINER_MODEL_H
#define HOLDFAST_UNIT_CONTAINER_MODEL_H

#include "blob/container.h"
#include "blob_model.h"

/* Chunks by their numbers, of the last of which some may be missing still. */
struct model_pool {
    struct model_blocks chunks; /* without ids */
    uint64_t missing;
};

/* What a feed from a file still takes: markers of versions after this one, up to the newest. */
struct model_marks {
    bool loading;
    version last, newest;
    uint64_t left;
};

struct model {
    struct stamp stamp;
    int64_t created_ms;
    enum container_access access;
    struct model_list metadata, policies;
    struct model_lease lease;
    struct model_blob *blobs;
    size_t count;
    struct model_pool load_chunks;
    bool followed; /* a feed is on */
    struct model_marks marks;
};

void model_start(struct model *model, const struct container_change *create);
void model_end(struct model *model);

/* Whether the change fits, and if so, what it does. The source is the model of the container that a copy comes from
 * when it comes from elsewhere; NULL if there is none. */
bool model_apply(struct model *model, const struct container_change *change, const struct model *source);

/* NULL if there is none. */
struct model_blob *model_find(const struct model *model, struct bytes name);

/* As a copy of the container has it: without any lease, and without what a file would still build. */
void model_forget_leases(struct model *model);

/* How many leases are held or broken off, how many blobs and snapshots there are, and how long the blobs are. */
struct container_census model_census(const struct model *model);

/* Requires that the container is in all that can be seen what the model is, and that its account is that of the
 * parts that can be found in it. */
void model_compare(const struct model *model, const struct container *container);

/* --- For the parts of the model: a blob that begins anew, and what files hold --- */

/* An empty blob of the name, whatever was there before. */
struct model_blob *model_begin(struct model *model, const struct container_change *change,
                               enum blob_kind kind);
/* What a write says of the blob besides its content. */
void model_redescribe(struct model_blob *blob, const struct container_change *change);
/* Whether a change may make the blob one of this kind. */
bool model_may_become(const struct model_blob *blob, enum blob_kind kind);
bool model_apply_stage(struct model *model, const struct container_change *change, struct bytes bytes);

/* Copies from another server. */
bool model_apply_copying(struct model *model, struct model_blob *blob, const struct container_change *change);
void model_restamp(struct model_blob *blob, const struct container_change *change);
struct model_blob *model_insert(struct model *model, struct bytes name, enum blob_kind kind);

/* The changes that only files hold. */
bool model_apply_from_file(struct model *model, const struct container_change *change);
void model_pool_drop(struct model *model);

#endif
