/* Walks: the changes that rebuild a share, for files, digests and copies. Pages that states share are shared again.
 *
 *   CREATE, LEASE, each SNAPSHOT
 *   the tree; nodes are numbered in the order of the walk, from the root's 0:
 *     the current tree, directory by directory, then the places that only snapshots see
 *     for each node NODE, then for each of its states, the oldest first and the current one last:
 *       its content, as the difference to the state before: LENGTH, LEAF, GAP; then STATE
 *     SNAPSHOT_PLACE for another place of a node that has been walked
 *   END
 *   each session: CONNECT; each handle by number: OPEN, its LOCKs; each file marked for deletion: MARK
 *   each ended session: DISCONNECT; each leased file: LEASE */
#ifndef HOLDFAST_SHARE_WALK_H
#define HOLDFAST_SHARE_WALK_H

#include "file/share.h"

/* Without walk->holders: as if all sessions and leases had ended. */
void share_walk(const struct share *share, const struct change_walk *walk);

/* A copy with the same versions, without leases, sessions and handles: as if all of them had ended, and pending
 * files had been deleted. */
struct share *share_copy(const struct share *source);

/* The SHARE_CREATE that rebuilds the share without its tree. */
struct share_change share_as_change(const struct share *share);

#endif
