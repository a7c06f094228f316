#include "container_life.h"
#include "ccan/array_size/array_size.h"

enum { COMPARE_EVERY = 16, STRETCH = 100, STRETCH_FROM_FILE = 20 };

/* Changes as files have them forget each other's chunks as soon as another one comes, so they come in stretches. */
static enum container_change_kind kind_of_file(struct dice *dice) {
    static const enum container_change_kind kinds[] = {
        CONTAINER_CHUNK, CONTAINER_CHUNK, CONTAINER_CHUNK, BLOB_STATE, BLOB_STATE,
        BLOB_SPANS,      BLOB_BLOCKS,     BLOB_LEAVES,     BLOB_PUT,   BLOB_STAGED,
        BLOB_LEAVES,     BLOB_SNAPSHOT,   BLOB_COPYSTATE};
    return kinds[dice_roll(dice, ARRAY_SIZE(kinds))];
}

/* Blobs come more often than they go, and seldom with the largest contents. */
struct choice life_draw(struct dice *dice, int step) {
    struct choice choice;
    dice_fill(dice, &choice, sizeof(choice));
    if (dice_percent(dice, 10)) choice.kind = BLOB_PUT;
    if (dice_percent(dice, 10)) choice.kind = (uint8_t)(BLOB_COPYSTART + dice_roll(dice, 5));
    if (choice.kind % CONTAINER_CHANGE_KINDS == BLOB_DELETE && dice_percent(dice, 30))
        choice.kind = BLOB_STAGE;
    if (dice_percent(dice, 90)) choice.size = (uint8_t)dice_roll(dice, 7);
    if (step % STRETCH >= STRETCH - STRETCH_FROM_FILE) choice.kind = (uint8_t)kind_of_file(dice);
    return choice;
}

void container_life(struct container_trial *trial, struct dice *dice, int steps, tally seen) {
    for (int i = 0; i < steps; i++) {
        struct choice choice = life_draw(dice, i);
        bool fits = container_trial_step(trial, &choice);
        if (seen) seen[choice.kind % CONTAINER_CHANGE_KINDS][fits]++;
        if (i % COMPARE_EVERY == 0) container_trial_compare(trial);
    }
    container_trial_compare(trial);
}

void container_trial_live(struct container_trial *trial, struct dice *dice, int steps) {
    struct choice choice = life_draw(dice, 0);
    container_trial_start(trial, &choice);
    container_trial_compare(trial);
    container_life(trial, dice, steps, NULL);
}
