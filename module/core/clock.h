/* The clock of one process, in microseconds since 1970: never runs backwards, and can be moved for tests.
 *
 *   time = the wall clock at the start + what has elapsed since by the monotonic clock ± what draws it to the wall clock
 *
 * A wall clock is set forward and back while leases are held. This one follows it slowly, by at most one part in
 * CLOCK_DRAW_PART of the time that passes, so that a step costs a lease no more than that of its duration. Between
 * steps a wall clock that is kept right by its own small corrections is followed without delay.
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
