/* Grace: after a failover that lost the newest writes, nobody gets what somebody else may still believe to hold.
 *
 * The tail is lost for certain: the replica is cut off from its primary, the primary goes on answering, is killed, and
 * the replica is promoted. The first scene shows, without grace, that two then hold one lease at the same time. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "files.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "waiting.h"

#define RECOVERING "CONFLICT ServerRecovering"

enum { LEASE_SECONDS = 15, NOWHERE = 1 };

static struct client *first, *second;
static long long passed_ms; /* by the clocks of the two */

/* Both servers have the blob `cat`, a file and what it takes to open it. */
static void stage(const char *settings) {
    passed_ms = 0;
    pair_start(&first, &second, settings);
    expect_etag(call(first, "CONTAINER.CREATE box"));
    expect_etag(call(first, "BLOB.PUT box cat meow"));
    acts_by(first, {"SHARE.CREATE fs", NULL}, {"create a 10", NULL}, {"s = SHARE.CONNECT fs 1000", NULL},
            {"t = SHARE.CONNECT fs 1000", NULL});
    await_in_step(second, first);
}

/* From now on the first one answers what the second one never hears of. */
static void cut_off(void) {
    expect_ok(call(second, "REPLICAOF 127.0.0.1 %d", NOWHERE));
}

static void fail_over(void) {
    server_kill(first->server);
    expect_ok(call(second, "REPLICAOF NO ONE"));
}

static void pass(struct client *client, long long ms) {
    passed_ms += ms;
    expect_ok(call(client, "CONFIG SET holdfast.clock-offset-ms %lld", passed_ms));
}

static long long grace_ms(struct client *client) {
    return info_of(client, "holdfast_grace_remaining_ms");
}

/* How long the second holder has it while the first one does, in ms of the server's clock; what was
 * lost is the first one's lease. */
static long long overlap_ms(const char *grace) {
    stage(pool_print("holdfast.grace-seconds %s\n", grace));
    cut_off();
    long long granted = stopwatch();
    lease_id(call(first, "LEASE.ACQUIRE box %d BLOB cat ID %s", LEASE_SECONDS, ID_A));
    fail_over();
    expect_text(field(call(second, "LEASE.GET box BLOB cat"), "state"), "available");
    long long passed = 0;
    redisReply *reply = call(second, "LEASE.ACQUIRE box %d BLOB cat ID %s", LEASE_SECONDS, ID_B);
    for (; reply_is_error(reply); passed += 500) {
        expect_error(reply, RECOVERING);
        require(passed < 60000, "grace does not end");
        pass(second, 500);
        reply = call(second, "LEASE.ACQUIRE box %d BLOB cat ID %s", LEASE_SECONDS, ID_B);
    }
    assert_string_equal(lease_id(reply), ID_B);
    long long overlap = granted + LEASE_SECONDS * 1000LL - (stopwatch() + passed);
    return overlap;
}

TEST(without_grace_two_holders_overlap) {
    long long overlap = overlap_ms("0");
    require(overlap > LEASE_SECONDS * 1000LL - 10000, "they overlap for %lld ms only", overlap);
}

TEST(with_grace_two_holders_do_not_overlap) {
    long long overlap = overlap_ms(pool_print("%d", LEASE_SECONDS));
    require(overlap <= 0, "they overlap for %lld ms", overlap);
    require(overlap > -10000, "nobody had it for %lld ms", -overlap);
}

/* What is known goes on; what is new is refused, after all other checks, with the time that is left. */
TEST(grace_refuses_new_grants_alone) {
    stage("holdfast.grace-seconds 60\n");
    lease_id(call(first, "LEASE.ACQUIRE box 15 BLOB cat ID %s", ID_A));
    acts_by(first, {"create b 10", NULL}, {"h = open s b RW/-", NULL}, {"i = open s a RW/RWD", NULL},
            {"lock $i SHARED 0 5", "OK"}, {"QUEUE.CREATE jobs", "OK"});
    await_in_step(second, first);
    assert_int_equal(grace_ms(second), 0);
    fail_over();
    require(grace_ms(second) > 55000 && grace_ms(second) <= 60000, "%lld ms", grace_ms(second));
    acts_by(second, {"LEASE.ACQUIRE box 15", RECOVERING}, {"LEASE.ACQUIRE box 15 BLOB none", "NOTFOUND"},
            {"LEASE.ACQUIRE box 15 BLOB cat IFMATCH 0x0000000000000001", "PRECONDITION ConditionNotMet"},
            {"LEASE.ACQUIRE box 15 BLOB cat ID B", LEASE_PRESENT}, {"LEASE.RENEW box A BLOB cat", NULL},
            {"LEASE.ACQUIRE box 15 BLOB cat ID A", NULL}, {"LEASE.CHANGE box A C BLOB cat", NULL},
            {"LEASE.CHANGE box C A BLOB cat", NULL}, {"BLOB.PUT box dog woof", NULL},
            {"BLOB.PUT box cat purr LEASE A", NULL}, {"BLOB.GET box dog", NULL}, {"QUEUE.PUT jobs x", NULL},
            {"QUEUE.GET jobs", NULL}, {"LEASE.ACQUIRE fs -1 FILE a", SV},
            {"LEASE.ACQUIRE fs -1", RECOVERING});
    acts_by(second, {"open t b R/RWD", SV}, {"open t none R/R", NO_FILE}, {"open t a R/R", SV},
            {"close $h", "OK"}, {"open t b R/RW", RECOVERING}, {"open t b R/-", RECOVERING},
            {"open t new R/- DISPOSITION CREATE", RECOVERING}, {"get new", NO_FILE}, {"open t b A/-", NULL},
            {"k = open t b RW/RWD", NULL}, {"lock $k EXCLUSIVE 0 5", RECOVERING},
            {"lock $k SHARED 0 5", RECOVERING}, {"lock $i SHARED 0 5", "OK"},
            {"lock $i EXCLUSIVE 3 5", LOCKED}, {"lock $i SHARED 0 4", RECOVERING});
    redisReply *refused = call(second, "LEASE.ACQUIRE box 15");
    double seconds = 0;
    sscanf(strstr(refused->str, " for another "), " for another %lf s", &seconds);
    require(seconds > 50 && seconds <= 60, "%s", refused->str);
    /* Freed by its holder within grace: still nobody's. */
    acts_by(second, {"LEASE.RELEASE box A BLOB cat", "OK"},
            {"LEASE.ACQUIRE box 15 BLOB cat ID A", RECOVERING});
    pass(second, 61000);
    assert_int_equal(grace_ms(second), 0);
    acts_by(second, {"LEASE.ACQUIRE box 15", NULL}, {"open t b R/RWD", NULL}, {"lock $k EXCLUSIVE 0 5", "OK"},
            {"lock $i SHARED 0 4", "OK"});
}

/* Its end, as it is known here, may be an older one than the holder's. */
TEST(a_lease_that_runs_out_within_grace_is_its_holders) {
    stage("holdfast.grace-seconds 60\n");
    lease_id(call(first, "LEASE.ACQUIRE box 15 BLOB cat ID %s", ID_A));
    lease_id(call(first, "LEASE.ACQUIRE box 15 ID %s", ID_A));
    await_in_step(second, first);
    fail_over();
    pass(second, 20000);
    expect_text(field(call(second, "LEASE.GET box"), "state"), "expired");
    acts_by(second, {"LEASE.ACQUIRE box 15 BLOB cat ID B", RECOVERING}, {"LEASE.ACQUIRE box 15", RECOVERING},
            {"LEASE.RENEW box B", "CONFLICT LeaseIdMismatchWithLeaseOperation"}, {"LEASE.RENEW box A", NULL},
            {"LEASE.ACQUIRE box 15 BLOB cat ID A", NULL}, {"LEASE.ACQUIRE box 15 ID B", LEASE_PRESENT});
}

/* One that had run out before may have been given to somebody else, and that was lost. */
TEST(a_lease_that_had_run_out_before_grace_is_nobodys) {
    stage("holdfast.grace-seconds 60\n");
    lease_id(call(first, "LEASE.ACQUIRE box 15 BLOB cat ID %s", ID_A));
    await_in_step(second, first);
    cut_off();
    pass(second, 20000);
    fail_over();
    acts_by(second, {"LEASE.RENEW box A BLOB cat", RECOVERING},
            {"LEASE.ACQUIRE box 15 BLOB cat ID A", RECOVERING});
    pass(second, 60000);
    act_by(second, "LEASE.RENEW box A BLOB cat", NULL);
}

static struct client *in_line(const char *line) {
    return act_waiting_at(second->server, line);
}

/* Nobody knows whether the lease has ended, so the holder's rivals are not before it, and its token stays. */
TEST(a_holder_goes_on_in_grace_before_those_who_wait) {
    stage("holdfast.grace-seconds 60\n");
    redisReply *held = call(first, "LEASE.ACQUIRE box 15 BLOB cat ID %s", ID_A);
    await_in_step(second, first);
    fail_over();
    pass(second, 20000);
    struct client *rival = in_line("LEASE.ACQUIRE box 15 BLOB cat ID B BLOCK 0");
    redisReply *again = call(second, "LEASE.ACQUIRE box 15 BLOB cat ID %s", ID_A);
    assert_string_equal(lease_id(again), ID_A);
    expect_text(again->element[1], held->element[1]->str);
    expect_still_waiting(rival);
}

/* Who waits is served when grace ends, in the order of arrival; to the millisecond. */
TEST(waiters_are_served_when_grace_ends) {
    static const char *const ends[] = {"", "HOLDFAST.GRACE END", "CONFIG SET holdfast.grace-seconds 0"};
    for (size_t way = 0; way < ARRAY_SIZE(ends); way++) {
        stage("holdfast.grace-seconds 30\n");
        acts_by(first, {"k = open t a RW/RWD", NULL}, {"create b 1", NULL});
        await_in_step(second, first);
        fail_over();
        struct client *one = in_line("LEASE.ACQUIRE box 15 BLOB cat ID A BLOCK 0");
        struct client *two = in_line("LEASE.ACQUIRE box 15 BLOB cat ID B BLOCK 0");
        struct client *opening = in_line("open s b R/- BLOCK 0");
        struct client *rival = in_line("open t b R/- BLOCK 0");
        struct client *making = in_line("open s new RW/- DISPOSITION OPENIF BLOCK 0");
        struct client *locking = in_line("lock $k EXCLUSIVE 0 5 BLOCK 0");
        pass(second, 29000);
        call(second, "PING");
        assert_int_equal(waiters_at(second), 6);
        if (*ends[way])
            expect_ok(call_line(second, ends[way]));
        else
            pass(second, 1000);
        assert_string_equal(lease_id(answer_within(one, 5000)), ID_A);
        expect_text(field(answer_within(opening, 5000), "action"), "opened");
        expect_text(field(answer_within(making, 5000), "action"), "created");
        expect_ok(answer_within(locking, 5000));
        assert_int_equal(waiters_at(second), 2);
        act_by(second, "LEASE.RELEASE box A BLOB cat", "OK");
        assert_string_equal(lease_id(answer_within(two, 5000)), ID_B);
        assert_int_equal(grace_ms(second), 0);
        expect_still_waiting(rival);
        server_kill(second->server);
    }
}

/* No clock is moved: the end of grace wakes by itself. */
TEST(grace_ends_by_itself) {
    stage("holdfast.grace-seconds 0.3\n");
    fail_over();
    long long began = stopwatch();
    struct client *waiter = in_line("LEASE.ACQUIRE box 15 ID A BLOCK 5");
    assert_string_equal(lease_id(answer_within(waiter, 5000)), ID_A);
    long long took = stopwatch() - began;
    require(took < 2000, "it took %lld ms", took);
}

/* Where nothing waits, and whose time to wait is over first. */
TEST(a_grant_that_grace_refuses_is_answered_with_the_refusal) {
    stage("holdfast.grace-seconds 60\n");
    fail_over();
    expect_ok(call(second, "MULTI"));
    call(second, "LEASE.ACQUIRE box 15 BLOCK 5");
    call(second, "BLOB.PUT box dog woof");
    redisReply *both = expect_elements(call(second, "EXEC"), 2);
    expect_error(both->element[0], RECOVERING);
    expect_etag(both->element[1]);
    expect_error(call(second, "EVAL %s 1 box", "return redis.call('LEASE.ACQUIRE', KEYS[1], 15, 'BLOCK', 5)"),
                 RECOVERING);
    struct client *waiter = in_line("LEASE.ACQUIRE box 15 BLOCK 0.1");
    expect_error(answer_within(waiter, 5000), RECOVERING);
    assert_true(info_of(second, "holdfast_refused_ServerRecovering") == 3);
}

TEST(grace_is_ended_by_hand_by_demotion_and_by_the_setting) {
    stage("holdfast.grace-seconds 60\n");
    expect_ok(call(first, "HOLDFAST.GRACE END")); /* there is none */
    expect_error(call(first, "HOLDFAST.GRACE BEGIN"), "ERR syntax error");
    expect_ok(call(second, "REPLICAOF NO ONE"));
    assert_true(grace_ms(second) > 0);
    expect_ok(call(second, "CONFIG SET holdfast.grace-seconds 5")); /* counts from the next promotion */
    assert_true(grace_ms(second) > 50000);
    follow(second, first);
    assert_int_equal(grace_ms(second), 0);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    require(grace_ms(second) > 0 && grace_ms(second) <= 5000, "%lld ms", grace_ms(second));
    expect_ok(call(second, "CONFIG SET holdfast.grace-seconds 0"));
    assert_int_equal(grace_ms(second), 0);
    expect_ok(call(second, "CONFIG SET holdfast.grace-seconds 60"));
    assert_int_equal(grace_ms(second), 0);
    follow(second, first);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    lease_id(call(first, "LEASE.ACQUIRE box 15"));
    expect_error(call(second, "LEASE.ACQUIRE box 15"), RECOVERING);
    expect_ok(call(second, "HOLDFAST.GRACE END"));
    lease_id(call(second, "LEASE.ACQUIRE box 15"));
    expect_error(call(second, "CONFIG SET holdfast.grace-seconds -1"), "ERR CONFIG SET failed");
}

/* See test_roles.c for who may; servers before 7.2 know no categories of a module's commands. */
TEST(grace_is_an_administrators_command) {
    redisReply *info = expect_elements(call(primary, "COMMAND INFO HOLDFAST.GRACE"), 1)->element[0];
    require(strstr(reply_text(info->element[2]), "admin"), "its flags are %s", reply_text(info->element[2]));
    expect_shape(call(primary, "COMMAND GETKEYS HOLDFAST.GRACE END"),
                 "(error) ERR The command has no key arguments");
}

/* --- Servers that come back -------------------------------------------------------------------------------------- */

static long long grace_after_restart(struct client *client, bool is_killed) {
    return grace_ms(restarted(client->server, is_killed ? server_kill : server_stop));
}

static struct client *single(const char *settings) {
    struct client *client =
        test_client(server_start("single", pool_print("holdfast.grace-seconds 60\n%s", settings)));
    assert_int_equal(grace_ms(client), 0); /* it began empty */
    expect_ok(call(client, "REPLICAOF NO ONE"));
    assert_int_equal(grace_ms(client), 0); /* it was a primary before */
    expect_etag(call(client, "CONTAINER.CREATE box"));
    return client;
}

TEST(a_server_that_comes_back_from_a_snapshot_lacks_a_tail) {
    struct client *client = single("");
    expect_ok(call(client, "SAVE"));
    require(grace_after_restart(client, true) > 0, "no grace");
    server_kill(client->server);
}

TEST(a_file_that_is_not_always_flushed_may_lack_a_tail) {
    struct client *client = single("appendonly yes\nappendfsync everysec\n");
    require(grace_after_restart(client, false) > 0, "no grace");
    server_kill(client->server);
}

TEST(a_whole_file_lacks_nothing) {
    struct client *client = single(settings_with_file);
    assert_int_equal(grace_after_restart(client, true), 0);
    client = test_client(client->server);
    expect_etag(call(client, "BLOB.PUT box cat meow"));
    rewrite_append_only_file(client, true);
    expect_etag(call(client, "BLOB.PUT box cat purr"));
    assert_int_equal(grace_after_restart(client, true), 0);
    server_kill(client->server);
}

TEST(a_file_whose_end_is_cut_off_lacks_it) {
    struct client *client = single(settings_with_file);
    expect_etag(call(client, "BLOB.PUT box cat meow"));
    server_kill(client->server);
    append_only_cut(client->server, 3);
    server_restart(client->server);
    client = test_client(client->server);
    require(grace_ms(client) > 0, "no grace");
    expect_error(call(client, "LEASE.ACQUIRE box 15"), RECOVERING);
    server_kill(client->server);
}

/* A server that came back without anything. */
TEST(an_empty_server_lacks_nothing_that_anybody_could_know) {
    struct client *client = single("");
    assert_int_equal(grace_ms(restarted(client->server, server_kill)), 0);
    server_kill(client->server);
}

/* What a replica loads is no reason; that it is promoted is. */
TEST(a_replica_that_loads_waits_for_its_promotion) {
    stage("holdfast.grace-seconds 60\n");
    expect_ok(call(second, "SAVE"));
    server_kill(second->server);
    server_set(second->server,
               pool_print("holdfast.grace-seconds 60\nreplicaof 127.0.0.1 %d\n", first->server->port));
    server_restart(second->server);
    second = test_client(second->server);
    await_in_step(second, first);
    assert_int_equal(grace_ms(second), 0);
    fail_over();
    assert_true(grace_ms(second) > 0);
}
