/* How long a command holds the server, how long others wait, and rounds in which workloads take turns. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>

#include "bench.h"
#include "workload.h"

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
    struct server *primary; /* of a replica that is measured: what is written there is waited for */
};

struct run run_open(struct server *server, const struct options *options, struct results *results);

/* Adds the workloads of those names, and what any module would pay for them: see bare.c. NULL ends the list. */
void run_add(struct run *run, const struct setting *setting, struct dataset *data, const char *const *names);

/* Measures the workloads and frees the run. */
void run_measure(struct run *run);

/* Runs sequences in turns. Each has its own pool of clients, and the same number of operations in each round. */

enum { ENTRIES_MAX = 16 };

/* A sequence that is measured round by round. */
struct sequence_entry {
    struct client_pool *pool;
    const struct sequence *filler; /* adds what the sequence removes, before each slice; may be NULL */
    bool starts_anew;              /* whether its key is created anew before each slice */
    uint64_t operations;
    size_t measurement;
};

struct sequence_run {
    const struct context *context;
    struct server *server;
    struct dataset *data;
    struct sequence_entry entries[ENTRIES_MAX];
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
