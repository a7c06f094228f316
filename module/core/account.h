/* An account: what the allocations of one aggregate hold, and how many they are. Every allocation that belongs to the
 * aggregate stands on it once, however often it is used there; so memory use and the effort of freeing are known
 * without a walk. */
#ifndef HOLDFAST_ACCOUNT_H
#define HOLDFAST_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

struct leftovers;

struct account {
    size_t held;
    size_t parts;
    struct leftovers *leftovers; /* what will be freed later; NULL for nothing */
    bool ends;                   /* nothing is left for later any more */
};

/* Answers the memory. */
void *account_add(struct account *account, void *memory);

/* Frees the memory, which is on the account; NULL is nothing. */
void account_discard(struct account *account, void *memory);

/* Another size for memory that is on the account. */
void *account_resize(struct account *account, void *memory, size_t size);

#endif
