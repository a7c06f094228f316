/* Walks: a share as the changes that build it anew, for files, digests and twins. What is shared in the share is shared
 * in what the walk builds.
 *
 *   CREATE, LEASE, each SNAPSHOT
 *   the tree, in which nodes have numbers, from the root's 0 on, in the order in which they come:
 *     what is there now, directory by directory, then the places that only snapshots see
 *     for each node NODE, and then for each of its states, the oldest first, and at last for how it is now:
 *       its content, as it differs from that of the state before: LENGTH, LEAF, GAP; then STATE
 *     SNAPSHOT_PLACE for a further place of a node that has come already
 *   END
 *   each session: CONNECT, and DISCONNECT if it has ended; each handle by number: OPEN, its LOCKs;
 *   MARK and LEASE of files */
#ifndef HOLDFAST_SHARE_WALK_H
#define HOLDFAST_SHARE_WALK_H

#include "file/share.h"

/* Without holders as if all sessions and leases had ended. */
void share_walk(const struct share *share, const struct change_walk *walk);

/* The change that would build the share's own part anew, without what is in it. */
struct share_change share_as_change(const struct share *share);

#endif
