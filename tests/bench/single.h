/*
 * How long a single command holds the server.
 *
 * Two numbers bound that time from above: what SLOWLOG says is wall-clock time, so it has in it what other
 * programs took away; the processor time of the main thread has none of that, but holds what comes around the
 * command (reading, writing the reply, and for inserts the rest of the batch). The lesser of the two is
 * taken.
 */
#ifndef BENCH_SINGLE_H
#define BENCH_SINGLE_H

#include "server.h"

/* From now on SLOWLOG keeps what takes so long. */
void slowlog_begin(struct server *server, int threshold_us);

/* The longest since slowlog_begin, or the threshold when none was that long. */
double slowlog_longest_ms(struct server *server, int threshold_us);

/* Whatever is sent between the two. */
struct single {
    int64_t cpu_ns;
};
struct single single_begin(struct server *server);
double single_end_ms(struct server *server, const struct single *single);

/* Sends one command and keeps its reply if `reply` is given. */
double command_ms(struct server *server, const char *command, redisReply **reply);

/* The longest of several. */
double longest_of_repeats_ms(struct server *server, const char *command);

#endif
