/* What followers of feeds may know, by the names of keys: the newest version that a feed under this name has had, or
 * any version since it was turned off.
 *
 *   write   ─▶ name: newest version
 *   arrival ─▶ does the feed end before what the name has had?   yes: a new epoch, so that followers learn of it
 *                                                                no: the epoch goes on
 *
 * A value arrives by COPY, RENAME, MOVE, RESTORE, MIGRATE, or with its slot. Epochs are of the whole server, and a feed
 * remembers only the ends of the last ones, so needless epochs would cost other followers their bookmarks.
 *
 * Names whose hashes are alike share a place, and so do the databases: then an epoch may begin that was not needed.
 * Nothing is saved. A server that starts, loads or is promoted begins a new epoch, and then only the versions that it
 * mints itself count: that they are here is why a place that knows nothing newer needs no epoch. */
#ifndef HOLDFAST_FOLLOWED_H
#define HOLDFAST_FOLLOWED_H

#include "server/base/data_type.h"
#include "server/base/key_name.h"

/* A value of this key has changed here. */
void followed_note(const struct data_type *type, struct bytes key, const void *value);

/* The feed of this key has been turned off. */
void followed_ends(struct bytes key);

/* A value has come to this key; no data: nobody knows to which. */
void followed_arrives(const struct data_type *type, struct bytes key, const void *value);

/* The same for one that has got this name. */
void followed_moves(RedisModuleCtx *ctx, struct key_name name);

/* The same for one that effects of a file, or of a slot, are building. */
void followed_is_built(const struct data_type *type, struct bytes key, const void *value);

#endif
