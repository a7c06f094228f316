/* Trials of a table: a life of random changes, each written down, read back, and given to the table and to its naive
 * model. The model says which of them the table has to take; of the others it takes nothing. */
#ifndef HOLDFAST_UNIT_TABLE_TRIAL_H
#define HOLDFAST_UNIT_TABLE_TRIAL_H

#include "dice.h"
#include "table_shadow.h"

struct table_trial {
    struct table *table;
    struct table *companion; /* gets the same changes, whether they fit or not; may be NULL */
    struct table_shadow model;
    version etags; /* the last one given */
    int64_t now_us;
    unsigned tally[TABLE_CHANGE_KINDS][2]; /* how many changes of each kind did not fit, and how many did */
};

/* What happens next, from dice or from a fuzzer: each byte is taken modulo the number of choices. */
struct table_choice {
    uint8_t kind;
    uint8_t count;
    uint8_t risk; /* how likely it is that a step does not fit */
    uint8_t seeds[5];
};

void table_trial_start(struct table_trial *trial);
void table_trial_step(struct table_trial *trial, const struct table_choice *choice);
/* So many steps by dice. */
void table_trial_live(struct table_trial *trial, struct dice *dice, int steps);
void table_trial_compare(const struct table_trial *trial);
/* The table is replaced by one built from its records, or by a copy. */
void table_trial_rebuild(struct table_trial *trial);
void table_trial_copy(struct table_trial *trial);
/* A table that is there already, made of another trial's; the model learns of it what its walk says. */
void table_trial_adopt(struct table_trial *trial, struct table *table, const struct table_trial *original);
/* Everything that can move does. */
void table_trial_move(struct table_trial *trial, struct dice *dice);
void table_trial_end(struct table_trial *trial);

/* Gives a change to both, and answers whether it did fit. */
bool table_trial_apply(struct table_trial *trial, const struct table_change *change);

#endif
