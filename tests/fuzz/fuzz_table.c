/* A life of a table: each eight bytes are a choice of what happens next, which goes through a record into the table and
 * into its naive model. Some choices copy it, rebuild it from its records or move it in memory on the way. */
#include "allocations.h"
#include "require.h"
#include "table_trial.h"

#include <stdint.h>

enum { STEPS_MAX = 16, COMPARE_EVERY = 8, COPY = 250, REBUILD, MOVE };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void step(struct table_trial *trial, const struct table_choice *choice) {
    struct dice dice = {choice->count};
    switch (choice->kind) {
    case COPY: table_trial_copy(trial); break;
    case REBUILD: table_trial_rebuild(trial); break;
    case MOVE: table_trial_move(trial, &dice); break;
    default: table_trial_step(trial, choice);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct table_trial trial;
    struct table_choice choice;
    allocations_forget();
    table_trial_start(&trial);
    for (size_t i = 0; i < size / sizeof(choice) && i < STEPS_MAX; i++) {
        memcpy(&choice, data + i * sizeof(choice), sizeof(choice));
        step(&trial, &choice);
        if (i % COMPARE_EVERY == 0) table_trial_compare(&trial);
    }
    table_trial_rebuild(&trial);
    table_trial_end(&trial);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
