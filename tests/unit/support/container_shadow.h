/* The model of a container (tests/models/container_model.h), led by changes; with what only changes tell of: leases,
 * copies from elsewhere, the chunks of a file that builds it. */
#ifndef HOLDFAST_UNIT_CONTAINER_SHADOW_H
#define HOLDFAST_UNIT_CONTAINER_SHADOW_H

#include "blob/blocks.h"
#include "blob/container.h"
#include "container_model.h"
#include "model_bytes.h"

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
    struct container_model now;
    enum container_access access;
    struct model_bytes policies, lease;
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

/* Requires that the container is what the model is, and that its account, its figures and its indexes say of it what
 * can be found in it. */
void model_compare(const struct model *model, const struct container *container);

/* --- The model's bytes --- */

/* A list has only one packed form, which is empty without items. */
static inline struct model_view model_list(struct packed_list list) {
    return model_view_of(list.count ? list.items : bytes_of("", 0));
}

/* A lease; LEASE_FREE without a token when there never was one. */
struct lease model_lease(const struct model_bytes *own);
void model_lease_set(struct model_bytes *own, const struct lease *lease);
bool model_lease_stands(const struct model_bytes *own);
/* Of a lease that has ended nothing is left but what a latecomer may ask for. */
void model_lease_end(struct model_bytes *own);

/* Where it came from; COPY_NONE when from nowhere. */
struct copy model_copy(const struct model_state *state);
void model_copy_set(struct model_state *state, const struct copy *copy);

/* --- For the parts of the model --- */

/* What a change says of the blob besides its content, as a call. */
struct model_call model_call_of(const struct container_change *change, enum model_verb verb);

/* Copies from another server. */
bool model_apply_copying(struct model *model, struct model_blob *blob, const struct container_change *change);
void model_restamp(struct model_blob *blob, const struct container_change *change);

/* The changes that only files hold. */
bool model_apply_from_file(struct model *model, const struct container_change *change);
bool model_apply_stage(struct model *model, const struct container_change *change, struct bytes bytes);
void model_pool_drop(struct model *model);

#endif
