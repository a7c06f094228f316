/* Sessions that end with their connection: which connection has which.
 *
 *   connection (client id) ─▶ sessions, each by db and key of its share and its own id
 *
 * This table has names, never values. When a connection closes, its sessions become orphans: they move to the group of
 * their key, and upkeep of the key, which is scheduled at once, ends them. If the key was renamed meanwhile, the
 * session is not found and ends when its time is up. After a RESTORE under another key two sessions have the same id.
 * Only the server where a session began knows its connection, so a promoted replica ends no session this way. Sessions
 * of deleted shares are forgotten with upkeep's sweeps. */
#ifndef HOLDFAST_CONNECTIONS_H
#define HOLDFAST_CONNECTIONS_H

#include "file/redis/file_commands.h"

/* False for a key whose name is too long. */
bool connections_accept(const struct call *call);
void connections_add(const struct call *call, struct guid session);
void connections_remove(const struct call *call, struct guid session);
/* Takes the next session of the call's key whose connection is gone. */
bool connections_next_orphan(const struct call *call, struct guid *session);
int connections_start(RedisModuleCtx *ctx);

#endif
