/* Parties: the waiters of one owner, in whichever lines they are, so that rivals can be asked for what they wait. */
#ifndef HOLDFAST_PARTY_H
#define HOLDFAST_PARTY_H

#include "core/entry.h"
#include "core/guid.h"
#include "server/waiting/waiter.h"

/* Its id is the entry's name. It is freed when its last waiter leaves. */
struct party {
    struct entry entry;
    struct guid id;
    struct list_head waiters;
};

/* NULL when nobody of the party waits. */
struct party *party_find(const struct guid *id);

void party_join(struct waiter *waiter, const struct wait_claim *claim);
/* Does nothing for a waiter without a party. */
void party_leave(struct waiter *waiter);

#endif
