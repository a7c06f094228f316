/* A life of pages: the first byte chooses how many aggregates there are and where their places lie; then each eight bytes
 * are a choice of what happens next, and the dice for it. */
#include "allocations.h"
#include "pages_trial.h"

#include <string.h>

enum { STEPS_MAX = 64, COMPARE_EVERY = 16, CHOICE_BYTES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct pages_trial trial;
    if (!size) return 0;
    allocations_forget();
    pages_trial_start(&trial, 1 + (*data & 1), *data & 2);
    for (size_t i = 0; i < (size - 1) / CHOICE_BYTES && i < STEPS_MAX; i++) {
        const uint8_t *choice = data + 1 + i * CHOICE_BYTES;
        trial.dice.state = 0;
        memcpy(&trial.dice.state, choice + 1, CHOICE_BYTES - 1);
        pages_trial_step(&trial, *choice);
        if (i % COMPARE_EVERY == 0) pages_trial_compare(&trial);
    }
    pages_trial_compare(&trial);
    pages_trial_end(&trial);
    return 0;
}
