/* Blocked clients: how a client gets in line, and what the server calls until it has its answer or is lost. */
#ifndef HOLDFAST_BLOCKED_H
#define HOLDFAST_BLOCKED_H

#include "server/waiting/held_call.h"

/* Runs a call in its client's own context: it is served something to read, or its time is up. */
typedef void blocked_answer(const struct held_call *held, RedisModuleCtx *ctx, enum call_mode mode);

/* Called once, at load. */
void blocked_start(blocked_answer *run);

/* Whether the call may wait: BLOCK was given, it does not come from a line, and nothing forbids it. */
bool blocked_is_allowed(const struct call *call);

/* Puts the call's client in the line that call->wait tells of. Always returns OUTCOME_WAITING. */
enum outcome blocked_join_line(struct call *call);

#endif
