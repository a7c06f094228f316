/*
 * Runs workloads in turns, for a short slice each, round after round, and records what each slice costs the server.
 */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "report.h"

/* Records the processor time that the server uses between the two calls, per operation, as a round of a measurement. */
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
    /* For workloads that change their objects: how often a slice visits each object (0: as often as the time
     * allows), and what restores the objects before each round (may be NULL). */
    unsigned visits;
    void (*renew)(struct server *server, const struct dataset *data);
    struct server *
        primary; /* of the server that is measured, if that is a replica: what is written there is waited for */
};

struct run run_open(struct server *server, const struct options *options, struct results *results);

/* Adds the workloads of those names. NULL ends the list. */
void run_add(struct run *run, const struct setting *setting, struct dataset *data, const char *const *names);

/* Measures the workloads and frees the run. */
void run_measure(struct run *run);

/*
 * Runs sequences in turns. Each has its own pool of clients, and the same number of operations in each round.
 */

enum { ENTRIES_AT_MOST = 16 };

/* A sequence that is measured round by round. */
struct sequence_entry {
    struct client_pool *pool;
    const struct sequence
        *filler; /* adds what the sequence removes, before each slice; NULL if the sequence adds it itself */
    bool starts_anew; /* whether its key is created anew before each slice */
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

/* Adds a sequence, and prepares its key. */
struct sequence_entry *sequence_run_add(struct sequence_run *run, const struct setting *setting,
                                        const struct sequence *sequence, const char *key,
                                        uint64_t operations);

/* Runs so many operations of a sequence without measuring them. */
void sequence_run_fill(const struct sequence_run *run, const struct sequence *filler, const char *key,
                       uint64_t operations);

/* Measures the sequences that were added, and removes them. */
void sequence_run_measure(struct sequence_run *run);

/* Adds a bar for each of the setting's comparisons that has a limit; only those of that family, unless it is NULL. */
void add_ratio_bars(struct results *results, const struct setting *setting, const struct family *family);

/* Measures workloads that insert a million objects, and workloads with growing numbers of objects, with a bar for each
 * of these that has a limit. NULL ends a list of names. */
void growth_measure(const struct context *context, const char *const *inserting, const char *const *growing);

#endif
