/* A wall clock that a test sets, preloaded into a server: as far from the machine's as the first number in the file that
 * HOLDFAST_WALL_CLOCK names says, in microseconds, from the moment at which the test writes it there. When the second
 * number changes, so many microseconds pass before the next reading, and after it. Every other reading is ahead by the
 * third. Of the clocks that nobody can set, the one that counts since the machine started is moved on by each reading of
 * it, by the fourth; the others are left alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_US = 1000000, OFFSET = 0, PAUSE = 1, LEAP = 2, STRIDE = 3, NUMBERS };

static const volatile int64_t *numbers(void) {
    static const volatile int64_t *set;
    if (!set) {
        static const int64_t unset[NUMBERS];
        const char *path = getenv("HOLDFAST_WALL_CLOCK");
        int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        void *page =
            file >= 0 ? mmap(NULL, NUMBERS * sizeof(*set), PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
        set = page == MAP_FAILED ? unset : page;
        if (file >= 0) close(file);
    }
    return set;
}

static int64_t pause_us(void) {
    static int64_t last_us;
    int64_t before_us = last_us;
    last_us = numbers()[PAUSE];
    return last_us != before_us ? last_us : 0;
}

static int64_t leap_us(void) {
    static bool leaps;
    leaps = !leaps;
    return leaps ? numbers()[LEAP] : 0;
}

static int64_t wall_us(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000 + numbers()[OFFSET] + leap_us();
}

static struct timespec as_timespec(int64_t us) {
    return (struct timespec){us / SECOND_US, us % SECOND_US * 1000};
}

/* It never runs backwards, so what it was moved on by stays. */
static int read_moved_on(struct timespec *now) {
    static int64_t passed_us;
    int failed = (int)syscall(SYS_clock_gettime, CLOCK_BOOTTIME, now);
    passed_us += numbers()[STRIDE];
    *now = as_timespec((int64_t)now->tv_sec * SECOND_US + now->tv_nsec / 1000 + passed_us);
    return failed;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (clock == CLOCK_BOOTTIME) return read_moved_on(now);
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return (int)syscall(SYS_clock_gettime, clock, now);
    useconds_t pause = (useconds_t)pause_us();
    if (pause) usleep(pause);
    int64_t us = wall_us();
    if (pause) usleep(pause);
    *now = as_timespec(us);
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    int64_t us = wall_us();
    *now = (struct timeval){us / SECOND_US, us % SECOND_US};
    return 0;
}

time_t time(time_t *now) {
    time_t seconds = wall_us() / SECOND_US;
    if (now) *now = seconds;
    return seconds;
}
