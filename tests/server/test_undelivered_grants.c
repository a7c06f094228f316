/* What is granted to a client that waits is given back when the client cannot be told: it was unblocked with an error,
 * killed, or closed with its user, in the packet of the command that freed what it waited for. */
#include <string.h>

#include "files.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "queues.h"
#include "waiting.h"

/* How a client loses what it was just given. */
static const struct loss {
    const char *before; /* a command ahead of it; NULL for none */
    const char *command;
    const char *error; /* what the client is told; NULL when its connection is closed */
} losses[] = {
    {NULL, "CLIENT UNBLOCK %lld ERROR", "UNBLOCKED"},
    {NULL, "CLIENT KILL ID %lld", NULL},
    {NULL, "ACL DELUSER guest", NULL},
    /* The server has asked for the reply, but not sent it yet. */
    {"CLIENT UNBLOCK %lld TIMEOUT", "CLIENT KILL ID %lld", NULL},
    {"CLIENT UNBLOCK %lld TIMEOUT", "ACL DELUSER guest", NULL},
};

#define BUSY_FOR_A_SECOND                                                                                    \
    "local function now() local t = redis.call('TIME') return t[1] * 1000000 + t[2] end "                    \
    "local first = now() while now() - first < 1000000 do end"

enum { LOSSES = ARRAY_SIZE(losses), ACTS_MAX = 8 };

static const char *line_of(const char *act) {
    struct words words = act_words(act);
    return words_text(&words);
}

/* Sends all lines in one packet. */
static void play_at_once(const char *freeing, const struct loss *loss, long long id) {
    struct words words = act_words(freeing);
    send_words(primary, &words);
    if (loss->before) send_call(primary, loss->before, id);
    send_call(primary, loss->command, id);
    redisReply *freed = receive(primary);
    require(!reply_is_error(freed), "%s gives %s", freeing, reply_text(freed));
    if (loss->before) expect_number(receive(primary), 1);
    expect_number(receive(primary), 1);
    call(primary, "PING"); /* the server closes a deleted user's clients with the next turn */
}

/* A client waits for the answer to the line, is given it when `freeing` is played, and loses it. */
static void lose(const struct loss *loss, const char *line, const char *freeing) {
    long long id;
    struct client *client = waiting_user(line_of(line), &id);
    play_at_once(freeing, loss, id);
    if (!loss->error) return;
    expect_error(answer_of(client), loss->error);
    expect_text(call(client, "PING"), "PONG");
}

static void stage(void) {
    call(primary, "DEL box fs jobs");
    lease_setup();
    queue_setup("MAXDELIVERIES 1");
    share_setup();
    file_setup("a", "0123456789");
}

/* What is waited for, what frees it, and what shows that it has been given back. */
struct gift { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    struct act before[ACTS_MAX];
    const char *line;
    const char *freeing;
    struct act after[ACTS_MAX];
};

static const struct gift gifts[] = {
    {{{"LEASE.ACQUIRE box -1 ID A", NULL}},
     "LEASE.ACQUIRE box -1 ID B BLOCK 0",
     "LEASE.RELEASE box A",
     {{"LEASE.RENEW box B", "CONFLICT LeaseIdMismatchWithLeaseOperation"}, {"LEASE.ACQUIRE box -1", NULL}}},
    {{{"LEASE.ACQUIRE box -1 BLOB cat ID A", NULL}},
     "LEASE.ACQUIRE box -1 BLOB cat BLOCK 0",
     "LEASE.BREAK box BLOB cat PERIOD 0",
     {{"BLOB.PUT box cat meow", NULL}, {"LEASE.ACQUIRE box 15 BLOB cat ID A", NULL}}},
    {{{"LEASE.ACQUIRE fs 60 ID A", NULL}},
     "LEASE.ACQUIRE fs 60 BLOCK 0",
     "LEASE.RELEASE fs A",
     {{"LEASE.ACQUIRE fs 60 ID C", NULL}}},
    {{{"LEASE.ACQUIRE fs -1 FILE a ID A", NULL}},
     "LEASE.ACQUIRE fs -1 FILE a BLOCK 0",
     "LEASE.RELEASE fs A FILE a",
     {{"put a 0 x", NULL}, {"LEASE.ACQUIRE fs -1 FILE a ID C", NULL}}},
    /* The id that waits has got the lease in between: it stays with its holder. */
    {{{"LEASE.ACQUIRE box 60 ID A", NULL}},
     "LEASE.ACQUIRE box -1 ID B BLOCK 0",
     "LEASE.CHANGE box A B",
     {{"LEASE.RENEW box B", NULL}, {"LEASE.ACQUIRE box 60 ID C", "CONFLICT LeaseAlreadyPresent"}}},
    {{{"h = open s a RW/-", NULL}},
     "open s a RW/- BLOCK 0",
     "close $h",
     {{"FILE.HANDLES fs", "[null, []]"}, {"open s a RW/-", NULL}}},
    /* What was never told of does not delete anything. */
    {{{"h = open s a RWD/-", NULL}},
     "open s a RD/- DELETEONCLOSE BLOCK 0",
     "close $h",
     {{"FILE.HANDLES fs", "[null, []]"}, {"get a", "=0123456789"}, {"delete a", "OK"}}},
    {{{"h = open s a RW/RW", NULL}, {"i = open s a RW/RW", NULL}, {"lock $h EXCLUSIVE 0 10", "OK"}},
     "lock $i EXCLUSIVE 5 10 BLOCK 0",
     "unlock $h 0 10",
     {{"unlock $i 5 10", NOT_LOCKED}, {"lock $h EXCLUSIVE 0 10", "OK"}}},
    /* Of a lock that a handle has twice, one is given back. */
    {{{"h = open s a RW/RW", NULL},
      {"i = open s a RW/RW", NULL},
      {"lock $i SHARED 0 5", "OK"},
      {"lock $h EXCLUSIVE 5 5", "OK"}},
     "lock $i SHARED 4 2 BLOCK 0",
     "unlock $h 5 5",
     {{"unlock $i 4 2", NOT_LOCKED}, {"unlock $i 0 5", "OK"}, {"unlock $i 0 5", NOT_LOCKED}}},
};

/* Nothing was granted that the client did not have before. */
static bool is_kept(const struct gift *gift) {
    return strstr(gift->freeing, "LEASE.CHANGE");
}

static void play(const struct act *rows) {
    for (int row = 0; row < ACTS_MAX && rows[row].line; row++) act(rows[row].line, rows[row].answer);
}

TEST(a_grant_that_nobody_was_told_of_is_given_back) {
    for (int loss = 0; loss < LOSSES; loss++) {
        for (size_t gift = 0; gift < ARRAY_SIZE(gifts); gift++) {
            long long given_back = info_of(primary, "holdfast_given_back");
            stage();
            play(gifts[gift].before);
            lose(&losses[loss], gifts[gift].line, gifts[gift].freeing);
            play(gifts[gift].after);
            assert_int_equal(info_of(primary, "holdfast_given_back"), given_back + !is_kept(&gifts[gift]));
        }
    }
}

/* Messages come back to their place, with the count that they had; this one was not its last delivery. */
TEST(messages_of_a_lost_client_come_back_as_they_were) {
    for (int loss = 0; loss < LOSSES; loss++) {
        stage();
        lose(&losses[loss], "QUEUE.GET jobs COUNT 9 BLOCK 0", "QUEUE.PUTMANY jobs 2 one two");
        put_job("three", "");
        expect_depth(3, 0);
        expect_elements(call(primary, "QUEUE.DEAD jobs"), 0);
        redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs"), 1)->element[0];
        expect_text(field(got, "message"), "one");
        expect_number(field(got, "dequeue-count"), 1);
        expect_text(expect_elements(call(primary, "QUEUE.PEEK jobs"), 1)->element[0]->element[9], "two");
    }
}

TEST(a_grant_whose_client_is_lost_goes_to_the_next_in_line) {
    for (int loss = 0; loss < LOSSES; loss++) {
        stage();
        act("LEASE.ACQUIRE box -1 ID A", NULL);
        long long id;
        waiting_user("LEASE.ACQUIRE box -1 BLOCK 0", &id);
        struct client *next = waiting(pool_print("LEASE.ACQUIRE box -1 ID %s BLOCK 0", ID_C));
        play_at_once("LEASE.RELEASE box A", &losses[loss], id);
        assert_string_equal(lease_id(answer_of(next)), ID_C);

        waiting_user("QUEUE.GET jobs BLOCK 0", &id);
        next = waiting("QUEUE.GET jobs BLOCK 0");
        play_at_once("QUEUE.PUT jobs one", &losses[loss], id);
        redisReply *got = expect_elements(answer_of(next), 1)->element[0];
        expect_number(field(got, "dequeue-count"), 1);

        act("h = open s a RW/-", NULL);
        waiting_user(line_of("open s a RW/- BLOCK 0"), &id);
        next = act_waiting("open s a RW/- BLOCK 0");
        play_at_once("close $h", &losses[loss], id);
        field(answer_of(next), "handle");
    }
}

/* Two clients wait with one call. Those whose bit is set are killed in the packet of the release. */
static void lose_of_two(unsigned killed) {
    const char *line = pool_print("LEASE.ACQUIRE box -1 ID %s ONCE token-%u BLOCK 0", ID_B, killed);
    struct client *clients[2];
    long long ids[2];
    stage();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    for (int i = 0; i < 2; i++) clients[i] = waiting_known(line, &ids[i]);
    send_call(primary, "LEASE.RELEASE box %s", ID_A);
    for (int i = 0; i < 2; i++)
        if (killed & 1U << i) send_call(primary, "CLIENT KILL ID %lld", ids[i]);
    expect_ok(receive(primary));
    for (int i = 0; i < 2; i++)
        if (killed & 1U << i) expect_number(receive(primary), 1);
    for (int i = 0; i < 2; i++)
        if (!(killed & 1U << i)) assert_string_equal(lease_id(answer_within(clients[i], 1000)), ID_B);
}

TEST(a_grant_that_several_calls_with_one_token_share_is_given_back_when_all_are_lost) {
    enum { BOTH = 3 };
    for (unsigned killed = 0; killed <= BOTH; killed++) {
        lose_of_two(killed);
        call(primary, "PING");
        expect_text(field(lease_of("box", &on_container), "state"), killed == BOTH ? "available" : "leased");
    }
    expect_elements(call(primary, "LEASE.ACQUIRE box -1 ID %s ONCE token-%d", ID_C, BOTH), 2);
}

/* The first of them is lost in the packet in which a third call is told, so that nothing is given back. */
TEST(a_grant_that_is_kept_is_told_to_all_who_wait_with_the_same_call) {
    const char *line = pool_print("LEASE.ACQUIRE box -1 ID %s ONCE token BLOCK 0", ID_B);
    long long first, second;
    stage();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    waiting_known(line, &first);
    struct client *left = waiting_known(line, &second);
    send_call(primary, "LEASE.RELEASE box %s", ID_A);
    send_call(primary, "CLIENT KILL ID %lld", first);
    send_line(primary, line);
    expect_ok(receive(primary));
    expect_number(receive(primary), 1);
    assert_string_equal(lease_id(receive(primary)), ID_B);
    assert_string_equal(lease_id(answer_within(left, 1000)), ID_B);
    expect_text(field(lease_of("box", &on_container), "state"), "leased");
}

/* What is to be read is lost with the client, and nothing else. */
TEST(a_blob_read_by_a_lost_waiter_stays) {
    for (int loss = 0; loss < LOSSES; loss++) {
        stage();
        lose(&losses[loss], "BLOB.GET box mouse BLOCK 0", "BLOB.PUT box mouse grey");
        expect_etag(call(primary, "BLOB.GET box mouse"));
    }
}

/* Who is unblocked as if its time were up is told what it was given. */
TEST(a_client_that_was_told_keeps_its_grant) {
    stage();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    long long id;
    struct client *client = waiting_known("LEASE.ACQUIRE box -1 BLOCK 0", &id);
    struct words words = act_words("LEASE.RELEASE box A");
    send_words(primary, &words);
    send_call(primary, "CLIENT UNBLOCK %lld TIMEOUT", id);
    expect_ok(receive(primary));
    receive(primary);
    const char *holder = lease_id(answer_of(client));
    expect_text(call(client, "PING"), "PONG");
    expect_text(field(lease_of("box", &on_container), "state"), "leased");
    expect_ok(call(primary, "LEASE.RELEASE box %s", holder));
}

/* While a script runs for long, the server sends replies, and clients may go with what they were given. */
TEST(a_holder_that_leaves_while_a_script_runs_stays_the_holder) {
    stage();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    configure(primary, "busy-reply-threshold", "50");
    struct client *holder = client_open(primary->server);
    long long id = call(holder, "CLIENT ID")->integer;
    send_line(holder, "LEASE.ACQUIRE box -1 BLOCK 0");
    await_waiters(primary, 1);
    send_call(primary, "LEASE.RELEASE box %s", ID_A);
    send_call(primary, "CLIENT UNBLOCK %lld TIMEOUT", id);
    send_call(primary, "EVAL %s 0", BUSY_FOR_A_SECOND);
    send_now(primary);
    const char *given = lease_id(receive(holder));
    client_close(holder);
    for (int answers = 3; answers; answers--) require(!reply_is_error(receive(primary)), "a command fails");
    expect_text(field(lease_of("box", &on_container), "state"), "leased");
    expect_ok(call(primary, "LEASE.RELEASE box %s", given));
}

/* Nobody is left who could be told, and the key has gone as well. */
TEST(a_grant_is_not_given_back_to_a_key_that_has_gone) {
    for (int loss = 0; loss < LOSSES; loss++) {
        stage();
        act("LEASE.ACQUIRE box -1 ID A", NULL);
        long long id;
        waiting_user("LEASE.ACQUIRE box -1 BLOCK 0", &id);
        send_call(primary, "LEASE.RELEASE box %s", ID_A);
        send_call(primary, losses[loss].command, id);
        send_call(primary, "DEL box");
        expect_ok(receive(primary));
        expect_number(receive(primary), 1);
        expect_number(receive(primary), 1);
        expect_text(call(primary, "TYPE box"), "none");
    }
}
