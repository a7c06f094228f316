/* How a share begins and ends. */
#ifndef HOLDFAST_SHARE_LIFETIME_H
#define HOLDFAST_SHARE_LIFETIME_H

#include "file/share.h"

/* Makes a share from a SHARE_CREATE change. */
struct share *share_new(const struct share_change *change);
void share_free(struct share *share);

#endif
