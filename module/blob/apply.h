/* Applying: what the functions behind container_apply share. */
#ifndef HOLDFAST_APPLY_H
#define HOLDFAST_APPLY_H

#include "blob/container.h"

/* Whether a change may make the blob one of this kind; a blob that exists keeps its kind for life. */
bool apply_may_become(const struct blob *blob, enum blob_kind kind);

/* What a write says of the blob besides its content. */
void apply_redescribe(struct container *container, struct blob *blob, const struct container_change *change);

/* An empty blob of the name, whatever was there before, with room for a small content. */
struct blob *apply_begin(struct container *container, struct blob *blob,
                         const struct container_change *change, enum blob_kind kind, size_t room);

/* Whether a block of this id can stand beside those that wait already, and it does. */
bool apply_block_fits(const struct blob *blob, const struct container_change *change);
bool apply_block(struct container *container, struct blob **blob, const struct container_change *change,
                 struct chunk *chunk);

/* A new ETag, and what goes with it. */
void apply_restamp(struct container *container, struct blob *blob, const struct container_change *change);

/* A blob that is written is no copy any more. */
void apply_forget_copy(struct container *container, struct blob *blob);

/* Copies. */
container_change_apply apply_copy, apply_abortcopy, apply_copystate, apply_copystart, apply_copybegin,
    apply_copypiece, apply_copyblock, apply_copyend;

/* Feeds. */
container_change_apply apply_feedon, apply_feedkeep, apply_feedoff, apply_feedbuilt, apply_feedstate,
    apply_feedmarkers;

/* Whether a blob may come out of a file. */
bool apply_feed_admits(const struct container *container, const struct container_change *change);
/* A blob that exists may have another ETag than before; 0 when it did not exist. */
void apply_feed_follows(struct container *container, struct blob *blob, version before);

/* What files hold. */
container_change_apply apply_chunk, apply_state, apply_spans, apply_leaves, apply_staged, apply_loaded;

#endif
