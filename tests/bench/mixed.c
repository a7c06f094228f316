/*
 * How long a PING waits while a server is busy with all families, next to one that does as many native operations; both
 * write an append-only file, and both save and rewrite in between.
 *
 * Twice in each millisecond each of ten connections asks for one operation, and one more sends a PING. What counts is
 * the time that the slowest in a thousand of these takes: somebody's long command, or the fork, would show there.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"

enum {
    OPERATIONS = 10,
    OBJECTS = 20000,
    TICK_NS = 500000,
    TURNS = 3,
    TICKS = 10000, /* of a turn */
    TICKS_QUICK = 3000,
    CONTENT_BYTES = 100
};

static const double most_to_native = 1.2, slow_share = 0.999;

/* A command with the number of an object, and perhaps a content. Some are about the object of the tick before, which is
 * there by then. */
struct operation {
    const char *command;
    bool is_later;
};

struct mix {
    const char *name;
    const char *first[6];
    struct operation operations[OPERATIONS];
};

#define LEASE_ID "11111111-2222-3333-4444-555555555555"

static const struct mix mixes[] = {
    {"native",
     {NULL},
     {{"SET string%u %s", false},
      {"GET string%u", true},
      {"SET lock%u %s PX 60000", false},
      {"HSET hash%u name %s", false},
      {"HGETALL hash%u", true},
      {"LPUSH list %u:%s", false},
      {"LPOP list", false},
      {"ZADD set %u %s", false},
      {"SETRANGE file%u 0 %s", false},
      {"GETRANGE file%u 0 99", true}}},
    {"Holdfast",
     {"CONTAINER.CREATE c", "QUEUE.CREATE q", "TABLE.CREATE t", "SHARE.CREATE s", "BLOB.PUT c kept x"},
     {{"BLOB.PUT c blob%u %s", false},
      {"BLOB.GET c blob%u", true},
      {"LEASE.ACQUIRE c 60 ID " LEASE_ID " BLOB kept", false},
      {"TABLE.INSERTORMERGE t p row%u PROPS 1 name %s", false},
      {"TABLE.GET t p row%u", true},
      {"QUEUE.PUT q %u:%s TTL 1", false},
      {"QUEUE.GET q", false},
      {"FILE.CREATE s file%u 100", false},
      {"FILE.PUTRANGE s file%u 0 %s", true},
      {"FILE.GET s file%u", true}}},
};
enum { NATIVE, HOLDFAST, MIXES };

struct load {
    const struct mix *mix;
    struct server *server;
    struct connection *connections[OPERATIONS], *ping, *keeper;
    unsigned ticks; /* so far */
    char content[CONTENT_BYTES + 1];
    double *waits_ms;
    size_t wait_count;
};

static void load_start(struct load *load, const struct options *options, const struct mix *mix,
                       size_t waits) {
    *load = (struct load){.mix = mix, .waits_ms = allocate(waits, sizeof(double))};
    load->server = server_start(options, WITH_AOF);
    for (unsigned which = 0; which < OPERATIONS; which++)
        load->connections[which] = connection_open(load->server, 0);
    load->ping = connection_open(load->server, 0);
    load->keeper = connection_open(load->server, 0);
    memset(load->content, 'x', CONTENT_BYTES);
    for (const char *const *command = mix->first; *command; command++) server_tell(load->server, *command);
}

static void load_end(struct load *load) {
    for (unsigned which = 0; which < OPERATIONS; which++) connection_close(load->connections[which]);
    connection_close(load->ping);
    connection_close(load->keeper);
    server_stop(load->server);
    free(load->waits_ms);
}

static void operations_ask(struct load *load) {
    for (unsigned which = 0; which < OPERATIONS; which++) {
        const struct operation *operation = &load->mix->operations[which];
        unsigned object = (load->ticks + OBJECTS - operation->is_later) % OBJECTS;
        connection_ask(load->connections[which], operation->command, object, load->content);
    }
    load->ticks++;
}

static void operations_await(struct load *load) {
    for (unsigned which = 0; which < OPERATIONS; which++)
        connection_receive(load->connections[which], load->mix->name);
}

/* Each operation with each object; before the first one there is none. */
static void fill(struct load *load) {
    while (load->ticks < OBJECTS) {
        operations_ask(load);
        for (unsigned which = 0; which < OPERATIONS; which++)
            connection_receive_any(load->connections[which]);
    }
}

static double ping_ms(struct load *load) {
    int64_t asked_ns = monotonic_ns();
    connection_ask(load->ping, "PING");
    connection_receive(load->ping, "PING");
    return (double)(monotonic_ns() - asked_ns) / 1e6;
}

static void sleep_until(int64_t ns) {
    const struct timespec until = {ns / 1000000000, ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Whoever forks twice at once is refused, which is all right. */
static void run_turn(struct load *load, unsigned ticks) {
    int64_t next_ns = monotonic_ns();
    for (unsigned tick = 0; tick < ticks; tick++) {
        const char *upkeep = tick == ticks / 10 ? "BGSAVE" : tick == ticks / 2 ? "BGREWRITEAOF" : NULL;
        if (upkeep) connection_ask(load->keeper, upkeep);
        operations_ask(load);
        load->waits_ms[load->wait_count++] = ping_ms(load);
        operations_await(load);
        if (upkeep) connection_receive_any(load->keeper);
        next_ns += TICK_NS;
        if (monotonic_ns() > next_ns) next_ns = monotonic_ns(); /* what was missed is not made up for */
        sleep_until(next_ns);
    }
}

static void add_wait_facts(const struct context *context, struct load *load) {
    const double shares[] = {0.5, 0.99, slow_share};
    static const char *const names[] = {"median", "99 of 100", "999 of 1000"};
    for (size_t index = 0; index < sizeof shares / sizeof *shares; index++) {
        const char *name = format_text("PING beside %s operations, %s", load->mix->name, names[index]);
        double wait_ms = percentile(load->waits_ms, load->wait_count, shares[index]);
        results_fact(
            context->results,
            (struct fact){.section = context->section->name, .name = name, .value = wait_ms, .unit = "ms"});
    }
}

void measure_mixed(const struct context *context) {
    struct load loads[MIXES];
    double slowest_ms[MIXES][TURNS];
    unsigned ticks = context->is_quick ? TICKS_QUICK : TICKS;
    for (int which = 0; which < MIXES; which++) {
        load_start(&loads[which], context->options, &mixes[which], (size_t)ticks * TURNS);
        fill(&loads[which]);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int which = 0; which < MIXES; which++) {
            run_turn(&loads[which], ticks);
            double *waits_ms = loads[which].waits_ms + (size_t)turn * ticks;
            slowest_ms[which][turn] = percentile(waits_ms, ticks, slow_share);
        }
    }
    for (int which = 0; which < MIXES; which++) {
        add_wait_facts(context, &loads[which]);
        load_end(&loads[which]);
    }
    results_bar(context->results, ABOUT_PAUSES, "PING beside all families, 999 of 1000, to native",
                spread_of_ratios(slowest_ms[HOLDFAST], slowest_ms[NATIVE], TURNS).median, most_to_native,
                "x");
}
