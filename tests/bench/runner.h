/*
 * Runs workloads in turns, for a short slice each, round after round, and takes down what each slice has cost
 * the server.
 */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "report.h"

/* What the server has used since the meter was started goes into a round of a measurement, by operation. */
struct meter {
    int64_t cpu_ns, at_ns;
};
struct meter meter_start(const struct server *server);
void meter_stop(const struct meter *meter, const struct server *server, struct measurement *measurement,
                unsigned round, double operations);

/* The drivers of one measurement, and where their results go. */
struct run {
    struct server *server;
    const struct options *options;
    struct results *results;
    struct driver *drivers;
    size_t *measurements; /* by driver: index into the results */
    size_t count;
    /* For objects that change by being measured: so often each of them is visited in a slice, if not as often
     * as a time allows, and this makes them as they were before, round by round. May be 0 and NULL. */
    unsigned visits;
    void (*renew)(struct server *server, const struct dataset *data);
};

struct run run_open(struct server *server, const struct options *options, struct results *results);

/* Adds the workloads of those names, which end with NULL. */
void run_add(struct run *run, const struct setting *setting, struct dataset *data, const char *const *names);

/* Measures them, and closes the run. */
void run_measure(struct run *run);

/*
 * Sequences in turns: each has a pool of clients of its own, and as many operations in each round.
 */

enum { ENTRIES_AT_MOST = 16 };

/* A sequence that is measured again and again. */
struct sequence_entry {
    struct client_pool *pool;
    const struct sequence *
        filler; /* what puts there what it takes, before each slice; NULL for a sequence that puts it there itself */
    bool starts_anew; /* whether its key is made anew before each slice */
    uint64_t operations;
    size_t measurement;
};

struct sequence_run {
    const struct context *context;
    struct server *server;
    struct dataset *data;
    struct sequence_entry entries[ENTRIES_AT_MOST];
    unsigned count;
};

/* Prepares the key. */
struct sequence_entry *sequence_run_add(struct sequence_run *run, const struct setting *setting,
                                        const struct sequence *sequence, const char *key,
                                        uint64_t operations);

/* So many operations, unmeasured. */
void sequence_run_fill(const struct sequence_run *run, const struct sequence *filler, const char *key,
                       uint64_t operations);

/* Measures all that were added, and leaves none. */
void sequence_run_measure(struct sequence_run *run);

/* Makes bars of the setting's comparisons that have limits, of that family or, if it is NULL, of all. */
void judge_ratios(struct results *results, const struct setting *setting, const struct family *family);

/* Some workloads make a million objects; others are measured with growing numbers of them, and those of them that have
 * limits make bars. Names end with NULL. */
void growth_measure(const struct context *context, const char *const *inserting, const char *const *growing);

#endif
