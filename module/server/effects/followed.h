/* What followers of feeds may know, by the names of keys: the newest version that a feed under this name has had, and
 * what the feed was that was there last.
 *
 *   write   ─▶ name: newest version
 *   leaving ─▶ name: the feed, as it is when the key is deleted, or before another value takes its place
 *   off     ─▶ name: nobody knows what, since writes are not noted any more
 *   arrival ─▶ does the feed end before what the name has had?   yes: a new epoch, so that followers learn of it
 *                                                                no: the epoch goes on
 *           ─▶ does it belong to another history?                yes: it is foreign, and upkeep has it begin anew
 *
 * A value arrives by COPY, RENAME, MOVE, RESTORE, MIGRATE, or with its slot. SWAPDB tells of no keys: then the feed is
 * seen at another name when it is written or read next. There it is foreign, unless it is a later state of what this
 * key had, or nothing ever was there. Epochs are of the whole server, and a feed remembers only the ends of the last
 * ones, so needless epochs would cost other followers their bookmarks.
 *
 * ANOTHER HISTORY is one that is not an earlier or later state of what the key had. Feeds of one *line* are states of
 * one history: a feed stays in its line under whatever names it is written, and its copies are in it until they are
 * written. A feed from elsewhere (RESTORE, files) has a line of its own. It is a later state if it has the last version
 * of the key as the end of an epoch. Otherwise it is taken for another history, but where the key was loaded or
 * restored and not written since: a mirror, or a key that was here for a while, goes on with each feed that is whole
 * from the same version on.
 *
 * Not all of it is known of all keys. Where there are too many, those that still have their feed make way first, since
 * it is noted again when it leaves; then those whose feed is the oldest. Of names that are alike in the lower bits of
 * their hash, and of equal names of all databases, only the newest version of them all is known: then an epoch may
 * begin that was not needed. Nothing is saved. A server that starts, loads or is promoted begins a new epoch, and then
 * only the versions that it mints itself count: they are here, so a name that knows nothing newer needs none. */
#ifndef HOLDFAST_FOLLOWED_H
#define HOLDFAST_FOLLOWED_H

#include "server/call/call.h"

/* The call has changed its value. */
void followed_note(const struct call *call);

/* A follower is about to be told of it: it may have come to this key by SWAPDB, of which nobody tells. True if it turns
 * out to be foreign, which upkeep has to hear of. It is noted whatever the call decides: the server might have told. */
bool followed_is_read(const struct call *call);

/* The feed of this key has been turned off. */
void followed_ends(struct key_name key);

/* A key loses its value. */
void followed_leaves(const struct data_type *type, struct key_name key, const void *value);

/* A value has been copied, for whatever key. */
void followed_copies(const struct data_type *type, const void *value, const void *copy);

/* A value has come to this key; no data: nobody knows to which. */
void followed_arrives(const struct data_type *type, struct key_name key, const void *value);

/* The same for what the key has now. */
void followed_comes(RedisModuleCtx *ctx, struct key_name name);

/* An effect has changed it: the same for a value that effects of a file, or of a slot, are building; and it is noted at
 * which name a feed has begun. */
void followed_is_sent(const struct data_type *type, struct key_name key, const void *value);

/* The server has become a primary or a replica. */
void followed_server_changes_role(void);

/* The server has dropped what it loaded beside its data, and what that told of keys is wrong. */
void followed_unlearn(void);

#endif
