/* Copiers: the copies from other servers that are in progress, each with its target.
 *
 *   copier = db, key, blob, the copy's id ─▶ a link, once it is its turn
 *
 * A copier has names, never a value. For each delivery it opens its key again and checks whether the blob exists and
 * still has this copy; if not, it ends. So deleting, renaming, moving, flushing or swapping a key ends the copies to
 * it. Where a blob ends up without a copier (under another name, from a file, on a promoted server) container_upkeep
 * finds it and fails its copy.
 *
 * Only a primary that may write takes deliveries; until then links wait. A replica has no links. */
#ifndef HOLDFAST_COPIER_H
#define HOLDFAST_COPIER_H

#include "blob/source_reader.h"
#include "server/base/settings.h"
#include "server/call/call.h"

int copiers_start(RedisModuleCtx *ctx);

/* The call has applied a BLOB_COPYSTART. */
void copier_new(struct call *call, const struct container_change *start);

/* Something may have ended a copy, or allow another one to start. */
void copiers_look_soon(void);

/* Whether a copier works on this copy in the call's key. */
bool copier_is_there(const struct call *call, version id);

/* Fails the copy to this blob of the call's container. */
void copier_fail(struct call *call, struct blob *blob, const struct source_failure *failure);

/* Whether the operator allows copies from other servers. */
bool copier_is_on(void);
bool copier_may_read_from(struct bytes host, int port);

/* The settings of copies. */
extern struct setting_text copy_from, copy_user, copy_password;
extern bool copy_tls;
extern struct setting_duration copy_timeout;
extern long long copy_max;

void copiers_info(RedisModuleInfoCtx *ctx);

#endif
