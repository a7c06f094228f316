/* Leases on blobs. Those that are held all the time and those that come and go stand in containers of their
 * own, so that the blobs of the others stay without. */
#include <stdio.h>
#include <string.h>

#include "measure.h"

static const char refusal[] = "CONFLICT LeaseAlreadyPresent ";

static bool is_holder(const struct answer *answer) {
    return is_array_of(answer, 2);
}

static bool is_refused(const struct answer *answer) {
    return answer->reply.kind == '-' && !strncmp(answer->reply.text, refusal, sizeof(refusal) - 1);
}

static const struct workload workloads[] = {
    {.name = "BLOB.PUT free",
     .request = "BLOB.PUT free {name} {content}",
     .creates = "CONTAINER.CREATE free",
     .is_expected = is_anything},
    {.name = "LEASE.ACQUIRE",
     .request = "LEASE.ACQUIRE free 3600 BLOB {name} ID " HOLDER_ID,
     .filler = "BLOB.PUT free",
     .is_expected = is_holder},
    {.name = "LEASE.ACQUIRE, RELEASE",
     .request =
         "LEASE.ACQUIRE free 3600 BLOB {name} ID " HOLDER_ID "; LEASE.RELEASE free " HOLDER_ID " BLOB {name}",
     .filler = "BLOB.PUT free",
     .is_expected = is_anything},
    {.name = "BLOB.PUT, LEASE.ACQUIRE",
     .request = "BLOB.PUT held {name} {content}; LEASE.ACQUIRE held 3600 BLOB {name} ID " HOLDER_ID,
     .creates = "CONTAINER.CREATE held",
     .is_expected = is_anything},
    {.name = "LEASE.ACQUIRE refused",
     .request = "LEASE.ACQUIRE held 3600 BLOB {name} ID 11111111-1111-1111-1111-111111111111",
     .filler = "BLOB.PUT, LEASE.ACQUIRE",
     .is_expected = is_refused},
    {.name = "LEASE.RENEW",
     .request = "LEASE.RENEW held " HOLDER_ID " BLOB {name}",
     .filler = "BLOB.PUT, LEASE.ACQUIRE",
     .is_expected = is_holder},
    {.name = "BLOB.PUT LEASE",
     .request = "BLOB.PUT held {name} {content} LEASE " HOLDER_ID,
     .filler = "BLOB.PUT, LEASE.ACQUIRE",
     .is_expected = is_token},
};

static const struct comparison comparisons[] = {
    {"LEASE.ACQUIRE, RELEASE", "SET NX PX, Lua delete", {0.6, 0, 0}},
    {"LEASE.ACQUIRE, RELEASE", "SET", {0}},
    {"LEASE.ACQUIRE refused", "SET NX PX refused", {1.35, 0, 0}},
    {"LEASE.RENEW", "Lua renew", {0.55, 0, 0}},
    {"LEASE.RENEW", "SET", {0}},
    {"BLOB.PUT LEASE", "BLOB.PUT", {1.1, 0, 0}},
    {"BLOB.PUT LEASE", "Lua check lock, SET", {0.35, 0, 0}},
};

const struct family lease_family = FAMILY("lease", workloads, comparisons);

/* --- Locks, as client libraries build them --- */

const char *holder_id(unsigned which) {
    static char id[40];
    snprintf(id, sizeof(id), "%08x-0000-4000-8000-000000000000", which);
    return id;
}

const char release_script[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) "
    "else return 0 end";

static const char renew_script[] = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                   "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end";

static const char check_set_script[] = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                       "return redis.call('SET', KEYS[2], ARGV[2]) else return "
                                       "redis.error_reply('PRECONDITION the lock is lost') end";

/* Of setting: OK. Of a script that has found the id: 1. */
static bool is_ok_or_one(const struct answer *answer) {
    return is_ok(answer) || (is_integer(answer) && *answer->reply.text == '1');
}

static bool is_null(const struct answer *answer) {
    return answer->reply.is_null;
}

#define SET_LOCK(key) "SET " key ":{name} " HOLDER_ID " NX PX 3600000"

static const struct workload lock_workloads[] = {
    {.name = "SET NX PX, Lua delete",
     .request = SET_LOCK("free") "; EVALSHA {script} 1 free:{name} " HOLDER_ID,
     .script = release_script,
     .is_expected = is_ok_or_one},
    {.name = "SET NX PX", .request = SET_LOCK("held"), .is_expected = is_ok_or_one},
    {.name = "SET NX PX refused", .request = SET_LOCK("held"), .filler = "SET NX PX", .is_expected = is_null},
    {.name = "Lua renew",
     .request = "EVALSHA {script} 1 held:{name} " HOLDER_ID " 3600000",
     .script = renew_script,
     .filler = "SET NX PX",
     .is_expected = is_ok_or_one},
    {.name = "Lua check lock, SET",
     .request = "EVALSHA {script} 2 held:{name} guarded:{name} " HOLDER_ID " {content}",
     .script = check_set_script,
     .filler = "SET NX PX",
     .is_expected = is_ok_or_one},
};

static const struct comparison lock_comparisons[] = {
    {"SET NX PX, Lua delete", "SET", {0}},
    {"Lua check lock, SET", "SET", {0}},
};

const struct family lock_family = FAMILY("lock", lock_workloads, lock_comparisons);

/* --- Next to locks --- */

/* Locks and leases that nobody waits for, next to what client libraries build of SET NX PX and scripts. */

void measure_leases(const struct context *context) {
    struct fixture fixture = fixture_open(context, HOLD_FOR_LONG, sizes[0].objects, sizes[0].bytes);
    workloads_measure(
        &fixture,
        (struct setting){.title = format_text("%s, pipeline %d", sizes[0].label, PIPELINE),
                         .family = &lease_family},
        "SET; BLOB.PUT; SET NX PX, Lua delete; SET NX PX refused; Lua renew; "
        "Lua check lock, SET; LEASE.ACQUIRE, RELEASE; LEASE.ACQUIRE refused; LEASE.RENEW; BLOB.PUT LEASE");
    fixture_close(&fixture);
}

/* --- Leases that end together --- */

/* A hundred thousand leases in one container that end in the same millisecond: how long does that keep
 * another client waiting? Once nobody waits for any of them, once there is somebody in line for as many as
 * connections allow. */

enum { LEASES = 100000, WAITERS = 10000, WAITERS_QUICK = 2000 };
enum { LONGEST_MS = 10 }; /* the bar */
enum { FILLING_MS = 1500, FILLING_MAX_MS = 20000, LEAD_MS = 1000 };
enum { LISTING_NS = 500000000, AFTERWARDS_NS = 1000000000 };
#define LIST_THEM "LEASE.LIST endings COUNT 1000"

static int64_t ms_until(int64_t instant_ns) {
    return (instant_ns - monotonic_ns()) / 1000000;
}

static void leased_blobs_put(struct server *server) {
    server_tell(server, "CONTAINER.CREATE endings");
    for (unsigned lease = 0; lease < LEASES; lease++) server_send(server, "BLOB.PUT endings %u x", lease);
    server_await(server);
}

/* Whatever time it takes to acquire them all, they end together. False if that would leave too little time. */
static bool acquire_until(struct server *server, int64_t end_ns) {
    for (unsigned lease = 0; lease < LEASES && ms_until(end_ns) >= LEAD_MS; lease++) {
        int64_t ms = ms_until(end_ns);
        server_send(server, "LEASE.ACQUIRE endings %d.%03d BLOB %u ID %s", (int)(ms / 1000), (int)(ms % 1000),
                    lease, holder_id(lease));
    }
    server_await(server);
    return ms_until(end_ns) >= LEAD_MS;
}

/* Returns when they end. */
static int64_t acquire_all(struct server *server) {
    for (int64_t filling_ms = FILLING_MS; filling_ms <= FILLING_MAX_MS; filling_ms *= 2) {
        int64_t end_ns = monotonic_ns() + (filling_ms + LEAD_MS) * 1000000;
        if (acquire_until(server, end_ns)) return end_ns;
    }
    give_up("it takes too long to acquire %d leases", LEASES);
}

static void measure_alone(const struct context *context, struct server *server) {
    int64_t end_ns = acquire_all(server);
    add_pause_bar(context, format_text("%d leases end: longest PING", LEASES),
                  longest_wait_ms(server, "PING", "PING", end_ns + AFTERWARDS_NS), LONGEST_MS);
    add_pause_bar(context, format_text("%d leases ended: longest LEASE.LIST", LEASES),
                  longest_wait_ms(server, LIST_THEM, LIST_THEM, monotonic_ns() + LISTING_NS), LONGEST_MS);
}

static void measure_waited_for(const struct context *context, struct server *server, unsigned waiters) {
    struct connection_set *set = connection_set_open(server, waiters);
    int64_t end_ns = acquire_all(server);
    for (unsigned who = 0; who < waiters; who++)
        connection_ask(set->connections[who], "LEASE.ACQUIRE endings -1 BLOB %u BLOCK 0", who);
    server_tell(server, "PING");
    require(ms_until(end_ns) > 0, "it takes %u waiters too long to get in line", waiters);
    add_pause_bar(context, format_text("%d leases end, %u waited for: longest PING", LEASES, waiters),
                  longest_wait_ms(server, "PING", "PING", end_ns + AFTERWARDS_NS), LONGEST_MS);
    for (unsigned who = 0; who < waiters; who++) connection_receive(set->connections[who], "LEASE.ACQUIRE");
    connection_set_close(set);
}

void measure_endings(const struct context *context) {
    unsigned waiters = connection_limit(context->is_quick ? WAITERS_QUICK : WAITERS);
    struct server *server =
        server_start(context->options, "maxclients 20000\nholdfast.lease-min-seconds 0.001\n");
    leased_blobs_put(server);
    measure_alone(context, server);
    measure_waited_for(context, server, waiters);
    server_stop(server);
}

/* --- A million leases --- */

/* What a million leases cost a server that has nothing to do. */

enum { LOOKS = 5, LOOK_MS = 300 };
#define MORE_MS_MAX 0.5

/* Processor time per second. What a look happens to catch of the server's own chores varies. */
static double idle_ms(const struct server *server) {
    double ms[LOOKS];
    for (int look = 0; look < LOOKS; look++) ms[look] = 1e3 * idle_share(server, LOOK_MS);
    return spread_of(ms, LOOKS).median;
}

void measure_idle(const struct context *context) {
    struct fixture fixture = fixture_open(context, HOLD_FOR_LONG, MILLION, sizes[0].bytes);
    const struct workload *acquire = workload_named("LEASE.ACQUIRE");
    struct object_set *object_set = dataset_fill(fixture.data, workload_named(acquire->filler));
    double without_ms = idle_ms(fixture.server);
    int64_t before = server_memory(fixture.server);
    struct driver driver = driver_open(acquire, fixture.data, object_set, PIPELINE, CONNECTIONS);
    driver_visit(&driver, MILLION);
    driver_close(&driver);
    double with_ms = idle_ms(fixture.server);
    double bytes = server_memory_each(fixture.server, before, MILLION);
    add_fact(context, "a lease on a blob", bytes, "bytes");
    add_fact(context, "a million blobs: CPU per idle second", without_ms, "ms");
    add_fact(context, "a million leases on them: CPU per idle second", with_ms, "ms");
    results_add_bar(context->results, ABOUT_LEASES, "CPU per idle second for a million leases",
                    with_ms - without_ms, MORE_MS_MAX, "ms");
    fixture_close(&fixture);
}
