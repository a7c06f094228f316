#include "latency.h"

#include <unistd.h>

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

void longest_add(const struct context *context, struct longest *longest, const char *name, double ms) {
    add_fact(context, name, ms, "ms");
    if (ms > longest->ms) *longest = (struct longest){name, ms};
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

double longest_wait_ms(struct server *server, const char *first, const char *repeated, int64_t until_ns) {
    struct latencies latencies = latencies_begin(server);
    for (const char *command = first; latencies.at_ns < until_ns; command = repeated) {
        server_tell(server, command);
        latencies_next(&latencies);
    }
    return latencies_longest_ms(&latencies);
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

double idle_share(const struct server *server, unsigned ms) {
    int64_t cpu_ns = server_cpu_ns(server), before_ns = monotonic_ns();
    usleep(ms * 1000);
    return (double)(server_cpu_ns(server) - cpu_ns) / (double)(monotonic_ns() - before_ns);
}
