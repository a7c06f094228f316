/* Pairs: packed lists of names and values, written by hand. */
#ifndef HOLDFAST_UNIT_PAIRS_H
#define HOLDFAST_UNIT_PAIRS_H

#include "core/packed.h"

/* Not to be copied: a writer points into itself. */
struct pairs {
    struct record_writer writer;
    uint64_t count;
};

#define PAIR_LIST(list)                                                                                      \
    struct pairs list ENDS_BY(pairs_end);                                                                    \
    pairs_start(&(list))

void pairs_start(struct pairs *pairs);
void pairs_add(struct pairs *pairs, struct bytes name, struct bytes value);
void pairs_end(struct pairs *pairs);

/* Valid until the next change. */
struct packed_list pairs_list(const struct pairs *pairs);

/* "name=value" texts, each one pair; ended by NULL. */
void pairs_add_texts(struct pairs *pairs, const char *const *texts);

#endif
