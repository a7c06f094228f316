/* A waiter: a client in line, with its call. */
#ifndef HOLDFAST_WAITER_H
#define HOLDFAST_WAITER_H

#include "server/waiting/held_call.h"
#include "server/waiting/wait_kind.h"

#include "ccan/list/list.h"

struct line;
struct party;

struct waiter {
    struct list_node node;
    struct line *line;      /* NULL when it has left */
    struct held_call *held; /* NULL when what it was granted is to be given back */
    struct wait_kind *kind;
    int64_t since_us;
    uint32_t token_hash; /* of the token given with ONCE */
    struct party *party; /* NULL without a claim */
    struct list_node among_party;
    struct wait_claim claim;
};

#endif
