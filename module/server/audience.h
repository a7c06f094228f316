/* The audience: whether anybody would hear an effect at this moment, a replica, its backlog or an append-only
 * file.
 *
 * To hand an effect to the server costs a seventh of a write even when nobody listens, since the server looks
 * the command up and builds its arguments before it asks. So we ask first, and keep the answer as long as it
 * must hold.
 *
 * A new listener always begins with a picture of the data, for which the server forks, or with a backlog that
 * is there already. So the answer "nobody" holds until a fork, a change of role or of configuration, a load,
 * or the next turn of the server's clock; after each of these it is asked for anew, in the server's own words
 * (INFO), which are exactly what the server goes by. In a cluster there is always an audience: slots migrate
 * in other ways. */
#ifndef HOLDFAST_AUDIENCE_H
#define HOLDFAST_AUDIENCE_H

#include "server/api.h"

#include <stdbool.h>

int audience_watch(RedisModuleCtx *ctx);

bool audience_present(RedisModuleCtx *ctx);

#endif
