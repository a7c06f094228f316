/* Lives of shares by dice: who has which file open, with which locks and leases, against a naive model. */
#include "dice.h"
#include "share_life.h"
#include "unit.h"

enum { LIVES = 400, STEPS = 300 };

TEST(open_files_live_as_the_model_says) {
    static struct share_life life;
    struct dice dice = {17};
    for (int round = 0; round < LIVES; round++) {
        share_life_start(&life);
        for (int step = 0; step < STEPS; step++) {
            struct share_choice choice;
            dice_fill(&dice, &choice, sizeof(choice));
            if (dice_percent(&dice, 80)) choice.pass = 0;
            share_life_step(&life, &choice);
            share_life_compare(&life);
        }
        share_life_end(&life);
    }
}
