/* Dice: chance that can be repeated. The same seed gives the same numbers on every machine. */
#ifndef HOLDFAST_MODELS_DICE_H
#define HOLDFAST_MODELS_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

uint64_t dice_word(struct dice *dice);

/* From 0 to below sides, which is at least 1. */
size_t dice_roll(struct dice *dice, size_t sides);

/* True in so many of a hundred cases. */
bool dice_percent(struct dice *dice, unsigned percent);

void dice_fill(struct dice *dice, void *room, size_t length);

/* Brings an array of pointers into a random order. */
void dice_shuffle(struct dice *dice, void **pointers, size_t count);

#endif
