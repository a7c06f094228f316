/* The model of a container (tests/models/container_model.h), led by changes; with what only changes tell of: leases,
 * copies from elsewhere, the chunks of a file that builds it. */
#ifndef HOLDFAST_UNIT_CONTAINER_SHADOW_H
#define HOLDFAST_UNIT_CONTAINER_SHADOW_H

#include "blob/blocks.h"
#include "blob/container.h"
#include "container_model.h"
#include "model_bytes.h"

/* Chunks by their numbers, of the last of which some may be missing still. */
struct shadow_chunks {
    struct model_blocks chunks; /* without ids */
    uint64_t missing;
};

/* What a feed from a file still takes: markers of versions after this one, up to the newest. */
struct shadow_marks {
    bool loading;
    version last, newest;
    uint64_t left;
};

struct container_shadow {
    struct container_model now;
    enum container_access access;
    struct model_bytes policies, lease;
    struct shadow_chunks load_chunks;
    bool followed; /* a feed is on */
    struct shadow_marks marks;
};

void container_shadow_start(struct container_shadow *shadow, const struct container_change *create);
void container_shadow_end(struct container_shadow *shadow);

/* Whether the change fits, and if so, what it does. The source is the model of the container that a copy comes from
 * when it comes from elsewhere; NULL if there is none. */
bool container_shadow_apply(struct container_shadow *shadow, const struct container_change *change,
                            const struct container_shadow *source);

/* NULL if there is none. */
struct model_blob *container_shadow_find(const struct container_shadow *shadow, struct bytes name);

/* As a copy of the container has it: without any lease, and without what a file would still build. */
void container_shadow_forget_leases(struct container_shadow *shadow);

/* How many leases are held or broken off, how many blobs and snapshots there are, and how long the blobs are. */
struct container_census container_shadow_census(const struct container_shadow *shadow);

/* Requires that the container is what the model is, and that its account, its figures and its indexes say of it what
 * can be found in it. */
void container_shadow_compare(const struct container_shadow *shadow, const struct container *container);

/* --- The model's bytes --- */

/* A list has only one packed form, which is empty without items. */
static inline struct model_view shadow_list(struct packed_list list) {
    return model_view_of(list.count ? list.items : bytes_of("", 0));
}

/* A lease; LEASE_FREE without a token when there never was one. */
struct lease shadow_lease(const struct model_bytes *own);
bool shadow_lease_stands(const struct model_bytes *own);
/* Of a lease that has ended nothing is left but what a latecomer may ask for. */
void shadow_lease_end(struct model_bytes *own);

/* Where it came from; COPY_NONE when from nowhere. */
struct copy shadow_copy(const struct model_state *state);
void shadow_copy_set(struct model_state *state, const struct copy *copy);

/* Whether a copy to the blob, which may be NULL, is going on; and whether its content has begun to come. */
bool shadow_copy_pends(const struct model_blob *blob);
bool shadow_copy_arrives(const struct model_blob *blob);

/* --- For the parts of the model --- */

/* What a change says of the blob besides its content, as a call. */
struct model_call shadow_call_of(const struct container_change *change, enum model_verb verb);

/* Copies from another server. */
bool container_shadow_apply_copying(struct container_shadow *shadow, struct model_blob *blob,
                                    const struct container_change *change);
void shadow_restamp(struct model_blob *blob, const struct container_change *change);

/* The changes that only files hold. */
bool container_shadow_apply_from_file(struct container_shadow *shadow, const struct container_change *change);
bool container_shadow_apply_stage(struct container_shadow *shadow, const struct container_change *change,
                                  struct bytes bytes);
void shadow_chunks_drop(struct container_shadow *shadow);

#endif
