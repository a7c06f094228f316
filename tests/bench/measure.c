/* What is made of times: medians and percentiles, how long a command holds the server, how long others wait. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)floor(place);
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

double percentile(double *values, size_t count, double share) {
    qsort(values, count, sizeof *values, compare);
    return quantile(values, count, share);
}

static struct spread spread_of_mine(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return (struct spread){.median = quantile(values, count, 0.5),
                           .low = quantile(values, count, 0.25),
                           .high = quantile(values, count, 0.75)};
}

struct spread spread_of(const double *values, size_t count) {
    double *copy = allocate(count, sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    struct spread spread = spread_of_mine(copy, count);
    free(copy);
    return spread;
}

struct spread spread_of_ratios(const double *values, const double *references, size_t count) {
    double *ratios = allocate(count, sizeof *ratios);
    for (size_t index = 0; index < count; index++) ratios[index] = values[index] / references[index];
    struct spread spread = spread_of_mine(ratios, count);
    free(ratios);
    return spread;
}

double lesser(double left, double right) {
    return left < right ? left : right;
}

double greater(double left, double right) {
    return left > right ? left : right;
}

/* --- A single command --- */

enum { REPEATS = 5 };

void slowlog_begin(struct server *server, int threshold_us) {
    server_tell(server, "CONFIG SET slowlog-log-slower-than %d slowlog-max-len 100000", threshold_us);
    server_tell(server, "SLOWLOG RESET");
}

double slowlog_longest_ms(struct server *server, int threshold_us) {
    redisReply *entries = server_command(server, "SLOWLOG GET -1");
    long long longest_us = threshold_us;
    for (size_t index = 0; index < entries->elements; index++) {
        long long duration_us = entries->element[index]->element[2]->integer;
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
