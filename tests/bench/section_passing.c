/*
 * One lock that twenty clients want all the time. Each holds it for a moment, as long as a small piece of
 * guarded work takes, gives it back, and wants it again.
 *
 *   asking     what client libraries do: SET NX PX; if somebody has it, a pause of random length, then again;
 *              given back by a script. Whoever had it pauses, too, or it would be the first again each time.
 *   in line    LEASE.ACQUIRE with BLOCK, LEASE.RELEASE
 *
 * A wait is the time from wanting the lock to having it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basics.h"
#include "crowd.h"
#include "locks.h"
#include "sections.h"

enum { CLIENTS = 20, HOLD_US = 2000, PAUSE_LEAST_US = 50000, PAUSE_MOST_US = 200000 };
enum { RUN_MS = 4000, RUN_MS_QUICK = 1500, IDLE_MS = 500 };

enum stage { PAUSING, ASKING, HOLDING, GIVING_BACK };

struct contender {
    enum stage stage;
    int64_t due_ns; /* when pausing and holding end */
    int64_t wanted_ns;
};

struct way {
    const char *name;
    void (*prepare)(struct server *server);
    void (*ask)(struct wire *wire, unsigned who);
    void (*give_back)(struct wire *wire, unsigned who);
    int64_t pause_least_us, pause_most_us;
};

struct passing {
    const struct way *way;
    struct crowd *crowd;
    struct contender contenders[CLIENTS];
    unsigned holders; /* how many have it now: never more than one */
    unsigned long hand_overs;
    double wait_sum_ms, wait_longest_ms;
};

static char release_digest[DIGEST_BYTES + 1];

static void asking_prepare(struct server *server) {
    server_load_script(server, release_script, release_digest);
}

static void asking_ask(struct wire *wire, unsigned who) {
    wire_ask(wire, "SET lock %s NX PX 30000", crowd_id(who));
}

static void asking_give_back(struct wire *wire, unsigned who) {
    wire_ask(wire, "EVALSHA %s 1 lock %s", release_digest, crowd_id(who));
}

static void in_line_prepare(struct server *server) {
    server_tell(server, "CONTAINER.CREATE locks");
    server_tell(server, "BLOB.PUT locks lock x");
}

static void in_line_ask(struct wire *wire, unsigned who) {
    wire_ask(wire, "LEASE.ACQUIRE locks 30 BLOB lock ID %s BLOCK 30", crowd_id(who));
}

static void in_line_give_back(struct wire *wire, unsigned who) {
    wire_ask(wire, "LEASE.RELEASE locks %s BLOB lock", crowd_id(who));
}

static const struct way ways[] = {
    {"asking", asking_prepare, asking_ask, asking_give_back, PAUSE_LEAST_US, PAUSE_MOST_US},
    {"in line", in_line_prepare, in_line_ask, in_line_give_back, 0, 0},
};

static void step_back(struct passing *passing, struct contender *contender, int64_t now_ns) {
    const struct way *way = passing->way;
    int64_t span_us = way->pause_most_us - way->pause_least_us;
    contender->stage = PAUSING;
    contender->due_ns = now_ns + (way->pause_least_us + (span_us ? rand() % span_us : 0)) * 1000;
}

static double waited_ms(const struct contender *contender, int64_t now_ns) {
    return (double)(now_ns - contender->wanted_ns) / 1e6;
}

static void wait_took(struct passing *passing, double ms) {
    if (ms > passing->wait_longest_ms) passing->wait_longest_ms = ms;
}

static void answered(struct passing *passing, struct contender *contender, const struct reply *reply,
                     int64_t now_ns) {
    if (contender->stage == GIVING_BACK) {
        contender->wanted_ns = now_ns;
        step_back(passing, contender, now_ns);
    } else if (reply->is_null) {
        step_back(passing, contender, now_ns);
    } else {
        require(!passing->holders++, "two clients have the lock");
        wait_took(passing, waited_ms(contender, now_ns));
        passing->wait_sum_ms += waited_ms(contender, now_ns);
        passing->hand_overs++;
        contender->stage = HOLDING;
        contender->due_ns = now_ns + HOLD_US * 1000LL;
    }
}

static void time_has_come(struct passing *passing, unsigned who) {
    struct contender *contender = &passing->contenders[who];
    struct wire *wire = passing->crowd->wires[who];
    if (contender->stage == PAUSING) {
        contender->stage = ASKING;
        passing->way->ask(wire, who);
    } else {
        contender->stage = GIVING_BACK;
        passing->holders--;
        passing->way->give_back(wire, who);
    }
}

static bool has_time(const struct contender *contender) {
    return contender->stage == PAUSING || contender->stage == HOLDING;
}

/* Whose time has come first, or who comes first, at most until then. */
static void turn(struct passing *passing, int64_t until_ns) {
    unsigned first = CLIENTS;
    for (unsigned who = 0; who < CLIENTS; who++) {
        const struct contender *contender = &passing->contenders[who];
        if (!has_time(contender) || contender->due_ns >= until_ns) continue;
        first = who;
        until_ns = contender->due_ns;
    }
    int who = crowd_next(passing->crowd, until_ns);
    if (who != CROWD_NOBODY) {
        struct reply reply = wire_receive(passing->crowd->wires[who], passing->way->name);
        answered(passing, &passing->contenders[who], &reply, monotonic_ns());
    } else if (first < CLIENTS && monotonic_ns() >= until_ns) {
        time_has_come(passing, first);
    }
}

static void tell(const struct section *section, struct results *results, const struct passing *passing,
                 double seconds, double cpu_us) {
    const char *name = passing->way->name;
    double mean_ms = passing->wait_sum_ms / (double)passing->hand_overs;
    const struct fact facts[] = {
        {section->name, print_text("%s: hand-overs", name), (double)passing->hand_overs / seconds,
         "per second", true},
        {section->name, print_text("%s: mean wait", name), mean_ms, "ms", true},
        {section->name, print_text("%s: longest wait", name), passing->wait_longest_ms, "ms", true},
        {section->name, print_text("%s: longest wait to mean wait", name), passing->wait_longest_ms / mean_ms,
         "x", true},
        {section->name, print_text("%s: CPU per hand-over", name), cpu_us / (double)passing->hand_overs, "us",
         true},
    };
    for (size_t index = 0; index < sizeof facts / sizeof *facts; index++) results_fact(results, facts[index]);
}

static double idle_share(struct server *server) {
    int64_t cpu_ns = server_cpu_ns(server), before = monotonic_ns();
    usleep(IDLE_MS * 1000);
    return (double)(server_cpu_ns(server) - cpu_ns) / (double)(monotonic_ns() - before);
}

static void measure_way(const struct section *section, struct results *results, struct server *server,
                        const struct way *way, int64_t run_ms) {
    struct passing passing = {.way = way, .crowd = crowd_open(server, CLIENTS)};
    way->prepare(server);
    double idle = idle_share(server);
    int64_t cpu_ns = server_cpu_ns(server), start_ns = monotonic_ns(), end_ns = start_ns + run_ms * 1000000;
    for (unsigned who = 0; who < CLIENTS; who++) {
        passing.contenders[who].wanted_ns = start_ns;
        step_back(&passing, &passing.contenders[who], start_ns);
    }
    while (monotonic_ns() < end_ns) turn(&passing, end_ns);
    int64_t stop_ns = monotonic_ns();
    double cpu_us = ((double)(server_cpu_ns(server) - cpu_ns) - idle * (double)(stop_ns - start_ns)) / 1e3;
    /* Those who wait still have waited so long, at least. */
    for (unsigned who = 0; who < CLIENTS; who++) {
        const struct contender *contender = &passing.contenders[who];
        bool waits = contender->stage == ASKING || contender->stage == PAUSING;
        if (waits) wait_took(&passing, waited_ms(contender, stop_ns));
    }
    tell(section, results, &passing, (double)(stop_ns - start_ns) / 1e9, cpu_us);
    crowd_close(passing.crowd);
}

void measure_passing(const struct section *section, const struct options *options, struct results *results) {
    struct server *server = server_start(options, "");
    int64_t run_ms = options->rounds < QUICK_BELOW ? RUN_MS_QUICK : RUN_MS;
    for (size_t index = 0; index < sizeof ways / sizeof *ways; index++)
        measure_way(section, results, server, &ways[index], run_ms);
    server_stop(server);
}
