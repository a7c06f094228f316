#include "server/clock.h"

#include "core/clock.h"
#include "server/api.h"

long long clock_offset_ms = 0;

static struct clock server_clock;

int64_t server_now_us(void) {
    int64_t elapsed_us = api_is_same_moment() ? server_clock.elapsed_us : api_elapsed_us();
    if (clock_wants_look(&server_clock, elapsed_us)) clock_look(&server_clock, elapsed_us, api_wall_us());
    server_clock.offset_us = clock_offset_ms * 1000;
    return clock_now(&server_clock, elapsed_us);
}

int64_t server_now_ms(void) {
    return server_now_us() / 1000;
}

int64_t server_clock_behind_ms(void) {
    clock_look(&server_clock, api_elapsed_us(), api_wall_us());
    return server_clock.behind_us / 1000;
}
