/* How long a command holds the server, and how long others wait meanwhile. */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

#include "bench.h"
#include "server.h"

/* --- A single command --- */

/* How long a single command holds the server.
 *
 * Two numbers bound that time from above. SLOWLOG reports wall-clock time, which includes time taken by other
 * programs. The processor time of the main thread does not, but includes the work around the command: reading it,
 * writing the reply and, for inserts, the rest of the batch. The lesser of the two is used. */

/* From now on SLOWLOG keeps the commands that take at least that long. */
void slowlog_begin(struct server *server, int threshold_us);

/* The longest command since slowlog_begin, or the threshold if none took that long. */
double slowlog_longest_ms(struct server *server, int threshold_us);

/* Times the commands that are sent between the two calls. */
struct command_timer {
    int64_t cpu_ns;
};
struct command_timer command_timer_start(struct server *server);
double command_timer_stop_ms(struct server *server, const struct command_timer *timer);

/* Sends one command and keeps its reply if `reply` is given. */
double command_ms(struct server *server, const char *command, redisReply **reply);

/* The longest of several. */
double longest_of_repeats_ms(struct server *server, const char *command);

/* The longest of several commands. */
struct longest {
    const char *name;
    double ms;
};

/* Adds a fact for one of them. */
void longest_add(const struct context *context, struct longest *longest, const char *name, double ms);

/* --- How long others wait --- */

/* The longest of many latencies, measured one right after the other.
 *
 * For each, the lesser of two numbers is used: the processor time that the server used meanwhile, and the elapsed time
 * without the time during which other programs kept the server or the bench from running. */

struct latencies {
    const struct server *server;
    int64_t at_ns, cpu_ns; /* when the current one began */
    int64_t delay_ns;      /* how long other programs had delayed both by then */
    double longest_ms;
    double before_ms, before_cpu_ms; /* the one before, whose processor time may be accounted late */
};

struct latencies latencies_begin(const struct server *server);
void latencies_next(struct latencies *latencies); /* ends the current one and begins the next */
double latencies_longest_ms(struct latencies *latencies);

/* The longest latency of a command and of the PINGs that follow it until `is_over` returns true or, if it is NULL,
 * for a second and a half. `is_over` is called now and then, and is timed like a PING. */
double longest_ping_ms(struct server *server, const char *command, bool (*is_over)(struct server *server));

/* The longest latency of a command, and of another one that is sent again and again until that instant. */
double longest_wait_ms(struct server *server, const char *first, const char *repeated, int64_t until_ns);

/* The share of its time for which a server runs that nobody asks anything. */
double idle_share(const struct server *server, unsigned ms);

#endif
