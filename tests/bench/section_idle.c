/*
 * What a million leases cost a server that has nothing to do.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "basics.h"
#include "locks.h"
#include "runner.h"
#include "sections.h"

enum { LOOKS = 5, LOOK_MS = 300 };
#define MORE_MS_AT_MOST 0.5

/* Processor time per second, look by look. What a look happens to catch of the server's own chores varies. */
static struct spread idle_ms(struct server *server) {
    double ms[LOOKS];
    for (int look = 0; look < LOOKS; look++) {
        int64_t cpu_ns = server_cpu_ns(server), before = monotonic_ns();
        usleep(LOOK_MS * 1000);
        double seconds = (double)(monotonic_ns() - before) / 1e9;
        ms[look] = (double)(server_cpu_ns(server) - cpu_ns) / 1e6 / seconds;
    }
    return spread_of(ms, LOOKS);
}

static void add(const struct section *section, struct results *results, const char *name, double ms) {
    results_fact(results, (struct fact){section->name, name, ms, "ms", false});
}

void measure_idle(const struct section *section, const struct options *options, struct results *results) {
    struct server *server = server_start(options, HOLD_FOR_LONG);
    struct dataset *data = dataset_open(server, 0, MILLION, sizes[0].bytes);
    const struct workload *acquire = workload_named("LEASE.ACQUIRE");
    struct stock *stock = dataset_stock(data, acquire->filler);
    double without_ms = idle_ms(server).median;
    int64_t bytes_before = server_info_number(server, "used_memory");
    struct lane lane = lane_open(acquire, data, stock, PIPELINE, CONNECTIONS);
    lane_visit(&lane, data->objects);
    lane_close(&lane);
    double with_ms = idle_ms(server).median;
    double bytes = (double)(server_info_number(server, "used_memory") - bytes_before) / data->objects;
    results_fact(results, (struct fact){section->name, "a lease on a blob", bytes, "bytes", true});
    add(section, results, "a million blobs: CPU per idle second", without_ms);
    add(section, results, "a million leases on them: CPU per idle second", with_ms);
    results_bar(results, "CPU per idle second for a million leases", with_ms - without_ms, MORE_MS_AT_MOST,
                "ms");
    dataset_close(data);
    server_stop(server);
}
