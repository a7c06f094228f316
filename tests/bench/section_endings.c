/*
 * A hundred thousand leases in one container that end in the same millisecond: how long does that keep
 * another client waiting? Once nobody waits for any of them, once there is somebody in line for as many as
 * connections allow.
 */
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "crowd.h"
#include "sections.h"
#include "waits.h"

enum { LEASES = 100000, BATCH = 500, WAITERS = 10000, WAITERS_QUICK = 2000 };
enum { LONGEST_MS = 10 }; /* the bar */
enum { FILLING_MS = 1500, FILLING_MOST_MS = 20000, LEAD_MS = 1000, LISTING_MS = 500, AFTERWARDS_MS = 1000 };

static int64_t ms_until(int64_t instant_ns) {
    return (instant_ns - monotonic_ns()) / 1000000;
}

static void fill(struct server *server) {
    server_tell(server, "CONTAINER.CREATE endings");
    for (unsigned lease = 0; lease < LEASES; lease++) {
        redisAppendCommand(server->context, "BLOB.PUT endings %u x", lease);
        if (lease % BATCH == BATCH - 1) server_await(server, BATCH);
    }
}

/* Whatever time it takes to acquire them all, they end together. False if that would leave too little time. */
static bool acquire_until(struct server *server, int64_t end_ns) {
    for (unsigned lease = 0; lease < LEASES; lease++) {
        int64_t ms = ms_until(end_ns);
        redisAppendCommand(server->context, "LEASE.ACQUIRE endings %d.%03d BLOB %u ID %s", (int)(ms / 1000),
                           (int)(ms % 1000), lease, crowd_id(lease));
        if (lease % BATCH != BATCH - 1) continue;
        server_await(server, BATCH);
        if (ms_until(end_ns) < LEAD_MS) return false;
    }
    return true;
}

/* Returns when they end. */
static int64_t acquire_all(struct server *server) {
    for (int64_t filling_ms = FILLING_MS; filling_ms <= FILLING_MOST_MS; filling_ms *= 2) {
        int64_t end_ns = monotonic_ns() + (filling_ms + LEAD_MS) * 1000000;
        if (acquire_until(server, end_ns)) return end_ns;
    }
    give_up("it takes too long to acquire %d leases", LEASES);
}

/* One command after the other until that instant. */
static double longest_wait_ms(struct server *server, struct wire *wire, const char *command,
                              int64_t until_ns) {
    struct waits waits = waits_begin(server);
    while (waits.at_ns < until_ns) {
        wire_call(wire, command);
        waits_next(&waits);
    }
    return waits_longest_ms(&waits);
}

static void add(const struct section *section, struct results *results, const char *text, double ms) {
    results_fact(results, (struct fact){section->name, text, ms, "ms", false});
    results_bar(results, text, ms, LONGEST_MS, "ms");
}

static void measure_alone(const struct section *section, struct results *results, struct server *server) {
    struct wire *wire = wire_open(server, 0);
    int64_t end_ns = acquire_all(server);
    add(section, results, print_text("%d leases end: longest PING", LEASES),
        longest_wait_ms(server, wire, "PING", end_ns + AFTERWARDS_MS * 1000000LL));
    int64_t until_ns = monotonic_ns() + LISTING_MS * 1000000LL;
    add(section, results, print_text("%d leases ended: longest LEASE.LIST", LEASES),
        longest_wait_ms(server, wire, "LEASE.LIST endings COUNT 1000", until_ns));
    wire_close(wire);
}

static void measure_waited_for(const struct section *section, struct results *results, struct server *server,
                               unsigned waiters) {
    struct crowd *crowd = crowd_open(server, waiters);
    struct wire *wire = wire_open(server, 0);
    int64_t end_ns = acquire_all(server);
    for (unsigned who = 0; who < waiters; who++)
        wire_ask(crowd->wires[who], "LEASE.ACQUIRE endings -1 BLOB %u BLOCK 0", who);
    wire_call(wire, "PING");
    require(ms_until(end_ns) > 0, "it takes %u waiters too long to get in line", waiters);
    add(section, results, print_text("%d leases end, %u waited for: longest PING", LEASES, waiters),
        longest_wait_ms(server, wire, "PING", end_ns + AFTERWARDS_MS * 1000000LL));
    for (unsigned who = 0; who < waiters; who++) wire_receive(crowd->wires[who], "LEASE.ACQUIRE");
    wire_close(wire);
    crowd_close(crowd);
}

void measure_endings(const struct section *section, const struct options *options, struct results *results) {
    unsigned waiters = crowd_limit(options->rounds < QUICK_BELOW ? WAITERS_QUICK : WAITERS);
    struct server *server = server_start(options, "maxclients 20000\nholdfast.lease-min-seconds 0.001\n");
    fill(server);
    measure_alone(section, results, server);
    measure_waited_for(section, results, server, waiters);
    server_stop(server);
}
