/* Commands at one moment, so that what happens at an instant, and what a millisecond before it, can be told apart. */
#ifndef HOLDFAST_TESTS_ONE_MOMENT_H
#define HOLDFAST_TESTS_ONE_MOMENT_H

#include "client.h"
#include "expect.h"

/* Makes the queue `jobs` anew, plays the commands of the preparation, and then those of the text in one transaction; one
 * like "+5000" lets so many milliseconds pass. All is repeated until no time has passed in the transaction but by such
 * steps. Answers the replies to all others; the clocks are alike again. */
redisReply *at_one_moment(const char *preparation, const char *text);

/* Stops the clock of the primary until the next time_passes: a clock never runs backwards, and one that is put back
 * waits until its time has come again. Answers the milliseconds at which it has stopped. */
long long stop_clock(void);

#endif
