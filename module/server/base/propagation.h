/* Propagation: whether an effect has any receiver at this moment: a replica, the backlog or an append-only file.
 *
 * Handing an effect to the server costs a seventh of a write even without receivers, since the server
 * looks up the command and builds its arguments first. So the module asks first, and caches the answer for
 * as long as it is certain.
 *
 * A new receiver always starts with a snapshot, for which the server forks, or with an existing backlog. So the
 * answer "nobody" is valid until a fork, a change of role or of configuration, a load, or the next cron tick; after
 * each of these it is read again from the server's INFO, which shows exactly what the server decides by. In a
 * cluster there is always a receiver: slots migrate in other ways. */
#ifndef HOLDFAST_PROPAGATION_H
#define HOLDFAST_PROPAGATION_H

#include "server/base/api.h"

#include <stdbool.h>

int propagation_watch(RedisModuleCtx *ctx);

bool propagation_wanted(RedisModuleCtx *ctx);

/* Whether there are as many replicas as min-replicas-to-write demands, and files can be written; otherwise the server
 * refuses every write. Cached as well: the server looks at both with its cron, and tells when a replica comes or goes.
 */
bool propagation_suffices(RedisModuleCtx *ctx);

#endif
