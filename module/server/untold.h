/* What was granted to a client that cannot be told any more is given back.
 *
 *   granted ──▶ told                    the usual case: the client gets the reply
 *          └──▶ lost ──▶ given back     it was killed or unblocked with an error first
 *
 * A client that waits is granted something within somebody else's command, and is told when that command, and whatever
 * else has arrived by then, is over (see wait.c). In between the client may be lost. Nobody knows then that the lease,
 * the messages, the handle or the lock are held, so the command's row says how to give them back.
 *
 * That is done by a timer: a client is lost in the middle of somebody's command, where no value may be changed. A key
 * that has gone, or has got another name by then, takes along what was granted. So does a server that has become a
 * replica: its primary's data replace its own. */
#ifndef HOLDFAST_UNTOLD_H
#define HOLDFAST_UNTOLD_H

#include "server/command.h"

#include "ccan/list/list.h"

/* A command whose client waits, and what it has been granted. */
struct waiting_command {
    struct list_node node; /* among those that are to be told, or to be given back */
    struct held_call call;
    int db;
    RedisModuleBlockedClient *client;
    bool served; /* what its client gets is decided */
    bool listed; /* and it is to be told */
    bool told;   /* the server has asked for the reply */
    struct call_result result;
};

struct waiting_command *waiting_command_new(const struct call *call);
void waiting_command_free(struct waiting_command *waiting);

/* It has been served: its client is to be told. */
void untold_add(struct waiting_command *waiting);
/* Makes the server ask for the replies of all that have been served. */
void untold_tell(void);
/* The server asks for the reply. */
void untold_told(struct waiting_command *waiting);
/* Its client is lost. True when there is something to give back, to which the command now belongs. */
bool untold_lost(struct waiting_command *waiting);

/* Gives all of it back. False when that has to wait until the server may write. */
bool untold_give_back(RedisModuleCtx *ctx, bool writable);
/* How often something was given back, for INFO. */
unsigned long long untold_count(void);

#endif
