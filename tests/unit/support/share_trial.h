/* Trials of a share: records from outside, and what must hold of every share, whatever made it. */
#ifndef HOLDFAST_UNIT_SHARE_TRIAL_H
#define HOLDFAST_UNIT_SHARE_TRIAL_H

#include "file/share.h"

/* A record, with the bytes beside it, for a share or for none yet. False for what cannot be read or does not fit. */
bool share_trial_take(struct share **share, struct bytes record, struct bytes content);

/* The share built anew from its own records, each written down and read back as a file does it. What was written stands
 * in `bytes`, which is the caller's to end. */
struct share *share_rebuilt(const struct share *share, struct record_writer *bytes);

/* That a file gives the same share back, that a twin of it is sound as well, and that it counts what it has. */
void share_require_whole(const struct share *share);

/* That a share is built from its records, too, if after every so many of them what has been built is saved, loaded, and
 * built on. */
void share_require_buildable(const struct share *share, unsigned save_every);

/* How much is in a directory and below it, now or in a snapshot. */
size_t share_count_listed(const struct share *share, const struct directory *directory, unsigned snapshot);

#endif
