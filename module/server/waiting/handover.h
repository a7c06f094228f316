/* From a grant to the moment when the client is told of it, or is lost: then the grant is undone.
 *
 *   granted ──▶ told                    the usual case: the client gets the reply
 *          └──▶ lost ──▶ given back     it was killed, lost its user or was unblocked with an error first
 *
 * A waiting client is granted something during another client's command, and gets its reply when that command, and
 * all commands received so far, are finished (see wait.h). In between the client may be lost. Then nobody knows that
 * the lease, the messages, the handle or the lock are held, so the command's row says how to give them back.
 *
 * An alarm does that: a client is lost in the middle of another command, where no value may be changed. If the key
 * has been deleted, renamed, moved or swapped away by then, the grant is not undone. The same holds on a server that
 * has become a replica: its primary's data replace its own. */
#ifndef HOLDFAST_HANDOVER_H
#define HOLDFAST_HANDOVER_H

#include "server/waiting/held_call.h"

/* The call was served: its client has to be told. */
void handover_add(struct held_call *held);
/* Makes the server ask for the replies of all that were served. */
void handover_tell(void);
/* The server asks for the reply. A client that has lost its user will not get it. */
void handover_told(struct held_call *held, RedisModuleCtx *ctx);
/* Whether this call, sent before under its token, was served, and its client is neither told nor given up. Until then
 * nobody else is told what it was granted. */
bool handover_is_pending(const struct call *call);
/* The client is lost. True when there is a grant to undo; the list then owns the call. */
bool handover_lost(struct held_call *held, RedisModuleCtx *ctx);

/* Undoes all such grants. False when that has to wait until the server may write. */
bool handover_give_back(RedisModuleCtx *ctx, bool writable,
                        void (*give_back)(const struct held_call *held, RedisModuleCtx *ctx));
/* How often a grant was undone, for INFO. */
unsigned long long handover_given_back(void);

#endif
