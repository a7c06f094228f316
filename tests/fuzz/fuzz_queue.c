/* A life of a queue: each eight bytes are a choice of what happens next, which goes through a record into the queue and
 * into its naive model. */
#include "allocations.h"
#include "queue_trial.h"
#include "require.h"

#include <stdint.h>

enum { STEPS_MAX = 64, COMPARE_EVERY = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct queue_trial trial;
    struct queue_choice choice;
    allocations_forget();
    queue_trial_start(&trial);
    for (size_t i = 0; i < size / sizeof(choice) && i < STEPS_MAX; i++) {
        memcpy(&choice, data + i * sizeof(choice), sizeof(choice));
        queue_trial_step(&trial, &choice);
        if (i % COMPARE_EVERY == 0) queue_trial_compare(&trial);
    }
    queue_trial_rebuild(&trial);
    queue_trial_copy(&trial);
    queue_trial_end(&trial);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
