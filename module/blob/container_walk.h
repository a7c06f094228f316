/* Walks: the changes that rebuild a container, for files and for copies. They are ordinary changes, so there is one
 * decoder, and what is shared in the container is shared in the rebuilt one.
 *
 *   CREATE, LEASE, the state and markers of the feed, and for each blob in the order of names:
 *     for each snapshot, oldest first, and then for the blob itself:
 *       the chunks that have not been sent yet; its state; the parts of its content; the copy that it came from;
 *       for a snapshot, the change that takes it
 *     its staged blocks, its lease
 *   LOADED, if there was a chunk or a feed
 *
 * A plain walk, for a digest, has no chunks, but contents as bytes: equal containers give equal changes, however their
 * contents came about. These changes are not meant to be applied. */
#ifndef HOLDFAST_CONTAINER_WALK_H
#define HOLDFAST_CONTAINER_WALK_H

#include "blob/container.h"

/* Maximum entries of a list in one change. All lists of a content but the last one are full. */
enum { WALK_LIST_MAX = 4096 };

/* The change that creates the container itself, without its blobs. */
struct container_change container_as_change(const struct container *container);

/* The BLOB_STATE of a blob or a snapshot, without its content. */
struct container_change blob_as_change(const struct blob *blob, struct bytes name);

#endif
