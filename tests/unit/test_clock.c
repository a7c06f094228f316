/* The clock: never runs backwards, whatever the reading and the offset do. */
#include "core/clock.h"

#include "unit.h"

static const struct {
    int64_t reading_us, offset_us, now_us;
    const char *why;
} steps[] = {
    {1000, 0, 1000, "the first reading"},
    {1500, 0, 1500, "time passes"},
    {1500, 0, 1500, "no time passes"},
    {1400, 0, 1500, "the machine's clock was set back"},
    {1499, 0, 1500, "it is still behind"},
    {1501, 0, 1501, "it has caught up"},
    {1502, 9000, 10502, "the clock is moved ahead"},
    {1503, 500, 10502, "the offset was lowered: the clock stands still"},
    {10001, 500, 10502, "it still does"},
    {10003, 500, 10503, "and goes on when it is due"},
    {10004, -9000, 10503, "a negative offset is behind for long"},
    {19504, -9000, 10504, "but not for ever"},
};

static void never_runs_backwards(void **state) {
    (void)state;
    struct clock clock = {0, 0};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        clock.offset_us = steps[i].offset_us;
        require_same(clock_now(&clock, steps[i].reading_us), steps[i].now_us, "%s", steps[i].why);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {tidy_test(never_runs_backwards)};
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
