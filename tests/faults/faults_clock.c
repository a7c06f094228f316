/* The wall clock is set, forward and back, while leases are held and windows are open. Nobody may notice. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failure.h"
#include "faults.h"
#include "pool.h"

enum { STEPS = 8, STEP_SECONDS_MAX = 90 };

static const char library[] = "build/server/wall_clock.so";

static const char *no_clock(void) {
    return access(library, R_OK) ? "build/server/wall_clock.so is not there" : NULL;
}

/* See tests/server/preload: servers add this number to the time of day. */
static void prepare_clock(struct trial *trial) {
    char path[] = "/tmp/holdfast-clock-XXXXXX", *whole = realpath(library, NULL);
    int file = mkstemp(path);
    require(whole && file >= 0 && !ftruncate(file, sizeof(int64_t)), "no file for the clock");
    trial->own = mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    require(trial->own != MAP_FAILED, "the clock is not mapped");
    close(file);
    setenv("HOLDFAST_WALL_CLOCK", path, 1);
    setenv("HOLDFAST_PRELOAD", whole, 1);
    free(whole);
}

static void remove_clock(struct trial *trial) {
    munmap(trial->own, sizeof(int64_t));
    const char *path = getenv("HOLDFAST_WALL_CLOCK");
    if (path) unlink(path);
    unsetenv("HOLDFAST_WALL_CLOCK");
    unsetenv("HOLDFAST_PRELOAD");
}

static void set_clock(struct trial *trial) {
    volatile int64_t *offset_us = trial->own;
    for (int step = 0; step < STEPS; step++) {
        *offset_us = (trial_chance(trial, 2 * STEP_SECONDS_MAX) - STEP_SECONDS_MAX) * INT64_C(1000000);
        trial_pause_ms(trial, 200, 500);
    }
}

const struct fault clock_fault = {.name = "clock",
                                  .promise = NOTHING_LOST,
                                  .settings = "",
                                  .servers = 2,
                                  .obstacle = no_clock,
                                  .prepare = prepare_clock,
                                  .strike = set_clock,
                                  .clean = remove_clock};
