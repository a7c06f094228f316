/* Every way to leave a line without the lease: time, disconnection, the administrator. Whoever leaves is
 * forgotten at once, and those behind him move up. */
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "traces.h"
#include "waiting.h"

enum { WAITERS = 3 };

static struct client *waiter[WAITERS];

/* A holds the lease of cat, and three wait for it. */
static void stage(void) {
    call(primary, "DEL box");
    lease_setup();
    acquire("box", "60", "BLOB cat OWNER worker-7 ID " ID_A);
    for (int i = 0; i < WAITERS; i++)
        waiter[i] = waiting(pool_print("LEASE.ACQUIRE box 60 BLOB cat OWNER %d BLOCK 0", i));
}

/* The other waiters get the lease one after the other. */
static void expect_rest_served(int gone) {
    const char *holder = ID_A;
    await_waiters(primary, WAITERS - (gone >= 0));
    expect_number(field(lease_of("box", &on_blob), "waiters"), WAITERS - (gone >= 0));
    for (int i = 0; i < WAITERS; i++) {
        if (i == gone) continue;
        expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", holder));
        holder = lease_id(answer_of(waiter[i]));
    }
    expect_number(field(lease_of("box", &on_blob), "waiters"), 0);
}

static void hang_up(struct client *client) {
    shutdown(client->context->fd, SHUT_RDWR);
}

TEST(a_client_that_hangs_up_has_left_the_line) {
    for (int gone = 0; gone < WAITERS; gone++) {
        stage();
        hang_up(waiter[gone]);
        expect_rest_served(gone);
    }
}

/* The server learns of both at nearly the same time: he is served before he is missed, or the next one is. */
TEST(a_waiter_that_hangs_up_when_its_turn_comes) {
    for (int round = 0; round < 20; round++) {
        stage();
        hang_up(waiter[0]);
        expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A));
        bool was_missed = !strcmp(reply_string(field(lease_of("box", &on_blob), "owner")), "1");
        await_waiters(primary, was_missed ? WAITERS - 2 : WAITERS - 1);
        expect_number(call(primary, "LEASE.BREAK box PERIOD 0 BLOB cat"), 0);
        lease_id(answer_of(waiter[was_missed ? 2 : 1]));
    }
}

/* Makes the stage anew, with waiters whose numbers are known. */
static void known_setup(long long id[WAITERS]) {
    call(primary, "DEL box");
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    for (int i = 0; i < WAITERS; i++)
        waiter[i] = waiting_known("LEASE.ACQUIRE box 60 BLOB cat BLOCK 0", &id[i]);
}

TEST(a_killed_waiter_has_left_the_line) {
    long long id[WAITERS];
    for (int gone = 0; gone < WAITERS; gone++) {
        known_setup(id);
        expect_number(call(primary, "CLIENT KILL ID %lld", id[gone]), 1);
        expect_rest_served(gone);
    }
}

/* The kill and the release come in one go, in either order. */
/* In one go: when the lease is released the server has not yet cleared away the clients that left. */
static void leave_before_release(const char *command, const char *how) {
    long long id[WAITERS];
    for (int gone = 0; gone < WAITERS - 1; gone++) {
        known_setup(id);
        for (int i = 0; i <= gone; i++) send_line(primary, pool_print("%s %lld %s", command, id[i], how));
        send_line(primary, "LEASE.RELEASE box " ID_A " BLOB cat");
        for (int i = 0; i <= gone; i++) expect_number(receive(primary), 1);
        expect_ok(receive(primary));
        lease_id(answer_of(waiter[gone + 1]));
        await_waiters(primary, WAITERS - gone - 2);
    }
}

TEST(a_waiter_killed_before_a_release) {
    leave_before_release("CLIENT KILL ID", "");
}

TEST(a_waiter_unblocked_before_a_release) {
    leave_before_release("CLIENT UNBLOCK", "ERROR");
    leave_before_release("CLIENT UNBLOCK", "TIMEOUT");
}

TEST(a_waiter_killed_after_a_release) {
    long long id[WAITERS];
    known_setup(id);
    send_call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A);
    send_call(primary, "CLIENT KILL ID %lld", id[0]);
    expect_ok(receive(primary));
    expect_number(receive(primary), 1);
    lease_id(answer_of(waiter[1]));
    expect_still_waiting(waiter[2]);
}

static void unblock(const char *how, const char *answer) {
    long long id[WAITERS];
    for (int gone = 0; gone < WAITERS; gone++) {
        known_setup(id);
        expect_number(call(primary, "CLIENT UNBLOCK %lld %s", id[gone], how), 1);
        expect_error(answer_of(waiter[gone]), answer);
        expect_number(call(primary, "CLIENT UNBLOCK %lld %s", id[gone], how), 0);
        /* The connection goes on as if nothing had been. */
        expect_text(call(waiter[gone], "BLOB.GET box cat")->element[1], "meow");
        expect_rest_served(gone);
    }
}

TEST(a_waiter_unblocked_by_timeout) {
    unblock("TIMEOUT", "CONFLICT LeaseAlreadyPresent");
}

TEST(a_waiter_unblocked_by_error) {
    unblock("ERROR", "UNBLOCKED");
}

TEST(a_waiter_whose_time_is_up_is_refused) {
    stage();
    long long begin = stopwatch();
    struct client *hasty = waiting("LEASE.ACQUIRE box 60 BLOB cat OWNER hasty BLOCK 0.1");
    expect_number(field(lease_of("box", &on_blob), "waiters"), WAITERS + 1);
    redisReply *reply = answer_within(hasty, 5000);
    require(stopwatch() - begin >= 99, "it came after %lld ms", stopwatch() - begin);
    expect_error(reply, "CONFLICT LeaseAlreadyPresent held by \"worker-7\" for another");
    require(strstr(reply->str, " s, 3 waiting"), "the refusal is %s", reply->str);
    expect_error(call(primary, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0.001"), "CONFLICT LeaseAlreadyPresent");
    lease_play("LEASE.BREAK box PERIOD 60", &on_blob);
    expect_error(call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s BLOCK 0.01", ID_A),
                 "CONFLICT LeaseIsBreakingAndCannotBeAcquired");
    expect_rest_served(-1);
}

/* Time that is up comes first when the lease ends in the same moment, or later. */
TEST(time_that_is_up_when_the_lease_ends) {
    lease_setup();
    allow_short_leases();
    for (int round = 0; round < 10; round++) {
        acquire("box", "0.05", "BLOB cat");
        redisReply *reply = call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s BLOCK 0.05", ID_B);
        if (reply_is_error(reply)) {
            expect_error(reply, "CONFLICT LeaseAlreadyPresent");
            call(primary, "LEASE.BREAK box PERIOD 0 BLOB cat");
        } else {
            expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_B));
        }
        assert_int_equal(waiters_at(primary), 0);
    }
}

/* With the first one goes what kept the second one waiting: he has the id that holds the lease. */
TEST(the_second_in_line_is_served_after_the_first_has_left) {
    long long id;
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    waiting_known("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0", &id);
    struct client *second = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0");
    lease_play("LEASE.CHANGE box A C", &on_blob);
    expect_still_waiting(second);
    expect_number(call(primary, "CLIENT UNBLOCK %lld", id), 1);
    assert_string_equal(lease_id(answer_within(second, 1000)), ID_C);
}

/* Who loses his rights loses his place. */
TEST(a_user_who_is_gone_has_left) {
    long long id;
    stage();
    waiting_user("LEASE.ACQUIRE box 60 BLOB cat BLOCK 0", &id);
    expect_number(call(primary, "ACL DELUSER guest"), 1);
    expect_rest_served(-1);
}

/* The server has not closed the client yet when the lease is released. */
TEST(a_user_who_has_just_gone_gets_nothing) {
    long long id;
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    waiting_user("LEASE.ACQUIRE box 60 BLOB cat BLOCK 0", &id);
    struct client *next = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    long long given_back = info_of(primary, "holdfast_given_back");
    send_line(primary, "ACL DELUSER guest");
    send_line(primary, "LEASE.RELEASE box " ID_A " BLOB cat");
    expect_number(receive(primary), 1);
    expect_ok(receive(primary));
    assert_string_equal(lease_id(answer_of(next)), ID_B);
    assert_int_equal(info_of(primary, "holdfast_given_back"), given_back);
}

/* Nothing of those who waited may stay behind. */
TEST(leaving_leaves_no_trace) {
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    traces_begin("");
    for (int round = 0; round < 50; round++) {
        struct client *client = waiting("LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
        expect_error(call(primary, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0.001"),
                     "CONFLICT LeaseAlreadyPresent");
        hang_up(client);
        await_waiters(primary, 0);
    }
    traces_require_none();
}
