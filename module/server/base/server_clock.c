#include "server/base/server_clock.h"

#include "core/clock.h"
#include "server/base/api.h"

long long clock_offset_ms = 0;

static struct clock server_clock;

enum { PAUSE_US = 500, TRIES = 5 };

/* Both clocks at one moment. A pause between the two readings, as on a busy machine, would be taken for a step of the
 * wall clock. */
static void look_at_clocks(void) {
    int64_t before_us, wall_us, elapsed_us = api_elapsed_us();
    int tries = 0;
    do {
        before_us = elapsed_us;
        wall_us = api_wall_us();
        elapsed_us = api_elapsed_us();
    } while (elapsed_us - before_us > PAUSE_US && ++tries < TRIES);
    clock_look(&server_clock, before_us, wall_us);
}

int64_t server_now_us(void) {
    int64_t elapsed_us = api_is_same_moment() ? server_clock.elapsed_us : api_elapsed_us();
    if (clock_wants_look(&server_clock, elapsed_us)) look_at_clocks();
    server_clock.offset_us = clock_offset_ms * 1000;
    return clock_now(&server_clock, elapsed_us);
}

int64_t server_now_ms(void) {
    return server_now_us() / 1000;
}

int64_t server_clock_behind_ms(void) {
    look_at_clocks();
    return server_clock.behind_us / 1000;
}
