/* An account: how many bytes and how many allocations one aggregate holds. Every allocation is counted once, however
 * often the aggregate uses it, so memory use and the effort of freeing are known without a walk. */
#ifndef HOLDFAST_ACCOUNT_H
#define HOLDFAST_ACCOUNT_H

#include "core/bytes.h"

struct garbage;

struct account {
    size_t memory; /* bytes */
    size_t allocations;
    struct garbage *garbage; /* to be freed later; NULL for nothing */
    bool ends;               /* set aside nothing more for later */
};

/* Returns the memory. */
void *account_add(struct account *account, void *memory);

/* Frees memory that is on the account. NULL is allowed. */
void account_discard(struct account *account, void *memory);

/* Resizes memory that is on the account. */
void *account_resize(struct account *account, void *memory, size_t size);

/* Replaces bytes at this place by a copy of others. Empty ones take no memory. */
void account_keep(struct account *account, struct bytes *place, struct bytes bytes);

#endif
