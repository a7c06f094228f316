/* How changes are applied to a share. */
#ifndef HOLDFAST_SHARE_APPLY_H
#define HOLDFAST_SHARE_APPLY_H

#include "file/share.h"

/* Applies a change. False, and nothing done, when the change does not fit the state. Takes ownership of the change's
 * chunk in either case. */
bool share_apply(struct share *share, const struct share_change *change);

#endif
