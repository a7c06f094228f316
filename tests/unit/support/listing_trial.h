/* Trials of listings: a container with names of all sorts, whose pages are compared with a naive listing. */
#ifndef HOLDFAST_UNIT_LISTING_TRIAL_H
#define HOLDFAST_UNIT_LISTING_TRIAL_H

#include "blob/blocks.h"
#include "blob/listing.h"
#include "roster.h"

#define LISTING_NOW_MS (STAGED_LIFE_MS * 3)

void listing_put(struct container *container, struct bytes name);
void listing_snapshot(struct container *container, struct bytes name, version id);
void listing_stage(struct container *container, struct bytes name, int64_t touched_ms);

struct listing_trial {
    struct container *container;
    struct roster roster;
};

void listing_trial_start(struct listing_trial *trial);

/* What there is of a name follows from its last byte: a blob, snapshots, or only staged blocks, of now or of long ago. A
 * name that is there already stays as it is. */
void listing_trial_add(struct listing_trial *trial, struct bytes name);

/* From page to page by the markers, every item comes once, and without a budget all pages but the last one are full. */
void listing_trial_compare(const struct listing_trial *trial, struct listing_query query);
void listing_trial_end(struct listing_trial *trial);

#endif
