/* Upkeep knows keys by name. Names of keys that are gone must not stay, neither on a primary nor on its replicas; and
 * those that are alive must be known wherever they come to, also on a replica that is promoted. */
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "single_server.h"

enum { MANY = 2000, SWEEP_MS = 60000 };

static long long names_at(struct client *client) {
    return info_of(client, "holdfast_upkeep_keys");
}

static void await_names(struct client *client, long long count, const char *when) {
    AWAIT_OR(names_at(client) == count, "%s knows %lld names %s, not %lld", client->server->name,
             names_at(client), when, count);
}

static void await_names_everywhere(long long count, const char *when) {
    struct client *const clients[] = {primary, replica, chained};
    await_replicas();
    for (size_t i = 0; i < ARRAY_SIZE(clients); i++) await_names(clients[i], count, when);
}

static const char *long_name(int index) {
    char *name = pool_take(1001);
    memset(name, 'k', 1000);
    memcpy(name, pool_print("%08d", index), 8);
    return name;
}

/* A key that will want to be looked after. The last one is looked after for a connection that lasts. */
static const char *const makers[][3] = {
    {"QUEUE.CREATE %s", "QUEUE.PUT %s x TTL 3600", NULL},
    {"CONTAINER.CREATE %s", "BLOB.PUTBLOCK %s b AAAA x", NULL},
    {"SHARE.CREATE %s", "SHARE.CONNECT %s 3600 ONCLOSE END", NULL},
};
enum { MAKERS = ARRAY_SIZE(makers) };

static void make(struct client *client, int index) {
    const char *const *steps = makers[index % MAKERS], *name = long_name(index);
    for (int step = 0; steps[step]; step++) {
        const char *rest = strstr(steps[step], "%s") + 2;
        const char *line = pool_print("%.*s%s%s", (int)(rest - 2 - steps[step]), steps[step], name, rest);
        redisReply *reply = call_line(client, line);
        require(!reply_is_error(reply), "%.40s gives %s", steps[step], reply_text(reply));
    }
}

/* --- Ways to lose a key ------------------------------------------------------------------------------------------ */

static void drop(struct client *client, int index) {
    static const char *const droppers[] = {"QUEUE.DROP", "CONTAINER.DELETE", "SHARE.DELETE"};
    redisReply *reply = call(client, "%s %s", droppers[index % MAKERS], long_name(index));
    require(!reply_is_error(reply), "%s gives %s", droppers[index % MAKERS], reply_text(reply));
}

static void delete (struct client *client, int index) {
    expect_number(call(client, "%s %s", index % 2 ? "DEL" : "UNLINK", long_name(index)), 1);
}

static void overwrite(struct client *client, int index) {
    expect_ok(call(client, "SET %s text", long_name(index)));
}

static void expire(struct client *client, int index) {
    expect_number(call(client, "PEXPIRE %s 1", long_name(index)), 1);
}

static void (*const losses[])(struct client *, int) = {drop, delete, overwrite, expire};
static const char *const lost[] = {"after a drop", "after DEL", "after SET", "after PEXPIRE"};

TEST(names_go_with_their_keys) {
    for (size_t way = 0; way < ARRAY_SIZE(losses); way++) {
        for (int i = 0; i < 60; i++) make(primary, i);
        await_names_everywhere(60, "of keys that are there");
        for (int i = 0; i < 60; i++) losses[way](primary, i);
        await_names_everywhere(0, lost[way]);
        expect_ok(call(primary, "FLUSHALL"));
    }
}

/* A database for each request: nothing may be left of them, on either side. */
TEST(many_short_lives_leave_nothing) {
    struct server *servers[] = {server_start("first", "repl-backlog-size 16384\n"),
                                server_start("second", "repl-backlog-size 16384\n")};
    struct client *first = test_client(servers[0]), *second = test_client(servers[1]);
    follow(second, first);
    for (int i = 0; i < 300; i++) make(first, i), drop(first, i);
    await_in_step(second, first);
    struct client *worker = client_open(servers[0]);
    long long before[] = {memory_in_use(servers[0]), memory_in_use(servers[1])};
    for (int i = 0; i < MANY; i++) make(worker, i), drop(worker, i);
    await_in_step(second, first);
    require(names_at(first) == 0 && names_at(second) == 0, "%lld and %lld names are left", names_at(first),
            names_at(second));
    expect_ok(call(first, "CONFIG SET holdfast.clock-offset-ms %d", SWEEP_MS + 1000));
    for (int i = 0; i < 2; i++) {
        long long grown = 0;
        AWAIT_OR((grown = memory_in_use(servers[i]) - before[i]) <= 100000, "%s grew by %lld bytes",
                 servers[i]->name, grown);
    }
    client_close(worker);
}

TEST(names_of_keys_lost_without_notice_are_dropped) {
    for (int i = 0; i < MANY; i++) make(primary, i);
    make(primary, MANY);
    await_names_everywhere(MANY + 1, "of keys that are there");
    expect_ok(call(primary, "FLUSHALL"));
    await_names_everywhere(0, "after FLUSHALL");
    expect_ok(call(primary, "SELECT 3"));
    for (int i = 0; i < 60; i++) make(primary, i);
    expect_ok(call(primary, "SELECT 0"));
    for (int i = 30; i < 90; i++) make(primary, i);
    await_names_everywhere(120, "in two databases");
    expect_ok(call(primary, "SWAPDB 0 3"));
    await_names_everywhere(120, "after SWAPDB");
    expect_ok(call(primary, "FLUSHDB ASYNC"));
    await_names_everywhere(60, "after FLUSHDB");
    for (int i = 0; i < 60; i++) make(primary, i);
    expect_ok(call(primary, "DEBUG RELOAD"));
    await_names_everywhere(120, "after a reload");
    expect_ok(call(primary, "FLUSHALL"));
    await_names_everywhere(0, "in the end");
}

/* A replica that is given the data anew forgets what it knew. */
TEST(a_full_synchronisation_brings_its_own_names) {
    static const char *const loads[] = {"disabled", "on-empty-db", "swapdb"};
    for (size_t way = 0; way < ARRAY_SIZE(loads); way++) {
        struct server *servers[] = {
            server_start("first", "repl-diskless-sync yes\nrepl-diskless-sync-delay 0\n"),
            server_start("second", pool_print("repl-diskless-load %s\n", loads[way]))};
        struct client *first = test_client(servers[0]), *second = test_client(servers[1]);
        for (int i = 0; i < 60; i++) make(first, i);
        for (int i = 30; i < 330; i++) make(second, i);
        await_names(second, 300, "before it follows");
        follow(second, first);
        await_names(second, 60, pool_print("after repl-diskless-load %s", loads[way]));
        server_stop(servers[1]);
        server_stop(servers[0]);
    }
}

/* --- Those that are alive ---------------------------------------------------------------------------------------- */

/* What ends while nobody comes is removed by a replica once it is promoted, after many sweeps as well. */
TEST(a_promoted_replica_knows_what_is_alive) {
    struct server *servers[] = {server_start("first", ""), server_start("second", "")};
    struct client *first = test_client(servers[0]), *second = test_client(servers[1]);
    expect_ok(call(first, "QUEUE.CREATE loaded"));
    require(!reply_is_error(call(first, "QUEUE.PUT loaded x TTL 100")), "no message");
    follow(second, first);
    expect_ok(call(first, "QUEUE.CREATE streamed"));
    require(!reply_is_error(call(first, "QUEUE.PUT streamed x TTL 100")), "no message");
    expect_ok(call(first, "QUEUE.CREATE before"));
    require(!reply_is_error(call(first, "QUEUE.PUT before x TTL 100")), "no message");
    expect_ok(call(first, "RENAME before renamed"));
    await_in_step(second, first);
    await_names(second, 3, "of queues");
    expect_ok(call(second, "CONFIG SET holdfast.clock-offset-ms %d", SWEEP_MS + 1000));
    usleep(100000);
    await_names(second, 3, "after a sweep");
    server_stop(servers[0]);
    expect_ok(call(second, "CONFIG SET holdfast.clock-offset-ms 102000"));
    usleep(100000);
    assert_int_equal(info_of(second, "holdfast_queue_unsettled"), 3);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    await_info(second, "holdfast_queue_unsettled", 0);
    await_names(second, 0, "when nothing is left to be done");
}

/* A session of a share that is gone is no hindrance to one of the same name, which ends with its own connection. */
TEST(sessions_of_another_share_of_the_name_still_end_with_their_connections) {
    expect_etag(call(primary, "SHARE.CREATE fs"));
    struct client *old = client_open(primary->server), *new = client_open(primary->server);
    require(!reply_is_error(call(old, "SHARE.CONNECT fs 3600 ONCLOSE END")), "no session");
    expect_ok(call(primary, "SHARE.DELETE fs"));
    time_passes(SWEEP_MS + 1000);
    usleep(50000);
    expect_etag(call(primary, "SHARE.CREATE fs"));
    require(!reply_is_error(call(new, "SHARE.CONNECT fs 3600 ONCLOSE END")), "no session");
    client_close(old);
    usleep(20000);
    assert_int_equal(info_of(primary, "holdfast_share_sessions"), 1);
    client_close(new);
    await_info(primary, "holdfast_share_sessions", 0);
}
