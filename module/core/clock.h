/* The clock of one process, in microseconds since 1970: never runs backwards, and can be moved for tests.
 *
 * It reads no time itself: whoever owns a real clock hands its reading in. The offset may be lowered, but
 * what was answered once is never undercut. */
#ifndef HOLDFAST_CLOCK_H
#define HOLDFAST_CLOCK_H

#include <stdint.h>

struct clock {
    int64_t offset_us;
    int64_t last_us;
};

static inline int64_t clock_now(struct clock *clock, int64_t reading_us) {
    int64_t now_us = reading_us + clock->offset_us;
    if (now_us < clock->last_us) now_us = clock->last_us;
    clock->last_us = now_us;
    return now_us;
}

#endif
