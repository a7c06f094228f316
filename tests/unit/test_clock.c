/* The clock: never runs backwards, whatever its readings and the offset do; follows the
 * wall clock, but no step of it. */
#include "core/clock.h"

#include "dice.h"
#include "unit.h"

#define SECOND_US INT64_C(1000000)
enum { START_SECONDS = 1700000000 };

/* A machine: what its two clocks say, and the clock that is made of them. */
struct machine {
    struct clock clock;
    int64_t elapsed_us, wall_us;
    int64_t last_us;
};

static int64_t now(struct machine *machine) {
    if (clock_wants_look(&machine->clock, machine->elapsed_us))
        clock_look(&machine->clock, machine->elapsed_us, machine->wall_us);
    int64_t now_us = clock_now(&machine->clock, machine->elapsed_us);
    require(now_us >= machine->last_us, "it falls by %lld us", (long long)(machine->last_us - now_us));
    machine->last_us = now_us;
    return now_us;
}

static void pass(struct machine *machine, int64_t us) {
    machine->elapsed_us += us;
    machine->wall_us += us;
}

/* Time passes, and the clock is asked each time after so much of it. */
static void pass_in_parts(struct machine *machine, int64_t us, int64_t part_us) {
    for (; us > 0; us -= part_us) {
        pass(machine, us < part_us ? us : part_us);
        now(machine);
    }
}

static struct machine machine_start(void) {
    struct machine machine = {.elapsed_us = 5 * SECOND_US, .wall_us = START_SECONDS * SECOND_US};
    require_same(now(&machine), machine.wall_us, "it is set by the wall clock");
    return machine;
}

static void expect_within(int64_t value, int64_t min, int64_t max, const char *what) {
    require(value >= min && value <= max, "%s: %lld is not between %lld and %lld", what, (long long)value,
            (long long)min, (long long)max);
}

TEST(without_steps_the_clock_is_the_wall_clock) {
    struct machine machine = machine_start();
    static const int64_t parts_us[] = {1, 7, 199, 200, 201, 1000, 99999, 100000, 3600 * SECOND_US};
    for (size_t i = 0; i < ARRAY_SIZE(parts_us); i++) {
        for (int times = 0; times < 1000; times++) {
            pass(&machine, parts_us[i]);
            require_same(now(&machine), machine.wall_us, "in parts of %lld us", (long long)parts_us[i]);
        }
    }
}

/* However often it is asked. */
TEST(steps_of_the_wall_clock_are_followed_slowly) {
    static const int64_t steps_s[] = {1, 45, 3600, -1, -6, -3600}, parts_us[] = {3, 250, 40000, 1000000};
    for (size_t i = 0; i < ARRAY_SIZE(steps_s); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(parts_us); j++) {
            struct machine machine = machine_start();
            int64_t step_us = steps_s[i] * SECOND_US, ahead = step_us > 0;
            int64_t before_us = now(&machine);
            machine.wall_us += step_us;
            expect_within(now(&machine) - before_us, 0, 0, "right after the step");
            pass_in_parts(&machine, 6 * SECOND_US, parts_us[j]);
            int64_t gone_us = now(&machine) - before_us - 6 * SECOND_US;
            int64_t max_us = 6 * SECOND_US / CLOCK_DRAW_PART;
            expect_within(ahead ? gone_us : -gone_us, max_us * 8 / 10, max_us,
                          "what six seconds are corrected by");
        }
    }
}

TEST(the_clock_reaches_a_wall_clock_that_was_set_and_stops_there) {
    static const int64_t steps_us[] = {1, 199, 40000, 10 * SECOND_US, -1, -40000, -10 * SECOND_US};
    for (size_t i = 0; i < ARRAY_SIZE(steps_us); i++) {
        struct machine machine = machine_start();
        machine.wall_us += steps_us[i];
        pass_in_parts(&machine, 10 * SECOND_US * CLOCK_DRAW_PART + 2 * SECOND_US, 70000);
        require_same(machine.clock.behind_us, 0, "after a step of %lld us", (long long)steps_us[i]);
        require_same(now(&machine), machine.wall_us, "after a step of %lld us", (long long)steps_us[i]);
    }
}

/* A machine that slept: both clocks count the time. A reading that did not move, or was taken earlier, is no time. */
TEST(time_that_both_clocks_count_has_passed) {
    struct machine machine = machine_start();
    int64_t before_us = now(&machine);
    pass(&machine, 7200LL * SECOND_US);
    require_same(now(&machine) - before_us, 7200LL * SECOND_US, "two hours of sleep");
    before_us = now(&machine);
    machine.elapsed_us -= SECOND_US;
    require_same(now(&machine), before_us, "an earlier reading");
    machine.elapsed_us += SECOND_US;
    require_same(now(&machine), before_us, "the reading once more");
}

/* A wall clock that runs by 300 parts in a million faster or slower is kept up with. */
TEST(the_clock_follows_drift) {
    for (int64_t way = -1; way <= 1; way += 2) {
        struct machine machine = machine_start();
        for (int part = 0; part < 100000; part++) {
            pass(&machine, 10000);
            machine.wall_us += way * 3;
            now(&machine);
        }
        expect_within(now(&machine) - machine.wall_us, -100, 100, "how far it is off");
    }
}

static const struct {
    int64_t passed_us, offset_us, since_us;
    const char *why;
} moves[] = {
    {500, 0, 500, "time passes"},
    {0, 0, 500, "no time passes"},
    {1, 9000, 9501, "the clock is moved ahead"},
    {1, 500, 9501, "the offset was lowered: the clock stands still"},
    {8498, 500, 9501, "it still does"},
    {2, 500, 9502, "and goes on when it is due"},
    {1, -9000, 9502, "a negative offset is behind for long"},
    {9500, -9000, 9503, "but not for ever"},
};

TEST(an_offset_moves_the_clock_at_once) {
    struct machine machine = machine_start();
    int64_t start_us = machine.wall_us;
    for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
        machine.clock.offset_us = moves[i].offset_us;
        pass(&machine, moves[i].passed_us);
        require_same(now(&machine) - start_us, moves[i].since_us, "%s", moves[i].why);
    }
}

/* Whatever the wall clock does: between any two moments what was measured is what has passed, but for 0.5 %. */
TEST(no_lease_loses_more_than_its_part) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct dice dice = {seed};
        struct machine machine = machine_start();
        for (int lease = 0; lease < 200; lease++) {
            int64_t from_us = now(&machine), elapsed_us = machine.elapsed_us;
            for (int step = 0; step < 20; step++) {
                pass(&machine, (int64_t)dice_roll(&dice, dice_percent(&dice, 50) ? 300 : 3 * SECOND_US));
                if (dice_percent(&dice, 10))
                    machine.wall_us += (int64_t)dice_roll(&dice, 90 * SECOND_US) - 45 * SECOND_US;
                now(&machine);
            }
            int64_t passed_us = machine.elapsed_us - elapsed_us,
                    error_us = now(&machine) - from_us - passed_us;
            int64_t max_us = passed_us / CLOCK_DRAW_PART + 1;
            expect_within(error_us, -max_us, max_us, "what a lease gains or loses");
        }
    }
}
