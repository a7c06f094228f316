/*
 * The longest of many waits that follow one another without a gap.
 *
 * Of each wait the lesser of two numbers is taken: the processor time that the server used meanwhile, and the time on
 * the clock, without that for which other programs kept the server or the bench from running.
 */
#ifndef BENCH_WAITS_H
#define BENCH_WAITS_H

#include "server.h"

struct waits {
    const struct server *server;
    int64_t at_ns, cpu_ns; /* when the wait that goes on has begun */
    int64_t delay_ns;      /* how long others had kept both from running by then */
    double longest_ms;
    double before_ms, before_cpu_ms; /* the last one, which may yet turn out to have cost more */
};

struct waits waits_begin(const struct server *server);
void waits_next(struct waits *waits); /* one has ended and the next one begins */
double waits_longest_ms(struct waits *waits);

/* The longest wait for a command and for the PINGs that follow it until that is so; without a question for a second and
 * a half. It is asked now and then, and counts as a PING. */
double longest_ping_ms(struct server *server, const char *command, bool (*is_over)(struct server *server));

#endif
