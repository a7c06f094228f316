/* What is made of times: how long a command holds the server, how long others wait. And rounds:
 * workloads, sequences, and workloads with growing numbers of objects take turns. */
#include "measure.h"
#include "ccan/array_size/array_size.h"

#include <stdlib.h>
#include <string.h>

/* --- A single command --- */

enum { REPEATS = 5 };

void slowlog_begin(struct server *server, int threshold_us) {
    server_tell(server, "CONFIG SET slowlog-log-slower-than %d slowlog-max-len 100000", threshold_us);
    server_tell(server, "SLOWLOG RESET");
}

double slowlog_longest_ms(struct server *server, int threshold_us) {
    redisReply *entries = server_command(server, "SLOWLOG GET -1");
    long long longest_us = threshold_us;
    for (size_t i = 0; i < entries->elements; i++) {
        long long duration_us = entries->element[i]->element[2]->integer;
        if (duration_us > longest_us) longest_us = duration_us;
    }
    freeReplyObject(entries);
    return (double)longest_us / 1000;
}

struct command_timer command_timer_start(struct server *server) {
    slowlog_begin(server, 0);
    server_settle();
    return (struct command_timer){server_cpu_ns(server)};
}

double command_timer_stop_ms(struct server *server, const struct command_timer *timer) {
    server_settle();
    double cpu_ms = (double)(server_cpu_ns(server) - timer->cpu_ns) / 1e6;
    return lesser(cpu_ms, slowlog_longest_ms(server, 0));
}

double command_ms(struct server *server, const char *command, redisReply **reply) {
    struct command_timer timer = command_timer_start(server);
    redisReply *answer = server_command(server, command);
    double ms = command_timer_stop_ms(server, &timer);
    if (reply)
        *reply = answer;
    else
        freeReplyObject(answer);
    return ms;
}

double longest_of_repeats_ms(struct server *server, const char *command) {
    double longest = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++)
        longest = greater(longest, command_ms(server, command, NULL));
    return longest;
}

/* --- How long others wait --- */

enum { PINGS_BETWEEN_LOOKS = 100, AFTERWARDS_MS = 1500, PATIENCE_MS = 120000 };

struct latencies latencies_begin(const struct server *server) {
    return (struct latencies){.server = server,
                              .at_ns = monotonic_ns(),
                              .cpu_ns = server_cpu_ns(server),
                              .delay_ns = delays_ns(server)};
}

/* The processor time of a wait may be accounted together with that of the next one. */
static void latencies_add(struct latencies *latencies, double ms, double cpu_ms) {
    double wait_ms = lesser(latencies->before_ms, latencies->before_cpu_ms + cpu_ms);
    latencies->longest_ms = greater(latencies->longest_ms, wait_ms);
    latencies->before_ms = ms;
    latencies->before_cpu_ms = cpu_ms;
}

void latencies_next(struct latencies *latencies) {
    int64_t now_ns = monotonic_ns(), cpu_ns = server_cpu_ns(latencies->server),
            delay_ns = delays_ns(latencies->server);
    int64_t waited_ns = now_ns - latencies->at_ns - (delay_ns - latencies->delay_ns);
    latencies_add(latencies, greater((double)waited_ns / 1e6, 0), (double)(cpu_ns - latencies->cpu_ns) / 1e6);
    latencies->at_ns = now_ns;
    latencies->cpu_ns = cpu_ns;
    latencies->delay_ns = delay_ns;
}

double latencies_longest_ms(struct latencies *latencies) {
    latencies_add(latencies, 0, 0);
    return latencies->longest_ms;
}

double longest_ping_ms(struct server *server, const char *command, bool (*is_over)(struct server *server)) {
    struct latencies latencies = latencies_begin(server);
    int64_t before_ns = latencies.at_ns;
    server_tell(server, command);
    for (bool goes_on = true; goes_on;) {
        for (unsigned ping = 0; ping < PINGS_BETWEEN_LOOKS; ping++) {
            latencies_next(&latencies);
            server_tell(server, "PING");
        }
        int64_t passed_ms = (monotonic_ns() - before_ns) / 1000000;
        require(passed_ms < PATIENCE_MS, "%s does not come to an end", command);
        goes_on = is_over ? !is_over(server) : passed_ms < AFTERWARDS_MS;
    }
    latencies_next(&latencies);
    return latencies_longest_ms(&latencies);
}

/* --- Rounds --- */

enum { REPLICA_MS = 10000 };
enum { WARM_UP_SHARE = 5 }; /* of a slice, once more before it: the caches become this workload's own */

struct meter meter_start(const struct server *server) {
    server_settle();
    return (struct meter){.cpu_ns = server_cpu_ns(server), .at_ns = monotonic_ns()};
}

void meter_stop(const struct meter *meter, const struct server *server, struct measurement *measurement,
                unsigned round, double operations) {
    int64_t after = monotonic_ns();
    server_settle();
    measurement->cpu_ns[round] = (double)(server_cpu_ns(server) - meter->cpu_ns) / operations;
    measurement->rate[round] = operations * 1e9 / (double)(after - meter->at_ns);
}

struct run run_open(struct server *server, const struct options *options, struct results *results) {
    return (struct run){.server = server, .options = options, .results = results};
}

static void driver_add(struct run *run, const struct setting *setting, const struct workload *workload,
                       struct dataset *data) {
    run->drivers = grow_array(run->drivers, run->count, sizeof(*run->drivers));
    run->measurements = grow_array(run->measurements, run->count, sizeof(*run->measurements));
    struct object_set *object_set =
        workload->filler ? dataset_fill(data, workload_named(workload->filler)) : NULL;
    run->measurements[run->count] = run->results->measurement_count;
    results_measure(run->results, setting, workload, run->options->rounds);
    run->drivers[run->count++] = driver_open(workload, data, object_set, setting->pipeline, CONNECTIONS);
}

/* The command that does next to nothing, where there is one. How it grows is not of interest. */
static void bare_add(struct run *run, const struct setting *setting, const char *name, struct dataset *data) {
    for (size_t i = 0; i < bare_family.workload_count && !setting->is_grown; i++) {
        const struct workload *bare = &bare_family.workloads[i];
        if (text_is(bare->name + strlen(BARE), name)) driver_add(run, setting, bare, data);
    }
}

void run_add(struct run *run, const struct setting *setting, struct dataset *data, const char *const *names) {
    for (; *names; names++) {
        driver_add(run, setting, workload_named(*names), data);
        bare_add(run, setting, *names, data);
    }
}

/* What is measured once in a round may be new only once, so that nothing can go before it. */
static void warm_up(const struct run *run, struct driver *driver) {
    if (!run->visits)
        driver_run(driver, (int64_t)run->options->slice_ms * 1000000 / WARM_UP_SHARE);
    else if (run->visits > 1)
        driver_visit_all(driver, 1);
}

static uint64_t work_through(const struct run *run, struct driver *driver) {
    if (run->visits) return driver_visit_all(driver, run->visits);
    return driver_run(driver, (int64_t)run->options->slice_ms * 1000000);
}

/* A write of its own is needed for WAIT, which waits for its client's writes. */
static void replica_await(const struct run *run) {
    if (!run->primary) return;
    server_tell(run->primary, "SET awaited x");
    server_tell(run->primary, "WAIT 1 %d", REPLICA_MS);
}

static void slice_measure(struct run *run, size_t which, unsigned round) {
    struct driver *driver = &run->drivers[which];
    struct measurement *measurement = &run->results->measurements[run->measurements[which]];
    warm_up(run, driver);
    replica_await(run);
    struct meter meter = meter_start(run->server);
    double operations = (double)work_through(run, driver);
    replica_await(run);
    meter_stop(&meter, run->server, measurement, round, operations);
}

/* The drivers of a workload next to one another: what is compared most closely is measured at nearly the same time. */
static size_t *order_by_workload(const struct run *run) {
    size_t *order = allocate(run->count, sizeof(*order)), used = 0;
    bool *is_placed = allocate(run->count, sizeof(*is_placed));
    for (size_t first = 0; first < run->count; first++) {
        for (size_t which = first; which < run->count; which++) {
            if (is_placed[which] || run->drivers[which].workload != run->drivers[first].workload) continue;
            is_placed[which] = true;
            order[used++] = which;
        }
    }
    free(is_placed);
    return order;
}

void run_measure(struct run *run) {
    size_t *order = order_by_workload(run);
    for (unsigned round = 0; round < run->options->rounds; round++) {
        if (run->renew) run->renew(run->server, run->drivers[0].data);
        /* Who begins, and who comes before whom, changes from round to round. */
        for (size_t turn = 0; turn < run->count; turn++) {
            size_t place = (turn + round) % run->count;
            slice_measure(run, order[round % 2 ? run->count - 1 - place : place], round);
        }
    }
    for (size_t which = 0; which < run->count; which++) driver_close(&run->drivers[which]);
    free(order);
    free(run->drivers);
    free(run->measurements);
}

/* --- Sequences in turns --- */

enum { SEQUENCE_WARM_UP_SHARE = 4 }; /* of the operations, once more before they are measured */

static void key_renew(const struct sequence_run *run, const struct sequence_entry *entry) {
    const char *key = entry->pool->key;
    server_tell(run->server, "DEL %s", key);
    entry->pool->sequence->prepare(run->server, key);
}

void sequence_run_fill(const struct sequence_run *run, const struct sequence *filler, const char *key,
                       uint64_t operations) {
    struct client_pool *pool = client_pool_open(filler, run->data, key);
    client_pool_run(pool, operations);
    client_pool_close(pool);
}

struct sequence_entry *sequence_run_add(struct sequence_run *run, const struct setting *setting,
                                        const struct sequence *sequence, const char *key,
                                        uint64_t operations) {
    require(run->count < ENTRIES_MAX, "too many sequences in turns");
    struct sequence_entry *entry = &run->entries[run->count++];
    struct results *results = run->context->results;
    *entry =
        (struct sequence_entry){.pool = client_pool_open(sequence, run->data, key), .operations = operations};
    entry->measurement = results->measurement_count;
    results_measure(results, setting, workload_named(sequence->name), run->context->options->rounds);
    sequence->prepare(run->server, key);
    return entry;
}

static void entry_measure(const struct sequence_run *run, const struct sequence_entry *entry,
                          unsigned round) {
    struct measurement *measurement = &run->context->results->measurements[entry->measurement];
    if (entry->starts_anew) key_renew(run, entry);
    if (entry->filler)
        sequence_run_fill(run, entry->filler, entry->pool->key, entry->operations * MESSAGES_AT_ONCE);
    else
        client_pool_run(entry->pool, entry->operations / SEQUENCE_WARM_UP_SHARE);
    struct meter meter = meter_start(run->server);
    client_pool_run(entry->pool, entry->operations);
    meter_stop(&meter, run->server, measurement, round, (double)entry->operations);
}

/* Who begins, and who comes before whom, changes from round to round. */
void sequence_run_measure(struct sequence_run *run) {
    for (unsigned round = 0; round < run->context->options->rounds; round++) {
        for (unsigned turn = 0; turn < run->count; turn++) {
            unsigned place = (turn + round) % run->count;
            entry_measure(run, &run->entries[round % 2 ? run->count - 1 - place : place], round);
        }
    }
    for (unsigned i = 0; i < run->count; i++) client_pool_close(run->entries[i].pool);
    run->count = 0;
}

/* --- Bars --- */

void add_ratio_bars(struct results *results, const struct setting *setting, const struct family *family) {
    struct compared compared;
    for (size_t cursor = 0; results_compare(results, setting, &cursor, &compared);) {
        const struct comparison *comparison = compared.comparison;
        double limit = comparison->limits[setting->size];
        if (limit == 0 || (family && compared.measurement->family != family)) continue;
        char *text = format_text("%s / %s", comparison->workload, comparison->against);
        if (setting->label) text = format_text("%s, %s", text, setting->label);
        results_ratio_bar(results, &compared, text, limit);
    }
}

/* --- From a thousand to a million objects --- */

/* Whether an operation costs the same with a million objects as with a thousand, and what it costs to insert them. */

enum { INSERT_ROUNDS = 50, COUNTS = 4 };

static const struct {
    unsigned objects;
    const char *label;
} counts[COUNTS] = {{1000, "a thousand objects"},
                    {10000, "10 thousand"},
                    {100000, "100 thousand"},
                    {MILLION, "a million objects"}};

/* The workloads that create objects take turns in filling the dataset, each with its own objects. */
static void objects_insert(const struct context *context, struct server *server, struct dataset *data,
                           const char *const *names) {
    const struct setting *setting = setting_keep((struct setting){
        .section = context->section->name,
        .subject = context->section->subject,
        .title = "new objects, up to a million",
        .objects = data->objects,
        .pipeline = PIPELINE,
    });
    struct driver drivers[16];
    size_t first = context->results->measurement_count, count = 0;
    for (; *names; names++) {
        const struct workload *workload = workload_named(*names);
        require(count < ARRAY_SIZE(drivers), "too many workloads insert");
        results_measure(context->results, setting, workload, INSERT_ROUNDS);
        drivers[count++] =
            driver_open(workload, data, dataset_prepare(data, workload), PIPELINE, CONNECTIONS);
    }
    unsigned share = data->objects / INSERT_ROUNDS;
    for (unsigned round = 0; round < INSERT_ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            struct measurement *measurement = &context->results->measurements[first + i];
            struct meter meter = meter_start(server);
            driver_visit(&drivers[i], share);
            meter_stop(&meter, server, measurement, round, share);
        }
    }
    for (size_t i = 0; i < count; i++) driver_close(&drivers[i]);
}

static void add_growth_bars(struct results *results, const struct setting *fewest,
                            const struct setting *most) {
    for (size_t i = 0; i < results->measurement_count; i++) {
        const struct measurement *measurement = &results->measurements[i];
        const struct workload *workload = measurement->workload;
        if (measurement->setting != most || workload->flat_limit == 0) continue;
        struct spread growth = results_growth(results_need(results, fewest, workload->name), measurement);
        results_bar(results, most->subject, format_text("%s, million / thousand", workload->name),
                    growth.median, workload->flat_limit, "x");
    }
}

void growth_measure(const struct context *context, const char *const *inserting, const char *const *growing) {
    struct server *server = server_start(context->options, "");
    struct dataset *data[COUNTS];
    const struct setting *settings[COUNTS];
    for (unsigned i = 0; i < COUNTS; i++)
        data[i] = dataset_open(server, i, counts[i].objects, sizes[0].bytes);
    objects_insert(context, server, data[COUNTS - 1], inserting);
    struct run run = run_open(server, context->options, context->results);
    for (unsigned i = 0; i < COUNTS; i++) {
        settings[i] = setting_keep((struct setting){
            .section = context->section->name,
            .subject = context->section->subject,
            .title = counts[i].label,
            .objects = counts[i].objects,
            .pipeline = PIPELINE,
            .is_grown = true,
        });
        run_add(&run, settings[i], data[i], growing);
    }
    run_measure(&run);
    add_growth_bars(context->results, settings[0], settings[COUNTS - 1]);
    for (unsigned i = 0; i < COUNTS; i++) dataset_close(data[i]);
    server_stop(server);
}
