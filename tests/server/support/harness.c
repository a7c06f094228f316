#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "notifications.h"
#include "pool.h"
#include "same_everywhere.h"
#include "sources.h"

struct client *primary;
struct client *replica;
struct client *chained;

/* Nothing of this may show in the data: what applies effects reads neither clock nor limits. */
static const char replica_settings[] = "proto-max-bulk-len 1048576\n"
                                       "holdfast.accept-effects yes\n"
                                       "holdfast.max-blob-bytes 64\n"
                                       "holdfast.max-block-bytes 64\n"
                                       "holdfast.max-append-bytes 64\n"
                                       "holdfast.clock-offset-ms -86400000\n";
static const char chained_settings[] = "appendonly yes\n"
                                       "auto-aof-rewrite-percentage 0\n"
                                       "holdfast.clock-offset-ms 86400000\n";

long long info_of(struct client *client, const char *name) {
    return info_number(call(client, "INFO everything"), name);
}

long long info_calls_of(struct client *client, const char *command) {
    const char *stats = info_field(call(client, "INFO commandstats"), pool_print("cmdstat_%s", command));
    return stats ? atoll(stats + strlen("calls=")) : 0;
}

void await_info(struct client *client, const char *name, long long number) {
    long long seen = 0;
    AWAIT_OR((seen = info_of(client, name)) == number, "%s is %lld, not %lld", name, seen, number);
}

bool is_in_step(struct client *follower, struct client *leader) {
    redisReply *leading = call(leader, "INFO replication");
    redisReply *following = call(follower, "INFO replication");
    const char *link = info_field(following, "master_link_status");
    return link && !strcmp(link, "up") &&
           info_number(following, "slave_repl_offset") == info_number(leading, "master_repl_offset");
}

void await_in_step(struct client *follower, struct client *leader) {
    AWAIT_OR(is_in_step(follower, leader), "%s does not follow %s:\n%s", follower->server->name,
             leader->server->name, server_log(follower->server));
}

void follow(struct client *follower, struct client *leader) {
    expect_ok(call(follower, "REPLICAOF 127.0.0.1 %d", leader->server->port));
    await_in_step(follower, leader);
    await_settled_files(follower);
}

void await_replicas(void) {
    await_in_step(replica, primary);
    await_in_step(chained, replica);
}

int harness_open(void **state) {
    (void)state;
    struct server *first = server_launch("primary", "");
    struct server *second = server_launch("replica", replica_settings);
    struct server *third = server_launch("chained", chained_settings);
    server_await(first);
    server_await(second);
    server_await(third);
    primary = client_open(first);
    replica = client_open(second);
    chained = client_open(third);
    follow(replica, primary);
    follow(chained, replica);
    pool_drain();
    return 0;
}

static int damage;

/* A server that died is seen here at the latest; cmocka would not count a group teardown that fails. */
static void leave(struct client **client) {
    if (!*client) return;
    struct server *server = (*client)->server;
    const char *ending = server_runs(server) ? server_ending(server) : server_obituary(server);
    client_close(*client);
    *client = NULL;
    server_forget(server);
    if (!ending) return;
    damage++;
    failure_print(pool_print("%s\n", ending));
}

int harness_close(void **state) {
    (void)state;
    leave(&chained);
    leave(&replica);
    leave(&primary);
    pool_drain();
    return 0;
}

int harness_bad_ends(void) {
    return damage;
}

static struct {
    bool are_expected;
    long long count;
} misfits;

void expect_misfits(void) {
    misfits.are_expected = true;
}

long long misfits_of(struct client *client) {
    redisReply *info = call(client, "INFO holdfast");
    return info_number(info, "holdfast_effects_misfit") + info_number(info, "holdfast_effects_malformed");
}

static long long misfits_so_far(void) {
    return misfits_of(primary) + misfits_of(replica) + misfits_of(chained);
}

/* After a server has died, the tests that follow still deserve a stage; that it died was a failed test already. */
static void world_mend(void) {
    if (server_runs(primary->server) && server_runs(replica->server) && server_runs(chained->server)) return;
    struct client **clients[] = {&primary, &replica, &chained};
    for (size_t i = 0; i < ARRAY_SIZE(clients); i++) {
        struct server *server = (*clients[i])->server;
        client_close(*clients[i]);
        *clients[i] = NULL;
        server_forget(server);
    }
    harness_open(NULL);
}

/* A failed test may have left a connection in the middle of a conversation. */
static void renew(struct client **client) {
    struct server *server = (*client)->server;
    client_close(*client);
    *client = client_open(server);
}

/* A test that failed half-way may have left the servers in other roles. */
static void restore_role(struct client *client, struct client *leader) {
    redisReply *info = call(client, "INFO replication");
    const char *role = info_field(info, "role");
    if (!leader) {
        if (strcmp(role, "master") != 0) expect_ok(call(client, "REPLICAOF NO ONE"));
    } else if (strcmp(role, "slave") != 0 || info_number(info, "master_port") != leader->server->port) {
        follow(client, leader);
    }
}

static void restore_roles(void) {
    restore_role(primary, NULL);
    restore_role(replica, primary);
    restore_role(chained, replica);
}

int test_open(void **state) {
    (void)state;
    pool_drain();
    world_mend();
    renew(&primary);
    renew(&replica);
    renew(&chained);
    restore_roles();
    expect_ok(call(primary, "FLUSHALL"));
    await_replicas();
    misfits.are_expected = false;
    misfits.count = misfits_so_far();
    notifications_begin();
    return 0;
}

int test_close(void **state) {
    (void)state;
    sources_end();
    notifications_require_alike();
    require_same_everywhere();
    require(misfits.are_expected || misfits_so_far() == misfits.count,
            "effects could not be read, or did not fit");
    pool_drain();
    return 0;
}

struct configured {
    struct server *server;
    const char *name;
    const char *value;
};

static void configured_undo(void *target) {
    struct configured *configured = target;
    if (!server_runs(configured->server)) return;
    struct client *client = client_open(configured->server);
    call(client, "CONFIG SET %s %s", configured->name, configured->value);
    client_close(client);
}

void configure(struct client *client, const char *name, const char *value) {
    redisReply *old = expect_elements(call(client, "CONFIG GET %s", name), 2);
    struct configured *configured = pool_take(sizeof(*configured));
    configured->server = client->server;
    configured->name = pool_copy(name, strlen(name));
    configured->value = reply_string(old->element[1]);
    pool_keep(configured, configured_undo);
    expect_ok(call(client, "CONFIG SET %s %s", name, value));
}

const char *create(const char *container) {
    return expect_etag(call(primary, "CONTAINER.CREATE %s", container));
}

const char *put(const char *container, const char *blob, const char *content) {
    return expect_etag(call(primary, "BLOB.PUT %s %s %s", container, blob, content));
}

redisReply *stat_of(const char *container, const char *blob) {
    return call(primary, "BLOB.STAT %s %s", container, blob);
}

long long instant_of(const char *container, const char *blob) {
    return field(stat_of(container, blob), "last-modified")->integer;
}
