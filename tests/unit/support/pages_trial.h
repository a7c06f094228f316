/* Trials of pages: random lives against a value for each page, close together around the borders of leaves or far apart
 * around those of higher nodes; by dice, or by a fuzzer that sets them. */
#ifndef HOLDFAST_UNIT_PAGES_TRIAL_H
#define HOLDFAST_UNIT_PAGES_TRIAL_H

#include "core/pages.h"
#include "dice.h"

enum {
    PAGES_AGGREGATES = 2,
    PAGES_SUBJECTS = 3, /* of each aggregate */
    PAGES_PLACES = 640, /* pages that a life writes */
    PAGES_STEP_KINDS = 20,
};

/* The numbers of the places, ascending, and the length that they all fit into. */
struct pages_layout {
    uint64_t numbers[PAGES_PLACES];
    uint64_t length;
};

/* Pages, and what each place should have: 0 for nothing, or the value whose pattern was written. */
struct pages_subject {
    struct pages pages;
    unsigned char values[PAGES_PLACES];
};

struct pages_aggregate {
    struct account account;
    struct pages_subject subjects[PAGES_SUBJECTS];
};

struct pages_trial {
    struct pages_layout layout;
    struct dice dice;
    size_t count;
    struct pages_aggregate aggregates[PAGES_AGGREGATES];
};

/* What a page of that value holds. */
const char *pages_pattern(unsigned char value);

void pages_trial_start(struct pages_trial *trial, size_t aggregates, bool sparse);
void pages_trial_step(struct pages_trial *trial, size_t kind);
void pages_trial_compare(const struct pages_trial *trial);
void pages_trial_end(struct pages_trial *trial);

#endif
