#include "waits.h"

#include "basics.h"
#include "statistics.h"

enum { PINGS_BETWEEN_LOOKS = 100, AFTERWARDS_MS = 1500, PATIENCE_MS = 120000 };

struct waits waits_begin(const struct server *server) {
    return (struct waits){.server = server,
                          .at_ns = monotonic_ns(),
                          .cpu_ns = server_cpu_ns(server),
                          .delay_ns = delays_ns(server)};
}

/* The processor time of a wait may be accounted together with that of the next one. */
static void waits_add(struct waits *waits, double ms, double cpu_ms) {
    double wait_ms = lesser(waits->before_ms, waits->before_cpu_ms + cpu_ms);
    waits->longest_ms = greater(waits->longest_ms, wait_ms);
    waits->before_ms = ms;
    waits->before_cpu_ms = cpu_ms;
}

void waits_next(struct waits *waits) {
    int64_t now_ns = monotonic_ns(), cpu_ns = server_cpu_ns(waits->server),
            delay_ns = delays_ns(waits->server);
    int64_t waited_ns = now_ns - waits->at_ns - (delay_ns - waits->delay_ns);
    waits_add(waits, greater((double)waited_ns / 1e6, 0), (double)(cpu_ns - waits->cpu_ns) / 1e6);
    waits->at_ns = now_ns;
    waits->cpu_ns = cpu_ns;
    waits->delay_ns = delay_ns;
}

double waits_longest_ms(struct waits *waits) {
    waits_add(waits, 0, 0);
    return waits->longest_ms;
}

double longest_ping_ms(struct server *server, const char *command, bool (*is_over)(struct server *server)) {
    struct waits waits = waits_begin(server);
    int64_t before_ns = waits.at_ns;
    server_tell(server, command);
    for (bool goes_on = true; goes_on;) {
        for (unsigned ping = 0; ping < PINGS_BETWEEN_LOOKS; ping++) {
            waits_next(&waits);
            server_tell(server, "PING");
        }
        int64_t passed_ms = (monotonic_ns() - before_ns) / 1000000;
        require(passed_ms < PATIENCE_MS, "%s does not come to an end", command);
        goes_on = is_over ? !is_over(server) : passed_ms < AFTERWARDS_MS;
    }
    waits_next(&waits);
    return waits_longest_ms(&waits);
}
