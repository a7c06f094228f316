/* What the functions that apply changes to a container share. */
#ifndef HOLDFAST_CONTAINER_APPLY_H
#define HOLDFAST_CONTAINER_APPLY_H

#include "blob/container.h"

/* Whether a change may make the blob one of this kind; an existing blob never changes its kind. */
bool apply_may_become(const struct blob *blob, enum blob_kind kind);

/* Sets what a write says of the blob besides its content. */
void apply_redescribe(struct container *container, struct blob *blob, const struct container_change *change);

/* Replaces whatever has this name by an empty blob that can hold a small content. */
struct blob *apply_begin(struct container *container, struct blob *blob,
                         const struct container_change *change, enum blob_kind kind, size_t content_bytes);

/* Whether a block with this id can be staged: its id has the length of the others, and there are not too many. The
 * second function stages it. */
bool apply_block_fits(const struct blob *blob, const struct container_change *change);
bool apply_block(struct container *container, struct blob **blob, const struct container_change *change,
                 struct chunk *chunk);

/* Sets a new ETag and everything that depends on it. */
void apply_restamp(struct container *container, struct blob *blob, const struct container_change *change);

/* Copies. */
container_change_apply apply_copy, apply_abortcopy, apply_copystate, apply_copystart, apply_copybegin,
    apply_copypiece, apply_copyblock, apply_copyend;

/* Changes in files. */
container_change_apply apply_chunk, apply_state, apply_spans, apply_leaves, apply_staged, apply_loaded;

#endif
