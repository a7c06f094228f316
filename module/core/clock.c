#include "core/clock.h"

/* How far the clock may be corrected for the time that has passed: by a fraction of it, so that time
 * never stands still. */
static int64_t correction_us(struct clock *clock, int64_t passed_us) {
    clock->unused_us += passed_us;
    if (clock->unused_us < CLOCK_DRAW_PART) return 0; /* as between most commands */
    int64_t max_us = clock->unused_us / CLOCK_DRAW_PART;
    clock->unused_us %= CLOCK_DRAW_PART;
    if (clock->behind_us > max_us) return max_us;
    return clock->behind_us < -max_us ? -max_us : clock->behind_us;
}

static void advance_clock(struct clock *clock, int64_t elapsed_us) {
    int64_t passed_us = elapsed_us - clock->elapsed_us;
    if (passed_us <= 0) return;
    int64_t corrected_us = correction_us(clock, passed_us);
    clock->elapsed_us = elapsed_us;
    clock->behind_us -= corrected_us;
    clock->time_us += passed_us + corrected_us;
}

void clock_look(struct clock *clock, int64_t elapsed_us, int64_t wall_us) {
    if (clock->started) {
        advance_clock(clock, elapsed_us);
    } else {
        clock->started = true;
        clock->time_us = wall_us;
        clock->elapsed_us = elapsed_us;
    }
    clock->looked_us = elapsed_us;
    clock->behind_us = wall_us - clock->time_us;
}

int64_t clock_now(struct clock *clock, int64_t elapsed_us) {
    advance_clock(clock, elapsed_us);
    int64_t now_us = clock->time_us + clock->offset_us;
    if (now_us > clock->last_us) clock->last_us = now_us;
    return clock->last_us;
}
