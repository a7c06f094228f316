#include "waits.h"

#include "statistics.h"

struct waits waits_begin(const struct server *server) {
    return (struct waits){.server = server, .at_ns = monotonic_ns(), .cpu_ns = server_cpu_ns(server)};
}

/* The processor time of a wait may be accounted together with that of the next one. */
static void waits_add(struct waits *waits, double ms, double cpu_ms) {
    double wait_ms = lesser(waits->before_ms, waits->before_cpu_ms + cpu_ms);
    waits->longest_ms = greater(waits->longest_ms, wait_ms);
    waits->before_ms = ms;
    waits->before_cpu_ms = cpu_ms;
}

void waits_next(struct waits *waits) {
    int64_t now_ns = monotonic_ns(), cpu_ns = server_cpu_ns(waits->server);
    waits_add(waits, (double)(now_ns - waits->at_ns) / 1e6, (double)(cpu_ns - waits->cpu_ns) / 1e6);
    waits->at_ns = now_ns;
    waits->cpu_ns = cpu_ns;
}

double waits_longest_ms(struct waits *waits) {
    waits_add(waits, 0, 0);
    return waits->longest_ms;
}
