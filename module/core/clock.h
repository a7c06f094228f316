/* The clock of one process, in microseconds since 1970: never runs backwards, and can be moved for tests.
 *
 *   time = wall clock at the start + elapsed monotonic time ± corrections towards the wall clock
 *
 * A wall clock may be set forward or back while leases are held. This clock follows it slowly, by at most 1 in
 * CLOCK_DRAW_PART of the elapsed time, so that a step changes no lease by more than that part of its duration. The
 * small corrections by which a wall clock is kept right are followed without delay.
 *
 * It reads no clock itself: the caller passes the readings in. The offset may be lowered, but the time returned
 * never goes backwards. */
#ifndef HOLDFAST_CLOCK_H
#define HOLDFAST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CLOCK_DRAW_PART = 200,  /* 0.5 % */
    CLOCK_LOOK_US = 100000, /* how often to compare it with the wall clock */
};

/* A zeroed clock has not been started. */
struct clock {
    int64_t offset_us;
    int64_t last_us;    /* the last time returned */
    int64_t time_us;    /* without the offset */
    int64_t elapsed_us; /* monotonic clock at that time */
    int64_t looked_us;  /* monotonic clock at the last comparison */
    int64_t behind_us;  /* wall clock minus time; negative when the time is ahead */
    int64_t unused_us;  /* elapsed time still too short to allow a correction */
    bool started;
};

static inline bool clock_wants_look(const struct clock *clock, int64_t elapsed_us) {
    return !clock->started || elapsed_us - clock->looked_us >= CLOCK_LOOK_US;
}

/* Compares the clock with the wall clock. The first call sets it. */
void clock_look(struct clock *clock, int64_t elapsed_us, int64_t wall_us);

int64_t clock_now(struct clock *clock, int64_t elapsed_us);

#endif
