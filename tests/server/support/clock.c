#include "clock.h"

#include <stdlib.h>
#include <time.h>

#include "harness.h"

/* Beyond the clocks with which the stage's servers begin. */
static long long offset_ms = 2 * 86400000LL;

long long clock_after(long long ms) {
    return offset_ms += ms;
}

void time_passes(long long ms) {
    struct client *clients[] = {primary, replica, chained};
    clock_after(ms);
    for (size_t i = 0; i < ARRAY_SIZE(clients); i++)
        send_call(clients[i], "CONFIG SET holdfast.clock-offset-ms %lld", offset_ms);
    for (size_t i = 0; i < ARRAY_SIZE(clients); i++) expect_ok(receive(clients[i]));
}

long long server_time(void) {
    redisReply *time = expect_elements(call(primary, "TIME"), 2);
    return atoll(time->element[0]->str) * 1000 + atoll(time->element[1]->str) / 1000 + offset_ms;
}

long long stopwatch(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}
