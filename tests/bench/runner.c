#include "runner.h"

#include <stdlib.h>

#include "basics.h"

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

static void lane_add(struct run *run, const struct setting *setting, const struct family *family,
                     const struct workload *workload, struct dataset *data) {
    run->lanes = one_more(run->lanes, run->count, sizeof *run->lanes);
    run->measurements = one_more(run->measurements, run->count, sizeof *run->measurements);
    struct stock *stock = workload->filler ? dataset_stock(data, workload->filler) : NULL;
    run->measurements[run->count] = run->results->measurement_count;
    results_measure(run->results, setting, family, workload, run->options->rounds);
    run->lanes[run->count++] = lane_open(workload, data, stock, setting->pipeline, CONNECTIONS);
}

void run_add(struct run *run, const struct setting *setting, struct dataset *data, unsigned wanted,
             unsigned unwanted) {
    for (size_t index = 0; index < family_count; index++) {
        const struct family *family = families[index];
        for (size_t number = 0; number < family->workload_count; number++) {
            const struct workload *workload = &family->workloads[number];
            if (wanted && !(workload->traits & wanted)) continue;
            if (workload->traits & (unwanted | UNMEASURED)) continue;
            lane_add(run, setting, family, workload, data);
        }
    }
}

/* What is measured once in a round may be new only once, so that nothing can go before it. */
static void warm_up(const struct run *run, struct lane *lane) {
    if (!run->visits)
        lane_run(lane, (int64_t)run->options->slice_ms * 1000000 / WARM_UP_SHARE);
    else if (run->visits > 1)
        lane_circle(lane, 1);
}

static uint64_t work(const struct run *run, struct lane *lane) {
    if (run->visits) return lane_circle(lane, run->visits);
    return lane_run(lane, (int64_t)run->options->slice_ms * 1000000);
}

static void slice_measure(struct run *run, size_t which, unsigned round) {
    struct lane *lane = &run->lanes[which];
    struct measurement *measurement = &run->results->measurements[run->measurements[which]];
    warm_up(run, lane);
    struct meter meter = meter_start(run->server);
    double operations = (double)work(run, lane);
    meter_stop(&meter, run->server, measurement, round, operations);
}

/* The lanes of a workload next to one another: what is compared most closely is measured at nearly the same
 * time. */
static size_t *order_by_workload(const struct run *run) {
    size_t *order = take(run->count, sizeof *order), used = 0;
    bool *is_placed = take(run->count, sizeof *is_placed);
    for (size_t first = 0; first < run->count; first++) {
        for (size_t which = first; which < run->count; which++) {
            if (is_placed[which] || run->lanes[which].workload != run->lanes[first].workload) continue;
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
        if (run->renew) run->renew(run->server, run->lanes[0].data);
        /* Who begins, and who comes before whom, changes from round to round. */
        for (size_t turn = 0; turn < run->count; turn++) {
            size_t place = (turn + round) % run->count;
            slice_measure(run, order[round % 2 ? run->count - 1 - place : place], round);
        }
    }
    for (size_t which = 0; which < run->count; which++) lane_close(&run->lanes[which]);
    free(order);
    free(run->lanes);
    free(run->measurements);
}
