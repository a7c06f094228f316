/* A clock that is moved. It goes forwards only, through all tests of a program, and is the same on all three servers, so
 * that all of them show the same leases as held. */
#ifndef HOLDFAST_TESTS_CLOCK_H
#define HOLDFAST_TESTS_CLOCK_H

/* Moves it; 0 makes the clocks alike. */
void time_passes(long long ms);

/* The value of holdfast.clock-offset-ms at which so much more time will have passed, for a test that sets it itself. */
long long clock_after(long long ms);

/* Unix milliseconds by the primary's own clock. */
long long server_time(void);

/* Milliseconds that only serve to be subtracted. */
long long stopwatch(void);

#endif
