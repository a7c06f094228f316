/* What followers of feeds may know, by the names of keys: the newest version that a feed under this name has had, or
 * any version since it was turned off.
 *
 *   write   ─▶ name: newest version
 *   arrival ─▶ does the feed end before what the name has had?   yes: a new epoch, so that followers learn of it
 *                                                                no: the epoch goes on
 *           ─▶ does it belong to another history?                yes: it is foreign, and upkeep has it begin anew
 *
 * A value arrives by COPY, RENAME, MOVE, RESTORE, MIGRATE, or with its slot. Epochs are of the whole server, and a feed
 * remembers only the ends of the last ones, so needless epochs would cost other followers their bookmarks.
 *
 * Names whose hashes are alike share a place, and so do equal names of all databases as to epochs: then one may begin
 * that was not needed, and the history of only one of them is known. Nothing is saved. A server that starts, loads or
 * is promoted begins a new epoch, and then only the versions that it mints itself count: that they are here is why a
 * place that knows nothing newer needs no epoch. */
#ifndef HOLDFAST_FOLLOWED_H
#define HOLDFAST_FOLLOWED_H

#include "server/call/call.h"

/* The call has changed its value. */
void followed_note(const struct call *call);

/* The feed of this key has been turned off. */
void followed_ends(struct bytes key);

/* The value of this key has got another name: what comes back may be the same, written under that name. */
void followed_leaves(struct key_name key);

/* A value has come to this key; no data: nobody knows to which. */
void followed_arrives(const struct data_type *type, struct key_name key, const void *value);

/* The same for one that has got this name. */
void followed_moves(RedisModuleCtx *ctx, struct key_name name);

/* The same for one that effects of a file, or of a slot, are building. */
void followed_is_built(const struct data_type *type, struct key_name key, const void *value);

#endif
