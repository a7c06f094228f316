#include "measure.h"

#include <stdlib.h>
#include <string.h>

/* --- Fixtures --- */

struct fixture fixture_open(const struct context *context, const char *settings, unsigned objects,
                            size_t bytes) {
    struct fixture fixture = {.context = context, .server = server_start(context->options, settings)};
    if (objects) fixture.data = dataset_open(fixture.server, 0, objects, bytes);
    return fixture;
}

void fixture_close(const struct fixture *fixture) {
    if (fixture->data) dataset_close(fixture->data);
    server_stop(fixture->server);
}

void measure_pause(const struct fixture *fixture, const char *what, const char *command,
                   bool (*is_over)(struct server *server), double limit_ms) {
    add_pause_bar(fixture->context, format_text("%s: longest PING", what),
                  longest_ping_ms(fixture->server, command, is_over), limit_ms);
}

double bytes_per_object(const struct fixture *fixture, const char *filler) {
    int64_t before = server_memory(fixture->server);
    dataset_fill(fixture->data, workload_named(filler));
    server_settle();
    return server_memory_each(fixture->server, before, fixture->data->objects);
}

/* --- Rounds --- */

enum { REPLICA_MS = 10000 };

/* How long a workload runs in one round. Before it, it runs for a share of that: the caches become its own. */
enum { SLICE_NS = 25000000, WARM_UP_SHARE = 5 };

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

/* Who begins, and who comes before whom, changes from round to round. */
static size_t place_of_turn(size_t turn, unsigned round, size_t count) {
    size_t place = (turn + round) % count;
    return round % 2 ? count - 1 - place : place;
}

static void driver_add(struct run *run, const struct setting *setting, const struct workload *workload,
                       struct dataset *data) {
    run->drivers = grow_array(run->drivers, run->count, sizeof(*run->drivers));
    run->measurements = grow_array(run->measurements, run->count, sizeof(*run->measurements));
    struct object_set *object_set =
        workload->filler ? dataset_fill(data, workload_named(workload->filler)) : NULL;
    run->measurements[run->count] = results_add_measurement(
        run->context->results, setting, workload->name, family_of(workload), run->context->options->rounds);
    run->drivers[run->count++] = driver_open(workload, data, object_set, setting->pipeline, CONNECTIONS);
}

/* The command that does next to nothing, where there is one. How it grows is not of interest. */
static void bare_add(struct run *run, const struct setting *setting, const char *name, struct dataset *data) {
    for (size_t i = 0; i < bare_family.workload_count && !setting->is_grown; i++) {
        const struct workload *bare = &bare_family.workloads[i];
        if (text_is(bare->name + strlen(BARE), name)) driver_add(run, setting, bare, data);
    }
}

void run_add(struct run *run, const struct setting *setting, struct dataset *data, const char *names) {
    for (char *name; (name = list_next(&names)); free(name)) {
        driver_add(run, setting, workload_named(name), data);
        bare_add(run, setting, name, data);
    }
}

/* What is measured once in a round may be new only once, so that nothing can go before it. */
static void warm_up(const struct run *run, struct driver *driver) {
    if (!run->visits)
        driver_run(driver, SLICE_NS / WARM_UP_SHARE);
    else if (run->visits > 1)
        driver_visit_all(driver, 1);
}

static uint64_t work_through(const struct run *run, struct driver *driver) {
    if (run->visits) return driver_visit_all(driver, run->visits);
    return driver_run(driver, SLICE_NS);
}

/* A write of its own is needed for WAIT, which waits for its client's writes. */
static void replica_await(const struct run *run) {
    if (!run->primary) return;
    server_tell(run->primary, "SET awaited x");
    server_tell(run->primary, "WAIT 1 %d", REPLICA_MS);
}

static void slice_measure(struct run *run, size_t which, unsigned round) {
    struct driver *driver = &run->drivers[which];
    warm_up(run, driver);
    replica_await(run);
    struct meter meter = meter_start(run->server);
    double operations = (double)work_through(run, driver);
    replica_await(run);
    meter_stop(&meter, run->server, run->measurements[which], round, operations);
}

/* The drivers of a workload next to one another: what is compared most closely is measured at nearly the same time. */
static size_t *order_by_workload(const struct run *run) {
    size_t *order = allocate(run->count, sizeof(*order)), used = 0;
    bool *is_placed = allocate(run->count, sizeof(*is_placed));
    for (size_t first = 0; first < run->count; first++) {
        for (size_t which = first; which < run->count; which++) {
            if (is_placed[which] ||
                run->drivers[which].template.workload != run->drivers[first].template.workload)
                continue;
            is_placed[which] = true;
            order[used++] = which;
        }
    }
    free(is_placed);
    return order;
}

void run_measure(struct run *run) {
    size_t *order = order_by_workload(run);
    for (unsigned round = 0; round < run->context->options->rounds; round++) {
        if (run->renew) run->renew(run->server, run->drivers[0].template.data);
        for (size_t turn = 0; turn < run->count; turn++)
            slice_measure(run, order[place_of_turn(turn, round, run->count)], round);
    }
    for (size_t which = 0; which < run->count; which++) driver_close(&run->drivers[which]);
    free(order);
    free(run->drivers);
    free(run->measurements);
}

void changes_measure(const struct fixture *fixture, struct setting setting, const char *names,
                     unsigned visits, void (*renew)(struct server *server, const struct dataset *data)) {
    struct run run = {
        .context = fixture->context, .server = fixture->server, .visits = visits, .renew = renew};
    setting.objects = fixture->data->objects;
    const struct setting *kept = context_setting(fixture->context, setting);
    run_add(&run, kept, fixture->data, names);
    run_measure(&run);
    add_ratio_bars(fixture->context->results, kept);
}

void workloads_measure(const struct fixture *fixture, struct setting setting, const char *names) {
    changes_measure(fixture, setting, names, 0, NULL);
}

/* --- Sequences in turns --- */

enum { SEQUENCE_WARM_UP_SHARE = 4 }; /* of the operations, once more before they are measured */

void sequence_fill(struct dataset *data, const struct sequence *filler, const char *key, uint64_t messages) {
    struct client_pool *pool = client_pool_open(filler, data, key);
    client_pool_run(pool, messages / pool->steps[0].batch);
    client_pool_close(pool);
}

struct measurement *sequence_add_measurement(const struct context *context, const struct setting *setting,
                                             const struct sequence *sequence) {
    return results_add_measurement(context->results, setting, sequence->name, sequence->family,
                                   context->options->rounds);
}

struct sequence_entry *sequence_run_add(struct sequence_run *run, const struct setting *setting,
                                        const struct sequence *sequence, const char *key) {
    require(run->count < ENTRIES_MAX, "too many sequences in turns");
    const struct context *context = run->fixture.context;
    struct sequence_entry *entry = &run->entries[run->count++];
    *entry = (struct sequence_entry){.pool = client_pool_open(sequence, run->fixture.data, key),
                                     .operations = SEQUENCE_OPERATIONS,
                                     .measurement = sequence_add_measurement(context, setting, sequence)};
    client_pool_prepare(entry->pool);
    return entry;
}

static void key_renew(struct server *server, const struct sequence_entry *entry) {
    server_tell(server, "DEL %s", entry->pool->key);
    client_pool_prepare(entry->pool);
}

static void entry_measure(const struct sequence_run *run, const struct sequence_entry *entry,
                          unsigned round) {
    struct server *server = run->fixture.server;
    struct client_pool *pool = entry->pool;
    if (entry->starts_anew) key_renew(server, entry);
    if (entry->filler)
        sequence_fill(pool->data, entry->filler, pool->key, entry->operations * pool->steps[0].batch);
    else
        client_pool_run(pool, entry->operations / SEQUENCE_WARM_UP_SHARE);
    struct meter meter = meter_start(server);
    client_pool_run(pool, entry->operations);
    meter_stop(&meter, server, entry->measurement, round, (double)entry->operations);
}

void sequence_run_measure(struct sequence_run *run) {
    for (unsigned round = 0; round < run->fixture.context->options->rounds; round++)
        for (unsigned turn = 0; turn < run->count; turn++)
            entry_measure(run, &run->entries[place_of_turn(turn, round, run->count)], round);
    for (unsigned i = 0; i < run->count; i++) client_pool_close(run->entries[i].pool);
    run->count = 0;
}

/* --- Bars --- */

void add_ratio_bars(struct results *results, const struct setting *setting) {
    struct compared compared;
    for (size_t cursor = 0; results_compare(results, setting, &cursor, &compared);)
        if (setting->pipeline == PIPELINE &&
            (!setting->family || compared.measurement->family == setting->family))
            results_add_ratio_bar(results, &compared, compared.comparison->limits[setting->size]);
}

double growth_of(const struct context *context, const char *name, const struct setting *first,
                 const struct setting *last) {
    return results_growth(results_need(context->results, first, name),
                          results_need(context->results, last, name))
        .median;
}

/* --- From a thousand to a million objects --- */

/* Whether an operation costs the same with a million objects as with a thousand, and what it costs to insert them. */

enum { INSERT_ROUNDS = 50, INSERTING_MAX = 4, COUNTS = 4 };

static const struct {
    unsigned objects;
    const char *label;
} counts[COUNTS] = {{1000, "a thousand objects"},
                    {10000, "10 thousand"},
                    {100000, "100 thousand"},
                    {MILLION, "a million objects"}};

/* The workloads that create objects take turns in filling the dataset, each with its own objects. */
static void objects_insert(const struct context *context, struct server *server, struct dataset *data,
                           const char *names) {
    const struct setting *setting = context_setting(
        context, (struct setting){.title = "new objects, up to a million", .objects = data->objects});
    struct driver drivers[INSERTING_MAX];
    struct measurement *measurements[INSERTING_MAX];
    size_t count = 0;
    for (char *name; (name = list_next(&names)); free(name)) {
        const struct workload *workload = workload_named(name);
        require(count < INSERTING_MAX, "too many workloads insert");
        measurements[count] =
            results_add_measurement(context->results, setting, name, family_of(workload), INSERT_ROUNDS);
        drivers[count++] =
            driver_open(workload, data, dataset_prepare(data, workload), PIPELINE, CONNECTIONS);
    }
    unsigned share = data->objects / INSERT_ROUNDS;
    for (unsigned round = 0; round < INSERT_ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            struct meter meter = meter_start(server);
            driver_visit(&drivers[i], share);
            meter_stop(&meter, server, measurements[i], round, share);
        }
    }
    for (size_t i = 0; i < count; i++) driver_close(&drivers[i]);
}

static void add_growth_bars(struct results *results, const struct setting *fewest,
                            const struct setting *most) {
    for (size_t i = 0; i < results->measurement_count; i++) {
        const struct measurement *measurement = results->measurements[i];
        if (measurement->setting != most) continue;
        const struct workload *workload = workload_named(measurement->name);
        if (workload->flat_limit == 0) continue;
        struct spread growth = results_growth(results_need(results, fewest, workload->name), measurement);
        results_add_bar(results, most->subject, format_text("%s, million / thousand", workload->name),
                        growth.median, workload->flat_limit, "x");
    }
}

void growth_measure(const struct context *context, const char *inserting, const char *growing) {
    struct server *server = server_start(context->options, "");
    struct dataset *data[COUNTS];
    const struct setting *settings[COUNTS];
    for (unsigned i = 0; i < COUNTS; i++)
        data[i] = dataset_open(server, i, counts[i].objects, sizes[0].bytes);
    objects_insert(context, server, data[COUNTS - 1], inserting);
    struct run run = {.context = context, .server = server};
    for (unsigned i = 0; i < COUNTS; i++) {
        settings[i] = context_setting(
            context,
            (struct setting){.title = counts[i].label, .objects = counts[i].objects, .is_grown = true});
        run_add(&run, settings[i], data[i], growing);
    }
    run_measure(&run);
    add_growth_bars(context->results, settings[0], settings[COUNTS - 1]);
    for (unsigned i = 0; i < COUNTS; i++) dataset_close(data[i]);
    server_stop(server);
}
