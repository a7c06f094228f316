/* Leftovers: large unreachable parts of an aggregate, freed in the background.
 *
 *   account ─▶ leftovers: a rope, a trie of pages, …       all that have any ─▶ leftovers_sweep, a portion at a time
 *
 * Dropping something large sets it aside in constant time. It is counted in the account until it is freed, so
 * reported memory use is true. A leftover may share parts with the live aggregate, so it is freed by the thread that
 * changes aggregates, or by the thread that frees its whole aggregate. The two never race: an aggregate about to be
 * freed first removes its leftovers from the common list. */
#ifndef HOLDFAST_LEFTOVERS_H
#define HOLDFAST_LEFTOVERS_H

#include "core/account.h"

#include <stdbool.h>

struct leftover;

/* Frees parts of it, spending `effort`; a leaf of pages costs one. False when that was not enough. */
typedef bool leftover_free(struct account *account, struct leftover *leftover, size_t *effort);

struct leftover {
    leftover_free *free;
    void *root;
    unsigned height;
};

/* Called when there is something to sweep. When it is NULL, as in tests, everything is freed at once. */
extern void (*leftovers_pending)(void);

/* Frees as much as the effort allows, and sets the rest aside if that is possible here. Returns
 * the remaining effort. */
size_t leftovers_free(struct account *account, struct leftover leftover, size_t effort);

/* Frees as much as the effort allows; returns whether more is left. */
bool leftovers_sweep(size_t effort);

/* The aggregate is about to be freed: frees all its leftovers, and sets nothing aside from now on. */
void leftovers_end(struct account *account);

/* The account has moved in memory. */
void leftovers_follow(struct account *account);

#endif
