#include "dice.h"

/* SplitMix64. */
uint64_t dice_word(struct dice *dice) {
    uint64_t word = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

size_t dice_roll(struct dice *dice, size_t sides) {
    return (size_t)(dice_word(dice) % sides);
}

bool dice_percent(struct dice *dice, unsigned percent) {
    return dice_roll(dice, 100) < percent;
}

void dice_fill(struct dice *dice, void *room, size_t length) {
    unsigned char *bytes = room;
    for (size_t i = 0; i < length; i++) bytes[i] = (unsigned char)dice_word(dice);
}

void dice_shuffle(struct dice *dice, void **pointers, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t other = dice_roll(dice, i);
        void *kept = pointers[i - 1];
        pointers[i - 1] = pointers[other];
        pointers[other] = kept;
    }
}
