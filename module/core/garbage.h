/* Garbage: large unreachable parts of an aggregate, freed in the background.
 *
 *   account ─▶ garbage: a rope, a trie of pages, …       all that have any ─▶ garbage_sweep, a portion at a time
 *
 * Dropping something large sets it aside in constant time. It is counted in the account until it is freed, so
 * reported memory use is true. Garbage may share memory with the live aggregate, so it is freed by the thread that
 * changes aggregates, or by the thread that frees its whole aggregate. The two never race: an aggregate about to be
 * freed first removes its garbage from the common list. */
#ifndef HOLDFAST_GARBAGE_H
#define HOLDFAST_GARBAGE_H

#include "core/account.h"

#include <stdbool.h>

struct garbage_part;

/* Frees parts of it, spending `effort`; a leaf of pages costs one. False when that was not enough. It must not call
 * garbage_free or garbage_end, not even indirectly: garbage_sweep calls it while it holds the lock that they take. */
typedef bool garbage_part_free(struct account *account, struct garbage_part *part, size_t *effort);

struct garbage_part {
    garbage_part_free *free;
    void *root;
    unsigned height;
};

/* Called when there is something to sweep. When it is NULL, as in tests, everything is freed at once. */
extern void (*garbage_pending)(void);

/* Frees as much as the effort allows, and sets the rest aside if that is possible here. Returns
 * the remaining effort. */
size_t garbage_free(struct account *account, struct garbage_part part, size_t effort);

/* Frees as much as the effort allows; returns whether more is left. */
bool garbage_sweep(size_t effort);

/* The aggregate is about to be freed: frees all its garbage, and sets nothing aside from now on. */
void garbage_end(struct account *account);

/* The account has moved in memory. */
void garbage_follow(struct account *account);

#endif
