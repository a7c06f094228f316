/* Loading: rebuilds the tree of a share from the LOAD_ changes of a walk; see share_walk.c. The loader belongs to the
 * share until the tree is complete, and is dropped when any other change comes before. */
#ifndef HOLDFAST_SHARE_LOAD_H
#define HOLDFAST_SHARE_LOAD_H

#include "file/share.h"

/* Whether a change belongs to the tree. */
bool share_load_is(enum share_change_kind kind);

/* Applies a LOAD_ change. False, and nothing done, when it cannot come next. Takes ownership of the change's chunk in
 * either case. */
bool share_load(struct share *share, const struct share_change *change);

/* The node whose states come next; NULL for none. */
const struct file_node *share_load_current(const struct share *share);

void share_load_end(struct share *share);

#endif
