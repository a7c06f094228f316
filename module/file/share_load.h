/* Loading: how a share is built anew from what a walk said of its tree; see share_walk.h. What has been read so far is
 * kept with the share until the tree is whole, and forgotten when anything else happens to it. */
#ifndef HOLDFAST_SHARE_LOAD_H
#define HOLDFAST_SHARE_LOAD_H

#include "file/share.h"

bool share_load_is(enum share_change_kind kind);

/* False, and nothing done, for what cannot come next. The change's chunk is taken over in either case. */
bool share_load(struct share *share, const struct share_change *change);

/* Whether something of the tree has come whose state has not: in a file it comes next. */
bool share_load_lacks_state(const struct share *share);

void share_load_end(struct share *share);

#endif
