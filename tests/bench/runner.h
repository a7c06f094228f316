/*
 * Runs workloads in turns, for a short slice each, round after round, and takes down what each slice has cost
 * the server.
 */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "results.h"

/* What the server has used since the meter was started goes into a round of a measurement, by operation. */
struct meter {
    int64_t cpu_ns, at_ns;
};
struct meter meter_start(const struct server *server);
void meter_stop(const struct meter *meter, const struct server *server, struct measurement *measurement,
                unsigned round, double operations);

/* The lanes of one measurement, and where their results go. */
struct run {
    struct server *server;
    const struct options *options;
    struct results *results;
    struct lane *lanes;
    size_t *measurements; /* by lane: index into the results */
    size_t count;
    /* For objects that change by being measured: so often each of them is visited in a slice, if not as often
     * as a time allows, and this makes them as they were before, round by round. May be 0 and NULL. */
    unsigned visits;
    void (*renew)(struct server *server, const struct dataset *data);
};

struct run run_open(struct server *server, const struct options *options, struct results *results);

/* Adds the workloads of all families that have one of the traits (0: all), and none of the others given. */
void run_add(struct run *run, const struct setting *setting, struct dataset *data, unsigned wanted,
             unsigned unwanted);

/* Measures the lanes, and closes the run. */
void run_measure(struct run *run);

#endif
