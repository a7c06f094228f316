/* Lives of containers: long random work on a trial, compared again and again. */
#ifndef HOLDFAST_UNIT_CONTAINER_LIFE_H
#define HOLDFAST_UNIT_CONTAINER_LIFE_H

#include "container_trial.h"
#include "dice.h"

/* How often a change of each kind did not fit, and how often it did. */
typedef unsigned tally[CONTAINER_CHANGE_KINDS][2];

/* A change for this step of a life: of every kind, and every so often a stretch of such as files have. */
struct choice life_draw(struct dice *dice, int step);

/* So many steps; the tally may be NULL. */
void container_life(struct container_trial *trial, struct dice *dice, int steps, tally seen);

/* Starts a trial, and lives. */
void container_trial_live(struct container_trial *trial, struct dice *dice, int steps);

#endif
