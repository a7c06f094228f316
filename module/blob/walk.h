/* Walks: a container as the changes that build it anew, for files and for twins. There is one vocabulary, so there is
 * one decoder, and what is shared in the container is shared in what the walk builds.
 *
 *   CREATE, LEASE, the feed's state and markers, and for each blob in the order of names:
 *     for each snapshot, oldest first, and at last for the blob itself:
 *       its chunks, as far as they have not come yet; its state; what its content is made of; what it was copied from
 *       for a snapshot the change that takes it
 *     its staged blocks, its lease
 *   LOADED, if any chunk came, or a feed */
#ifndef HOLDFAST_WALK_H
#define HOLDFAST_WALK_H

#include "blob/container.h"

/* Entries of a list that one change has at most. All lists but the last one of a content have as many. */
enum { WALK_LIST_MAX = 4096 };

/* A CONTAINER_CHUNK that is whole comes with the chunk. */
void container_walk(const struct container *container, const struct change_walk *walk);

/* What would build its feed, but for the blobs in it. */
void container_walk_feed(const struct container *container, const struct change_walk *walk);

/* The change that would build the container's own part anew, without its blobs. */
struct container_change container_as_change(const struct container *container);

/* Likewise for the state of a blob or a snapshot, without its content: a BLOB_STATE. */
struct container_change blob_as_change(const struct blob *blob, struct bytes name);

/* Likewise for what a blob was copied from, which there is. */
struct container_change blob_copy_as_change(const struct blob *blob, struct bytes name);

#endif
