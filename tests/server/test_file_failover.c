/* Sessions, handles, locks and files that are to be deleted, while the roles of servers change or a server comes back
 * from its files: all of it goes on until its time is up, and ends by the same rules. */
#include <unistd.h>

#include "files.h"
#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "steps.h"
#include "waiting.h"

/* The old primary and its replica, which is to be the new one. */
static struct client *first, *second;

/* Somebody whose session is to end with his connection. */
static struct client *attached;

/* One of everything: a is pending, b locked, c leased, d goes when its handle does, e is open for one alone. */
static void fill(struct client *client) {
    acts_by(client, {"SHARE.CREATE fs", NULL}, {"s = SHARE.CONNECT fs 1000 OWNER tester", NULL},
            {"t = SHARE.CONNECT fs 100", NULL});
    for (int name = 'a'; name <= 'e'; name++) {
        act_by(client, pool_print("create %c 10", name), NULL);
        act_by(client, pool_print("put %c 0 0123456789", name), NULL);
    }
    acts_by(client, {"h = open s a RWD/RWD", NULL}, {"i = open s a R/RWD", NULL}, {"dispose $h ON", "OK"},
            {"j = open s b RW/RWD", NULL}, {"lock $j EXCLUSIVE 0 5", "OK"}, {"lock $j SHARED 5 5", "OK"},
            {"lock $j SHARED 5 5", "OK"}, {"LEASE.ACQUIRE fs -1 ID A FILE c", NULL},
            {"k = open t d RD/RWD DELETEONCLOSE", NULL}, {"l = open t e RW/-", NULL},
            {"SHARE.SNAPSHOT fs", NULL});
    attached = test_client(client->server);
    step_keep('w', reply_string(call(attached, "SHARE.CONNECT fs 50 ONCLOSE END")));
    act_by(client, "m = open w b A/RWD", NULL);
}

static void expect_as_it_was(struct client *client) {
    acts_by(client, {"get a", PENDING}, {"open s a R/RWD", PENDING}, {"read $i 0 2", "=01"},
            {"write $h 0 x", "1"}, {"get b", LOCKED}, {"read $j 0 2", "=01"}, {"put c 0 x", LEASE_MISSING},
            {"put c 0 x LEASE A", NULL}, {"get d", NULL}, {"get e", SV}, {"write $l 0 y", "1"},
            {"read $m 0 1", DENIED});
    assert_string_equal(listed_at(client, "", ""), "b c d e");
}

/* Time passes at one server; all of it ends. */
static void expect_ends(struct client *client) {
    expect_ok(call(client, "CONFIG SET holdfast.clock-offset-ms 50000"));
    acts_by(client, {"read $m 0 1", NO_HANDLE}, {"SHARE.PING fs $w", NO_SESSION}, {"get d", NULL});
    expect_ok(call(client, "CONFIG SET holdfast.clock-offset-ms 100000"));
    acts_by(client, {"get d", NO_FILE}, {"get e", NULL}, {"read $l 0 1", NO_HANDLE}, {"unlock $j 0 5", "OK"},
            {"unlock $j 5 5", "OK"}, {"put b 0 x", LOCKED}, {"unlock $j 5 5", "OK"}, {"put b 0 x", NULL},
            {"close $h", "OK"}, {"get a", PENDING}, {"close $i", "OK"}, {"get a", NO_FILE},
            {"create a 1", NULL}, {"close $j", "OK"}, {"handles", "[null, []]"});
    assert_string_equal(listed_at(client, "", ""), "a b c e");
}

static void stage(void) {
    pair_start(&first, &second, "");
    fill(first);
    await_in_step(second, first);
}

static void promote(void) {
    expect_ok(call(second, "REPLICAOF NO ONE"));
}

TEST(a_replica_is_promoted_when_its_primary_was_killed) {
    stage();
    const char *digest = digest_of(first);
    server_kill(first->server);
    promote();
    assert_string_equal(digest_of(second), digest);
    expect_as_it_was(second);
    act_by(second, "SHARE.PING fs $w", "50000");
    expect_ends(second);
    /* The old one comes back without anything, and follows. */
    server_restart(first->server);
    first = test_client(first->server);
    follow(first, second);
    require_same(first, second, "after the old primary came back");
}

/* What is taken back, or closed, at the new primary. */
TEST(the_mark_is_taken_back_at_the_new_primary) {
    stage();
    server_kill(first->server);
    promote();
    acts_by(second, {"dispose $h OFF", "OK"}, {"get a", "=0123456789"}, {"close $h", "OK"},
            {"close $i", "OK"}, {"get a", NULL}, {"closeall d *", "1"}, {"get d", NO_FILE},
            {"SHARE.DISCONNECT fs $t", "OK"}, {"get e", NULL});
}

/* Nobody looked while the time of the session came. */
TEST(a_session_ends_between_two_primaries) {
    stage();
    server_kill(first->server);
    expect_ok(call(second, "CONFIG SET holdfast.clock-offset-ms %d", 100000));
    usleep(20000); /* a replica ends nothing */
    assert_int_equal(info_of(second, "holdfast_file_handles"), 6);
    promote();
    await_info(second, "holdfast_file_handles", 3);
    assert_int_equal(info_of(second, "holdfast_files"), 4);
    act_by(second, "get e", NULL);
}

TEST(a_failover_hands_over_all_that_is_open) {
    stage();
    struct client *waiter = act_waiting_at(first->server, "open s e R/R BLOCK 0");
    expect_ok(call(first, "FAILOVER TIMEOUT 10000"));
    expect_error(answer_within(waiter, 10000), "UNBLOCKED");
    await_in_step(first, second);
    expect_as_it_was(second);
    struct client *opener = act_waiting_at(second->server, "open s e R/R BLOCK 0");

    act_by(second, "close $l", "OK");
    expect_text(field(answer_within(opener, 5000), "action"), "opened");
    await_in_step(first, second);
    require_same(first, second, "after the failover");
    /* The connection of somebody who was there before ends at what is a replica now. */
    redisFree(attached->context);
    attached->context = redisConnect("127.0.0.1", second->server->port);
    usleep(20000);
    act_by(second, "SHARE.PING fs $w", "50000");
    await_in_step(first, second);
    require_same(first, second, "after the connection's end");
}

/* --- Servers that come back ----------------------------------------------------------------------------- */

static struct client *come_back(struct client *client) {
    return restarted(client->server, server_kill);
}

TEST(a_killed_server_comes_back_from_its_file) {
    for (int way = 0; way < 3; way++) {
        struct client *client = test_client(server_start("single", settings_with_file));
        fill(client);
        if (way) rewrite_append_only_file(client, way == 1);
        act_by(client, "n = open s c R/RWD", NULL);
        const char *digest = digest_of(client);
        client = come_back(client);
        assert_string_equal(digest_of(client), digest);
        acts_by(client, {"read $n 0 2", "=01"}, {"close $n", "OK"});
        expect_as_it_was(client);
        client = come_back(client);
        expect_ends(client);
        digest = digest_of(client);
        client = come_back(client);
        assert_string_equal(digest_of(client), digest);
        server_stop(client->server);
    }
}

TEST(a_server_comes_back_from_its_snapshot) {
    struct client *client = test_client(server_start("single", ""));
    fill(client);
    const char *digest = digest_of(client);
    expect_ok(call(client, "SAVE"));
    client = come_back(client);
    assert_string_equal(digest_of(client), digest);
    expect_as_it_was(client);
    expect_ends(client);
}

/* What was over before the server came back ends when it is there, though nobody asks. */
TEST(time_passes_while_the_server_is_away) {
    struct server *single = server_start("single", settings_with_file);
    struct client *client = test_client(single);
    acts_by(client, {"SHARE.CREATE fs", NULL}, {"create a 1", NULL}, {"create b 1", NULL},
            {"t = SHARE.CONNECT fs 0.3", NULL}, {"h = open t a RD/RWD DELETEONCLOSE", NULL},
            {"i = open t b RW/-", NULL});
    server_kill(single);
    usleep(350000);
    server_restart(single);
    client = test_client(single);
    await_info(client, "holdfast_file_handles", 0);
    acts_by(client, {"get a", NO_FILE}, {"get b", NULL}, {"read $i 0 1", NO_HANDLE});
}
