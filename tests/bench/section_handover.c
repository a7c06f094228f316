/*
 * One lease that goes from hand to hand: whoever has it gives it back and gets in line again. A hop is what
 * that costs, and how long it takes until the next in line knows. PINGs sent in the same way tell what the
 * machine has to do with it.
 */
#include <stdlib.h>

#include "basics.h"
#include "crowd.h"
#include "sections.h"

enum { LINES = 4, HOPS = 500, ROUNDS_AT_MOST = 20, AIMED_AT = 1000 };
#define HOP_P99_MS   1
#define FLAT_AT_MOST 1.3

static const unsigned lengths[LINES] = {10, 100, AIMED_AT, 10000};

/* By round, so that a moment in which the machine had something else to do is a moment and no more. */
struct pace {
    double cpu_us[ROUNDS_AT_MOST], median_ms[ROUNDS_AT_MOST], p99_ms[ROUNDS_AT_MOST];
};

struct line {
    const struct crowd *crowd;
    unsigned length, first; /* these of the crowd */
    unsigned holder;        /* counted from first */
    struct pace pace;
};

/* Each line has a container of its own. */
static void acquire(const struct line *line, unsigned who) {
    wire_ask(line->crowd->wires[line->first + who], "LEASE.ACQUIRE line:%u -1 BLOB lock ID %s BLOCK 0",
             line->length, crowd_id(who));
}

static struct line line_form(struct server *server, const struct crowd *crowd, unsigned first,
                             unsigned length) {
    struct line line = {.crowd = crowd, .length = length, .first = first};
    server_tell(server, "CONTAINER.CREATE line:%u", length);
    server_tell(server, "BLOB.PUT line:%u lock x", length);
    /* One holds it, so the others are as many as the line is to be long. */
    for (unsigned who = 0; who <= length; who++) {
        acquire(&line, who);
        if (!who) wire_receive(crowd->wires[first], "LEASE.ACQUIRE");
    }
    return line;
}

/* Nobody but the next in line is listened to, so a wrong order would come to light. */
static double hop(void *context) {
    struct line *line = context;
    unsigned next = (line->holder + 1) % (line->length + 1);
    struct wire **wires = line->crowd->wires + line->first;
    int64_t before = monotonic_ns();
    wire_ask(wires[line->holder], "LEASE.RELEASE line:%u %s BLOB lock", line->length, crowd_id(line->holder));
    wire_receive(wires[next], "LEASE.ACQUIRE");
    int64_t after = monotonic_ns();
    wire_receive(wires[line->holder], "LEASE.RELEASE");
    acquire(line, line->holder);
    line->holder = next;
    return (double)(after - before) / 1e6;
}

static double ping(void *context) {
    int64_t before = monotonic_ns();
    wire_call(context, "PING");
    return (double)(monotonic_ns() - before) / 1e6;
}

static void pace_measure(struct server *server, struct pace *pace, unsigned round,
                         double (*step)(void *context), void *context) {
    double ms[HOPS];
    server_settle();
    int64_t before = server_cpu_ns(server);
    for (unsigned count = 0; count < HOPS; count++) ms[count] = step(context);
    server_settle();
    pace->cpu_us[round] = (double)(server_cpu_ns(server) - before) / 1e3 / HOPS;
    pace->median_ms[round] = share_of(ms, HOPS, 0.5);
    pace->p99_ms[round] = share_of(ms, HOPS, 0.99);
}

static void pace_tell(const struct section *section, struct results *results, const char *name,
                      const struct pace *pace, unsigned rounds, bool is_aside) {
    const struct fact facts[] = {
        {section->name, print_text("%s: CPU", name), spread_of(pace->cpu_us, rounds).median, "us", is_aside},
        {section->name, print_text("%s: time, median", name), spread_of(pace->median_ms, rounds).median, "ms",
         true},
        {section->name, print_text("%s: time, p99", name), spread_of(pace->p99_ms, rounds).median, "ms",
         true},
    };
    for (size_t index = 0; index < sizeof facts / sizeof *facts; index++) results_fact(results, facts[index]);
}

static void judge(struct results *results, const struct line *shortest, const struct line *line,
                  unsigned rounds) {
    if (line->length == AIMED_AT)
        results_bar(results, print_text("hand-over with %u in line, p99", line->length),
                    spread_of(line->pace.p99_ms, rounds).median, HOP_P99_MS, "ms");
    if (line != shortest)
        results_bar(
            results, print_text("CPU per hand-over with %u in line, to %u", line->length, shortest->length),
            spread_of_ratios(line->pace.cpu_us, shortest->pace.cpu_us, rounds).median, FLAT_AT_MOST, "x");
}

/* As many lines as connections allow; returns how many people are in them. */
static unsigned lines_plan(unsigned *firsts, unsigned *count) {
    unsigned people = 0;
    for (*count = 0; *count < LINES; ++*count) {
        unsigned more = people + lengths[*count] + 1;
        if (crowd_limit(more) < more) break;
        firsts[*count] = people;
        people = more;
    }
    return people;
}

void measure_handover(const struct section *section, const struct options *options, struct results *results) {
    unsigned rounds = options->rounds < ROUNDS_AT_MOST ? options->rounds : ROUNDS_AT_MOST;
    unsigned firsts[LINES], count;
    unsigned people = lines_plan(firsts, &count);
    struct server *server = server_start(options, "maxclients 20000\n");
    struct crowd *crowd = crowd_open(server, people);
    struct wire *idler = wire_open_narrow(server);
    struct pace pings;
    struct line *lines = take(LINES, sizeof *lines);
    for (unsigned index = 0; index < count; index++)
        lines[index] = line_form(server, crowd, firsts[index], lengths[index]);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned index = 0; index < count; index++)
            pace_measure(server, &lines[index].pace, round, hop, &lines[index]);
        pace_measure(server, &pings, round, ping, idler);
    }
    for (unsigned index = 0; index < count; index++) {
        pace_tell(section, results, print_text("%u in line", lines[index].length), &lines[index].pace, rounds,
                  false);
        judge(results, lines, &lines[index], rounds);
    }
    pace_tell(section, results, "PING, for comparison", &pings, rounds, true);
    free(lines);
    wire_close(idler);
    crowd_close(crowd);
    server_stop(server);
}
