/* Leftovers: large parts of an aggregate that nothing leads to any more, and that are freed by and by.
 *
 *   account ─▶ leftovers: a rope, a trie of pages, …       all that have any ─▶ leftovers_sweep, a portion at a time
 *
 * Whoever drops something large lays it aside in constant time. It stays on the account until it is freed, so memory use
 * is told as it is. What is laid aside may share parts with what the aggregate still has, so it is freed by the thread
 * that changes aggregates, or, with its aggregate, by the one that frees that: the two never meet, since an aggregate that
 * is about to be freed first takes its leftovers out of the list that all stand in. */
#ifndef HOLDFAST_LEFTOVERS_H
#define HOLDFAST_LEFTOVERS_H

#include "core/account.h"

#include <stdbool.h>

struct leftover;

/* Frees parts of it at the cost of `effort`, which a leaf of pages takes one of; false when that was not enough. */
typedef bool leftover_free(struct account *account, struct leftover *leftover, size_t *effort);

struct leftover {
    leftover_free *free;
    void *root;
    unsigned height;
};

/* Called when there is something to be swept. NULL, as in tests: everything is freed at once. */
extern void (*leftovers_wait)(void);

/* Frees as much as the effort is enough for, and lays the rest aside if that can be done here. Answers the effort that is
 * left. */
size_t leftovers_free(struct account *account, struct leftover leftover, size_t effort);

/* Frees as much as the effort is enough for; answers whether more is left. */
bool leftovers_sweep(size_t effort);

/* The aggregate is about to be freed: frees all that was laid aside, and lays nothing aside from now on. */
void leftovers_end(struct account *account);

/* The account stands elsewhere now. */
void leftovers_follow(struct account *account);

#endif
