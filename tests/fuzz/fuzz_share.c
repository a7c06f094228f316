/* A life of a share: each eight bytes are a choice of what happens next, which goes through a record into the share
 * and into its naive model. Whatever is open, locked, renamed and over, both say the same. */
#include "allocations.h"
#include "require.h"
#include "share_life.h"

#include <stdint.h>
#include <string.h>

enum { STEPS_MAX = 64, COMPARE_EVERY = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct share_life life;
    struct share_choice choice;
    allocations_forget();
    share_life_start(&life);
    for (size_t i = 0; i < size / sizeof(choice) && i < STEPS_MAX; i++) {
        memcpy(&choice, data + i * sizeof(choice), sizeof(choice));
        share_life_step(&life, &choice);
        if (i % COMPARE_EVERY == 0) share_life_compare(&life);
    }
    share_life_compare(&life);
    share_life_reload(&life);
    share_life_compare(&life);
    share_life_end(&life);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
