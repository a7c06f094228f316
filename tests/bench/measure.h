/* What sections begin with, and rounds in which workloads take turns. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "driver.h"
#include "latency.h"
#include "sequence.h"

/* --- Fixtures --- */

/* What measurements begin with: a server with those settings, and a dataset of so many objects on it, if any. */
struct fixture {
    const struct context *context;
    struct server *server;
    struct dataset *data; /* NULL without objects */
};
struct fixture fixture_open(const struct context *context, const char *settings, unsigned objects,
                            size_t bytes);
void fixture_close(const struct fixture *fixture);

/* How long others wait when that command is sent, see longest_ping_ms: a fact, and a bar unless the limit is 0. */
void measure_pause(const struct fixture *fixture, const char *what, const char *command,
                   bool (*is_over)(struct server *server), double limit_ms);

/* What the objects of that filler take, by the growth of used_memory. */
double bytes_per_object(const struct fixture *fixture, const char *filler);

/* --- Rounds --- */

/* Runs workloads in turns, for a short slice each, round after round, and records what each slice costs the server. */

/* Records the processor time that the server uses between the two calls, per operation, as a round of a measurement. */
struct meter {
    int64_t cpu_ns, at_ns;
};
struct meter meter_start(const struct server *server);
void meter_stop(const struct meter *meter, const struct server *server, struct measurement *measurement,
                unsigned round, double operations);

/* The drivers of one measurement, and where their results go. */
struct run {
    const struct context *context;
    struct server *server;
    struct driver *drivers;
    struct measurement **measurements; /* by driver */
    size_t count;
    /* For workloads that change their objects: how often a slice visits each object (0: as often as the time
     * allows), and what restores the objects before each round (may be NULL). */
    unsigned visits;
    void (*renew)(struct server *server, const struct dataset *data);
    struct server *primary; /* of a replica that is measured: what is written there is waited for */
};

/* Adds the workloads of those names, and what any module would pay for them: see bare.c. Between names
 * there is "; ". */
void run_add(struct run *run, const struct setting *setting, struct dataset *data, const char *names);

/* Measures the workloads and frees the run. */
void run_measure(struct run *run);

/* Measures workloads on the fixture's dataset in a setting of the section, and adds the bars. */
void workloads_measure(const struct fixture *fixture, struct setting setting, const char *names);

/* The same for workloads that change their objects: `renew` restores these before each round, in which each is visited so
 * many times. */
void changes_measure(const struct fixture *fixture, struct setting setting, const char *names,
                     unsigned visits, void (*renew)(struct server *server, const struct dataset *data));

/* Runs sequences in turns. Each has its own pool of clients, and the same number of operations in each round. */

enum { ENTRIES_MAX = 16, SEQUENCE_OPERATIONS = 8192 };

/* A sequence that is measured round by round. */
struct sequence_entry {
    struct client_pool *pool;
    const struct sequence *filler; /* adds what the sequence removes, before each slice; may be NULL */
    bool starts_anew;              /* whether its key is created anew before each slice */
    uint64_t operations;           /* SEQUENCE_OPERATIONS unless the section changes it */
    struct measurement *measurement;
};

/* The dataset of the fixture is that of the entries that are added next. */
struct sequence_run {
    struct fixture fixture;
    struct sequence_entry entries[ENTRIES_MAX];
    unsigned count;
};

/* Adds the measurement of a sequence to the results. */
struct measurement *sequence_add_measurement(const struct context *context, const struct setting *setting,
                                             const struct sequence *sequence);

/* Adds a sequence, and prepares its key. */
struct sequence_entry *sequence_run_add(struct sequence_run *run, const struct setting *setting,
                                        const struct sequence *sequence, const char *key);

/* Measures the sequences that were added, and removes them. */
void sequence_run_measure(struct sequence_run *run);

/* Runs a sequence for so many messages without measuring it. */
void sequence_fill(struct dataset *data, const struct sequence *filler, const char *key, uint64_t messages);

/* What an operation costs in the last setting, relative to the first. */
double growth_of(const struct context *context, const char *name, const struct setting *first,
                 const struct setting *last);

/* Adds a bar for each of the setting's comparisons that has a limit. */
void add_ratio_bars(struct results *results, const struct setting *setting);

/* Measures workloads that insert a million objects, and workloads with growing numbers of objects, with a bar for each
 * of these that has a limit. */
void growth_measure(const struct context *context, const char *inserting, const char *growing);

#endif
