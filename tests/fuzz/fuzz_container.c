/* A life of a container: each eight bytes are a choice of the next change, which goes
 * through a record into the container and into its naive model. Some choices copy it,
 * rebuild it from its records or move it in memory on the way. */
#include "allocations.h"
#include "container_trial.h"
#include "mover.h"
#include "require.h"

#include <stdint.h>

enum { STEPS_MAX = 64, COMPARE_EVERY = 8, COPY = CONTAINER_CHANGE_KINDS, REBUILD, RELOCATE, MOVES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void relocate_all(struct container_trial *trial, uint64_t seed) {
    struct dice dice = {seed};
    const struct relocation relocation = mover(&dice);
    trial->container = container_relocate_all(trial->container, &relocation);
}

static void step(struct container_trial *trial, const struct choice *choice) {
    switch (choice->kind % MOVES) {
    case COPY: container_trial_copy(trial); break;
    case REBUILD:
        container_trial_take_over(trial, container_rebuild(trial->container, choice->fine * 16U + 16));
        break;
    case RELOCATE: relocate_all(trial, choice->fine); break;
    default: container_trial_step(trial, choice);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct container_trial trial;
    struct choice choice = {0};
    size_t steps = size / sizeof(choice);
    allocations_forget();
    container_trial_start(&trial, &choice);
    for (size_t i = 0; i < steps && i < STEPS_MAX; i++) {
        memcpy(&choice, data + i * sizeof(choice), sizeof(choice));
        choice.kind %= MOVES;
        step(&trial, &choice);
        if (i % COMPARE_EVERY == 0) container_trial_compare(&trial);
    }
    container_trial_compare(&trial);
    container_trial_end(&trial);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
