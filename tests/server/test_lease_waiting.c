/* Waiting in line for a lease: who gets it, and when. What frees a lease hands it over within the same turn
 * of the server, so the next holder's answer is there when the answer to what freed it is. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "waiting.h"

enum { LATE_MS = 20, ATTEMPTS = 8 };

static const struct lease_place *const places[] = {&on_blob, &on_container};

/* Someone with an id of his own, who acquires for a minute and waits for ever. */
static struct client *waiting_as(const char *id, const struct lease_place *where) {
    return waiting(pool_print("LEASE.ACQUIRE box 60 %s ID %s BLOCK 0", where->clause, id));
}

static void expect_holder(struct client *client, const char *id) {
    assert_string_equal(lease_id(answer_of(client)), id);
}

static void leased_setup(const struct lease_place *where) {
    call(primary, "DEL box");
    lease_setup();
    acquire("box", "60", pool_print("%s ID %s", where->clause, ID_A));
}

TEST(waiters_for_a_lease_are_served_in_order) {
    enum { WAITERS = 20 };
    struct client *waiters[WAITERS];
    for (size_t place = 0; place < 2; place++) {
        leased_setup(places[place]);
        const char *holder = ID_A;
        for (int i = 0; i < WAITERS; i++) {
            waiters[i] =
                waiting(pool_print("LEASE.ACQUIRE box 60 %s OWNER %d BLOCK 0", places[place]->clause, i));
        }
        for (int i = 0; i < WAITERS; i++) {
            expect_number(field(lease_of("box", places[place]), "waiters"), WAITERS - i);
            redisReply *reply =
                call_line(primary, pool_print("LEASE.RELEASE box %s %s", holder, places[place]->clause));
            expect_ok(reply);
            holder = lease_id(answer_of(waiters[i]));
            expect_text(field(lease_of("box", places[place]), "owner"), pool_print("%d", i));
            if (i + 1 < WAITERS) expect_still_waiting(waiters[i + 1]);
        }
        expect_number(field(lease_of("box", places[place]), "waiters"), 0);
    }
}

/* So that the server saves in time. */
TEST(a_grant_counts_as_a_change_also_where_nobody_hears_of_it) {
    struct server *alone = server_start("alone", "");
    struct client *client = test_client(alone);
    expect_etag(call(client, "CONTAINER.CREATE box"));
    call(client, "LEASE.ACQUIRE box 60 ID " ID_A);
    struct client *waiter = waiting_at(alone, 0, "LEASE.ACQUIRE box 60 ID " ID_B " BLOCK 0");
    long long before = info_of(client, "rdb_changes_since_last_save");
    expect_ok(call(client, "LEASE.RELEASE box " ID_A));
    expect_holder(waiter, ID_B);
    assert_int_equal(info_of(client, "rdb_changes_since_last_save") - before, 2);
}

/* Each way to free a lease at once. */
TEST(each_way_of_freeing_a_lease_hands_it_over) {
    static const char *const ways[][2] = {
        {"LEASE.RELEASE box A", NULL},
        {"LEASE.BREAK box PERIOD 0", NULL},
        {"LEASE.BREAK box", "60 s"},
        {"LEASE.BREAK box PERIOD 7", "7 s"},
        {"LEASE.CHANGE box A C", "LEASE.RELEASE box C"},
        {"LEASE.ACQUIRE box 15 ID A", "15 s"},
        {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box"},
        {"LEASE.RENEW box A", "60 s"},
    };
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        for (size_t place = 0; place < 2; place++) {
            leased_setup(places[place]);
            struct client *waiter = waiting_as(ID_B, places[place]);
            for (size_t step = 0; step < 2 && ways[way][step]; step++) {
                long long seconds = atoll(ways[way][step]);
                expect_still_waiting(waiter);
                if (seconds) {
                    time_passes(seconds * 1000 - 1000);
                    expect_still_waiting(waiter);
                    time_passes(1000);
                } else {
                    lease_play(ways[way][step], places[place]);
                }
            }
            expect_holder(waiter, ID_B);
        }
    }
}

TEST(renewing_keeps_the_line_waiting) {
    leased_setup(&on_blob);
    struct client *waiter = waiting_as(ID_B, &on_blob);
    for (int round = 0; round < 5; round++) {
        time_passes(50000);
        lease_token(lease_play("LEASE.RENEW box A", &on_blob));
        expect_still_waiting(waiter);
    }
    time_passes(50000);
    expect_still_waiting(waiter);
    time_passes(10000);
    expect_holder(waiter, ID_B);
}

TEST(an_infinite_lease_keeps_the_line_waiting) {
    leased_setup(&on_blob);
    lease_play("LEASE.ACQUIRE box -1 ID A", &on_blob);
    struct client *waiter = waiting_as(ID_B, &on_blob);
    time_passes(1000000000);
    expect_still_waiting(waiter);
    lease_play("LEASE.ACQUIRE box 15 ID A", &on_blob);
    time_passes(14000);
    expect_still_waiting(waiter);
    time_passes(1000);
    expect_holder(waiter, ID_B);
}

/* Real milliseconds, no clock moved: never early, and at best hardly late. `rest` acquires for a moment, what
 * `then` does ends it. */
struct moment {
    const char *acquire;
    const char *then;
    long long ms;
};

static long long lateness_of(const struct moment *moment) {
    long long sent = stopwatch();
    lease_token(lease_play(moment->acquire, &on_blob));
    if (moment->then) lease_play(moment->then, &on_blob);
    long long done = stopwatch();
    struct client *waiter = waiting("LEASE.ACQUIRE box 0.05 BLOB cat ID " ID_B " BLOCK 5");
    lease_id(answer_within(waiter, 5000));
    long long answered = stopwatch();
    /* The lease's instants and those of the stopwatch are whole milliseconds, each rounded down. */
    require(answered - sent >= moment->ms - 2, "handed over after %lld ms", answered - sent);
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_B));
    return answered - done - moment->ms;
}

TEST(time_hands_over_to_the_millisecond) {
    static const struct moment moments[] = {
        {"LEASE.ACQUIRE box 0.1 ID A", NULL, 100},
        {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box PERIOD 0.1", 100},
        {"LEASE.ACQUIRE box 0.12 ID A", "LEASE.BREAK box", 120},
        {"LEASE.ACQUIRE box 60 ID A", "LEASE.ACQUIRE box 0.1 ID A", 100},
        {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 0.075", 75},
    };
    lease_setup();
    allow_short_leases();
    for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
        long long best = LATE_MS;
        for (int attempt = 0; attempt < ATTEMPTS && best >= LATE_MS; attempt++) {
            long long lateness = lateness_of(&moments[i]);
            if (lateness < best) best = lateness;
        }
        require(best < LATE_MS, "moment %zu is always late", i);
    }
}

/* Those who hold for a moment only, one after the other, with nobody releasing anything. */
TEST(expiring_leases_pass_along_the_line) {
    enum { WAITERS = 6 };
    struct client *waiters[WAITERS];
    lease_setup();
    allow_short_leases();
    acquire("box", "0.3", "BLOB cat");
    for (int i = 0; i < WAITERS; i++) waiters[i] = waiting("LEASE.ACQUIRE box 0.05 BLOB cat BLOCK 0");
    const char *last = "";
    for (int i = 0; i < WAITERS; i++) {
        const char *token = lease_token(answer_within(waiters[i], 5000));
        assert_true(strcmp(token, last) > 0);
        last = token;
    }
}

/* Changing the id does not free anything, but to the new id's own waiter it is as if he held it already. */
TEST(a_change_to_the_id_of_the_first_in_line_serves_it) {
    leased_setup(&on_blob);
    struct client *first = waiting_as(ID_B, &on_blob), *second = waiting_as(ID_C, &on_blob);
    const char *token = lease_token(lease_play("LEASE.CHANGE box A B", &on_blob));
    redisReply *reply = answer_of(first);
    assert_string_equal(lease_id(reply), ID_B);
    assert_string_equal(lease_token(reply), token);
    expect_still_waiting(second);
}

TEST(a_deleted_blob_lets_its_line_go) {
    leased_setup(&on_blob);
    struct client *one = waiting_as(ID_B, &on_blob), *other = waiting_as(ID_C, &on_blob);
    struct client *elsewhere = NULL;
    put("box", "dog", "woof");
    acquire("box", "60", "BLOB dog");
    elsewhere = waiting("LEASE.ACQUIRE box 60 BLOB dog BLOCK 0");
    expect_ok(lease_play("BLOB.DELETE box cat LEASE A", &on_blob));
    expect_error(answer_of(one), "NOTFOUND BlobNotFound");
    expect_error(answer_of(other), "NOTFOUND BlobNotFound");
    expect_still_waiting(elsewhere);
}

TEST(the_lease_of_a_blob_replaced_in_a_transaction_is_free) {
    leased_setup(&on_blob);
    struct client *one = waiting_as(ID_B, &on_blob), *other = waiting_as(ID_C, &on_blob);
    expect_ok(call(primary, "MULTI"));
    call(primary, "BLOB.DELETE box cat LEASE %s", ID_A);
    call(primary, "BLOB.PUT box cat new");
    expect_elements(call(primary, "EXEC"), 2);
    expect_holder(one, ID_B);
    expect_still_waiting(other);
}

TEST(a_deleted_container_leaves_its_lines_waiting) {
    leased_setup(&on_container);
    acquire("box", "60", "BLOB cat ID " ID_A);
    struct client *container = waiting_as(ID_B, &on_container), *blob = waiting_as(ID_C, &on_blob);
    expect_ok(call(primary, "CONTAINER.DELETE box LEASE %s", ID_A));
    expect_still_waiting(container);
    time_passes(100000);
    expect_still_waiting(blob);
    create("box");
    expect_holder(container, ID_B);
    expect_error(answer_of(blob), "NOTFOUND BlobNotFound");
}

TEST(a_container_that_comes_back_with_its_blob_is_free) {
    leased_setup(&on_blob);
    struct client *waiter = waiting_as(ID_B, &on_blob);
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONTAINER.DELETE box");
    call(primary, "CONTAINER.CREATE box");
    call(primary, "BLOB.PUT box cat new");
    expect_elements(call(primary, "EXEC"), 3);
    expect_holder(waiter, ID_B);
}

/* Who waits for something that can no longer be gets that error at his turn, and the next one is served. */
TEST(waiters_whose_conditions_no_longer_hold_are_refused) {
    leased_setup(&on_blob);
    const char *etag = reply_string(field(stat_of("box", "cat"), "etag"));
    struct client *first = waiting(
        pool_print("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " IFNONEMATCH 0x0000000000000001 BLOCK 0"));
    struct client *second = waiting(pool_print("LEASE.ACQUIRE box 60 BLOB cat IFMATCH %s BLOCK 0", etag));
    struct client *third = waiting_as(ID_C, &on_blob);
    expect_etag(lease_play("BLOB.PUT box cat purr LEASE A", &on_blob));
    expect_still_waiting(second);
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    expect_holder(first, ID_B);
    expect_still_waiting(third);
    expect_ok(lease_play("LEASE.RELEASE box B", &on_blob));
    expect_error(answer_of(second), "PRECONDITION ConditionNotMet");
    expect_holder(third, ID_C);
}

/* All in one go, so that nobody can be served in between but by those who come. */
TEST(a_new_client_does_not_overtake_a_waiter) {
    leased_setup(&on_blob);
    struct client *waiter = waiting_as(ID_B, &on_blob);
    send_call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A);
    send_call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_C);
    expect_ok(receive(primary));
    expect_error(receive(primary), "CONFLICT LeaseAlreadyPresent");
    expect_holder(waiter, ID_B);
    /* The lease ends by the clock, and somebody is there before the server has looked at it. */
    struct client *next = waiting_as(ID_A, &on_blob);
    send_call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(60000));
    send_call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_C);
    expect_ok(receive(primary));
    expect_error(receive(primary), "CONFLICT LeaseAlreadyPresent");
    expect_holder(next, ID_A);
    time_passes(0);
}

/* Blobs, containers, keys and databases have lines of their own. */
TEST(lines_do_not_touch_each_other) {
    lease_setup();
    put("box", "dog", "woof");
    create("other");
    expect_etag(call(primary, "BLOB.PUT other cat x"));
    expect_ok(call(primary, "SELECT 7"));
    create("box");
    put("box", "cat", "x");
    acquire("box", "60", "BLOB cat ID " ID_A);
    expect_ok(call(primary, "SELECT 0"));
    static const char *const subjects[] = {"box 60 BLOB cat", "box 60 BLOB dog", "box 60",
                                           "other 60 BLOB cat"};
    struct client *waiters[5];
    for (int i = 0; i < 4; i++) {
        lease_token(call_line(primary, pool_print("LEASE.ACQUIRE %s ID " ID_A, subjects[i])));
        waiters[i] = waiting(pool_print("LEASE.ACQUIRE %s BLOCK 0", subjects[i]));
    }
    waiters[4] = waiting_at(primary->server, 7, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    static const char *const releases[] = {"box %s BLOB cat", "box %s BLOB dog", "box %s",
                                           "other %s BLOB cat"};
    for (int i = 3; i >= 0; i--) {
        struct words words = words_of_line(pool_print("LEASE.RELEASE %s", releases[i]));
        words_replace(&words, 2, ID_A);
        expect_ok(call_words(primary, &words));
        lease_id(answer_of(waiters[i]));
        for (int left = 0; left < i; left++) expect_still_waiting(waiters[left]);
        expect_still_waiting(waiters[4]);
    }
    expect_ok(call(primary, "SELECT 7"));
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A));
    lease_id(answer_of(waiters[4]));
    expect_ok(call(primary, "SELECT 0"));
}

/* In a database of its own, by its end: the timer has to find the right one. */
TEST(time_serves_every_database) {
    static const int databases[] = {3, 9, 0, 15};
    struct client *waiters[4];
    time_passes(0);
    for (int i = 0; i < 4; i++) {
        expect_ok(call(primary, "SELECT %d", databases[i]));
        create("box");
        put("box", "cat", "x");
        acquire("box", pool_print("%d", 20 + 10 * i), "BLOB cat");
        waiters[i] = waiting_at(primary->server, databases[i], "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    }
    for (int i = 0; i < 4; i++) {
        expect_still_waiting(waiters[i]);
        time_passes(i ? 10000 : 20000);
        lease_id(answer_of(waiters[i]));
    }
    expect_ok(call(primary, "SELECT 0"));
}

/* The holder answers all that are waiting, and each of them lets the next one have it. */
TEST(a_thousand_waiters_in_one_line_are_served) {
    enum { WAITERS = 1000 };
    static struct client *waiters[WAITERS];
    leased_setup(&on_blob);
    for (int i = 0; i < WAITERS; i++) {
        waiters[i] = test_client(primary->server);
        send_line(waiters[i], "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
        await_waiters(primary, i + 1);
    }
    redisReply *refused = call(primary, "LEASE.ACQUIRE box 60 BLOB cat");
    require(strstr(refused->str, ", 1000 waiting"), "the refusal is %s", reply_text(refused));
    const char *holder = ID_A, *last = "";
    for (int i = 0; i < WAITERS; i++) {
        expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", holder));
        redisReply *reply = answer_of(waiters[i]);
        holder = lease_id(reply);
        assert_true(strcmp(lease_token(reply), last) > 0);
        last = lease_token(reply);
    }
    assert_int_equal(waiters_at(primary), 0);
}

/* However many get an error at their turn, a client that comes anew waits behind those who are left. */
TEST(a_new_client_does_not_overtake_a_long_line) {
    enum { WAITERS = 450 };
    leased_setup(&on_blob);
    const char *etag = reply_string(field(stat_of("box", "cat"), "etag"));
    const char *line = pool_print("LEASE.ACQUIRE box 60 BLOB cat IFMATCH %s BLOCK 0", etag);
    for (int i = 0; i < WAITERS; i++) send_line(test_client(primary->server), line);
    await_waiters(primary, WAITERS);
    struct client *last = waiting_as(ID_B, &on_blob);
    send_call(primary, "BLOB.PUT box cat x LEASE %s", ID_A);
    send_call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A);
    send_call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_C);
    expect_etag(receive(primary));
    expect_ok(receive(primary));
    expect_error(receive(primary), "CONFLICT LeaseAlreadyPresent");
    assert_string_equal(lease_id(answer_within(last, 1000)), ID_B);
    assert_int_equal(waiters_at(primary), 0);
}

/* Hundreds of leases that end in the same moment, each with somebody waiting. */
TEST(many_lines_at_once) {
    enum { LINES = 300 };
    static struct client *waiters[LINES];
    time_passes(0);
    create("box");
    for (int i = 0; i < LINES; i++) {
        put("box", pool_print("blob-%d", i), "x");
        acquire("box", "60", pool_print("BLOB blob-%d", i));
        waiters[i] = test_client(primary->server);
        send_line(waiters[i], pool_print("LEASE.ACQUIRE box 60 BLOB blob-%d BLOCK 0", i));
    }
    await_waiters(primary, LINES);
    time_passes(60000);
    for (int i = 0; i < LINES; i++) lease_id(answer_within(waiters[i], 5000));
}
