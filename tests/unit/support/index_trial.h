/* Trials of an index: long random work on it and on a plain sorted array, compared after every step. */
#ifndef HOLDFAST_UNIT_INDEX_TRIAL_H
#define HOLDFAST_UNIT_INDEX_TRIAL_H

#include "core/order_index.h"
#include "roster.h"

/* What can be done with the index. What it has not is NULL. */
struct index_kind {
    void (*add)(void *index, struct entry *entry);
    void (*remove)(void *index, const struct entry *entry);
    struct entry *(*find)(const void *index, const struct entry *like);
    struct order_cursor (*seek)(const void *index, struct bytes name);
    /* Tells the index that an entry stands elsewhere. `move` changes it in between. */
    struct entry *(*replace)(void *index, struct entry *entry, struct entry *(*move)(struct entry *entry));
    size_t (*count)(const void *index);
    size_t (*memory)(const void *index);
    uint32_t (*hash)(struct dice *dice, struct bytes name); /* for entries that bring their own */
};

struct index_trial {
    const struct index_kind *kind;
    void *index;
    struct roster roster;
    struct dice dice;
};

/* Steps of adding, removing, moving, finding and seeking, with about `max` entries at the most. */
void index_trial_run(struct index_trial *trial, unsigned steps, size_t max);

/* Compares all there is: count, order from anywhere, every entry by its name, memory held. */
void index_trial_compare(const struct index_trial *trial);

/* Adds so many numbered names in random order, compares, and removes them in
 * another random order down to none. */
void index_trial_grow_and_shrink(struct index_trial *trial, size_t count);

/* Frees the roster with its entries; the index is the test's. */
void index_trial_end(struct index_trial *trial);

#endif
