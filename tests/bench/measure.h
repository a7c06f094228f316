/*
 * A median with its quartiles: what one slow moment of the machine cannot move.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "server.h"

struct spread {
    double median, low, high; /* low and high are the quartiles */
};

struct spread spread_of(const double *values, size_t count);

/* The value below which that share of them lies. Sorts them. */
double percentile(double *values, size_t count, double share);

/* Of the quotients, round by round: what disturbs a whole round disturbs both sides. */
struct spread spread_of_ratios(const double *values, const double *references, size_t count);

double lesser(double left, double right);
double greater(double left, double right);

/*
 * How long a single command holds the server.
 *
 * Two numbers bound that time from above: what SLOWLOG says is wall-clock time, so it has in it what other
 * programs took away; the processor time of the main thread has none of that, but holds what comes around the
 * command (reading, writing the reply, and for inserts the rest of the batch). The lesser of the two is
 * taken.
 */

/* From now on SLOWLOG keeps what takes so long. */
void slowlog_begin(struct server *server, int threshold_us);

/* The longest since slowlog_begin, or the threshold when none was that long. */
double slowlog_longest_ms(struct server *server, int threshold_us);

/* Whatever is sent between the two. */
struct command_timer {
    int64_t cpu_ns;
};
struct command_timer command_timer_start(struct server *server);
double command_timer_stop_ms(struct server *server, const struct command_timer *timer);

/* Sends one command and keeps its reply if `reply` is given. */
double command_ms(struct server *server, const char *command, redisReply **reply);

/* The longest of several. */
double longest_of_repeats_ms(struct server *server, const char *command);

/*
 * The longest of many waits that follow one another without a gap.
 *
 * Of each wait the lesser of two numbers is taken: the processor time that the server used meanwhile, and the time on
 * the clock, without that for which other programs kept the server or the bench from running.
 */

struct latencies {
    const struct server *server;
    int64_t at_ns, cpu_ns; /* when the wait that goes on has begun */
    int64_t delay_ns;      /* how long others had kept both from running by then */
    double longest_ms;
    double before_ms, before_cpu_ms; /* the last one, which may yet turn out to have cost more */
};

struct latencies latencies_begin(const struct server *server);
void latencies_next(struct latencies *latencies); /* one has ended and the next one begins */
double latencies_longest_ms(struct latencies *latencies);

/* The longest wait for a command and for the PINGs that follow it until that is so; without a question for a second and
 * a half. It is asked now and then, and counts as a PING. */
double longest_ping_ms(struct server *server, const char *command, bool (*is_over)(struct server *server));

#endif
