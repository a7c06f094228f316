/* Copiers: the copies from other servers that go on, each with the place where it belongs.
 *
 *   copier = db, key, blob, the copy's id ─▶ a link, once it is its turn
 *
 * A copier knows names and never a value. Whatever it brings, it opens its key anew and looks whether the blob is there, and
 * whether its copy still is the one that it works for; if not, it ends. So a key that is deleted, renamed, moved, flushed or
 * swapped with its database ends the copies to it, and where a blob comes to be without a copier (under another name, out of
 * a file, on a server that was promoted) container_upkeep finds it and its copy has failed.
 *
 * Only a primary that may write takes what has come; as long as it may not, links wait, and a replica has none. */
#ifndef HOLDFAST_COPIER_H
#define HOLDFAST_COPIER_H

#include "blob/source_reader.h"
#include "server/command.h"

int copiers_start(RedisModuleCtx *ctx);

/* The call has made the change of the kind BLOB_COPYSTART. */
void copier_new(struct call *call, const struct container_change *start);

/* Something has happened that may have ended a copy. */
void copiers_look_soon(void);

/* Whether somebody works for this copy of the call's key. */
bool copier_is_there(const struct call *call, version id);

/* The copy of this blob of the call's container has failed. */
void copy_fail(struct call *call, struct blob *blob, const struct source_failure *failure);

/* Whether the operator allows copies from there; is_on: from anywhere. */
bool copies_are_on(void);
bool copies_may_come_from(struct bytes host, int port);

/* The settings of copies; for the data type's table. */
extern struct setting_text copy_from, copy_user, copy_password;
extern bool copy_tls;
extern struct setting_duration copy_timeout;
extern long long copy_most;

/* copy_most may be greater than before. */
void copiers_setting_changed(void);

void copiers_info(RedisModuleInfoCtx *ctx);

#endif
