/* Those who wait for a file: FILE.OPEN and FILE.LOCK with BLOCK. They are served in the order in which they came, by
 * whatever takes away what stood in the way; they leave when they can have it no more, and circles are not closed. */
#include <unistd.h>

#include "clock.h"
#include "file_commands.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "steps.h"
#include "waiting.h"
#include "wire.h"

enum { LATE_MS = 20, ATTEMPTS = 8 };

/* Sessions s, t, u, and v. */
static void stage(void) {
    file_commands_setup();
    acts({"t = SHARE.CONNECT fs 1000", NULL}, {"u = SHARE.CONNECT fs 1000", NULL},
         {"v = SHARE.CONNECT fs 1000", NULL});
}

/* Its answer has come, and it is a handle, which is kept. */
static void expect_opened_at(struct place place, struct client *client, char keep) {
    redisReply *reply = answer_within_at(place, client, 5000);
    step_keep(keep, reply_string(field_at(place, reply, "handle")));
}

static void expect_answer_at(struct place place, struct client *client, const char *answer) {
    redisReply *reply = answer_within_at(place, client, 5000);
    if (!reply_is_answer(reply, answer))
        failure_at(place.file, place.line, "it should be %s, but is %s", answer, reply_text(reply));
}

#define expect_opened(client, keep)   expect_opened_at(HERE, client, keep)
#define expect_answer(client, answer) expect_answer_at(HERE, client, answer)

/* --- What serves -------------------------------------------------------------------------------------------------- */

BEFORE_EACH {
    stage();
}

TEST(an_open_waits_for_whatever_ends_the_other) {
    static const char *const ways[] = {"close $h", "closeall a *", "SHARE.DISCONNECT fs $t", "1000 s"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        stage();
        act("h = open t a RW/R", NULL);
        struct client *client = act_waiting("open s a RW/R BLOCK 0");
        expect_still_waiting(client);
        act(ways[way], NULL);
        expect_opened(client, 'i');
        acts({"read $i 0 3", "=012"}, {"open s a RW/R", SV});
        assert_string_equal(opened(""), "a");
    }
}

TEST(a_lock_waits_for_whatever_ends_the_other) {
    static const char *const ways[] = {"unlock $h 0 10", "close $h", "SHARE.DISCONNECT fs $t", "1000 s"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        stage();
        acts({"h = open t a RW/RWD", NULL}, {"i = open s a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 10", "OK"},
             {"lock $h EXCLUSIVE 20 10", "OK"});
        struct client *client = act_waiting("lock $i SHARED 5 10 BLOCK 0");
        expect_still_waiting(client);
        act(ways[way], NULL);
        expect_answer(client, "OK");
        acts({"put a 0 x", LOCKED}, {"unlock $i 5 10", "OK"});
    }
}

TEST(an_open_waits_for_a_lease_to_go) {
    static const char *const ways[] = {"LEASE.BREAK fs FILE a", "LEASE.RELEASE fs B FILE a"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        stage();
        act("LEASE.ACQUIRE fs -1 ID A FILE a", NULL);
        struct client *client = act_waiting("open s a W/RWD BLOCK 0");
        act("LEASE.CHANGE fs A B FILE a", NULL);
        expect_still_waiting(client);
        act(ways[way], NULL);
        expect_opened(client, 'h');
        act("write $h 0 x", "1");
    }
}

/* A lease waits for a lease; when there is none, for the handles. */
TEST(a_lease_waits) {
    act("LEASE.ACQUIRE fs -1 ID A FILE a", NULL);
    struct client *client = waiting("LEASE.ACQUIRE fs -1 ID " ID_B " FILE a BLOCK 0");
    act("LEASE.RELEASE fs A FILE a", "OK");
    lease_id(answer_within(client, 5000));
    act("put a 0 x LEASE B", NULL);
    act("LEASE.RELEASE fs B FILE a", "OK");
}

TEST(a_connection_that_ends_serves) {
    struct client *holder = client_open(primary->server);
    step_keep('w', reply_string(call(holder, "SHARE.CONNECT fs 1000 ONCLOSE END")));
    acts({"h = open w a RW/-", NULL}, {"i = open w b RW/RWD", NULL}, {"lock $i EXCLUSIVE 0 1", "OK"},
         {"j = open s b RW/RWD", NULL});
    struct client *opener = act_waiting("open s a R/R BLOCK 0"),
                  *locker = act_waiting("lock $j SHARED 0 1 BLOCK 0");
    client_close(holder);
    expect_opened(opener, 'k');
    expect_answer(locker, "OK");
}

/* A path is waited for: what becomes of the file that was there is for others. */
TEST(a_file_that_moves_leaves_its_line) {
    act("LEASE.ACQUIRE fs -1 ID A FILE a", NULL);
    struct client *opener = act_waiting("open s a W/RWD BLOCK 0"),
                  *maker = act_waiting("open t a W/RWD DISPOSITION OPENIF BLOCK 0");
    act("rename a c LEASE A", NULL);
    expect_answer(opener, NO_FILE);
    expect_text(field(answer_within(maker, 5000), "action"), "created");
    act("LEASE.ACQUIRE fs -1 ID B FILE b", NULL);
    opener = act_waiting("open s b W/RWD BLOCK 0");
    acts({"rename c b REPLACE LEASE A NEWLEASE B", NULL});
    expect_still_waiting(opener);
    act("LEASE.BREAK fs FILE b", "0");
    expect_opened(opener, 'i');
}

TEST(a_waiter_is_answered_in_its_own_protocol) {
    act("h = open t a RW/-", NULL);
    struct wire *wire = wire_open_resp3(primary->server);
    const struct words words = act_words("open s a R/R BLOCK 0");
    wire_send(wire, &words);
    await_waiters(primary, 1);
    act("close $h", "OK");
    redisReply *reply = wire_receive(wire);
    require(reply->type == REPLY_MAP, "it is no map: %s", reply_text(reply));
    expect_text(field(reply, "action"), "opened");
}

/* --- In which order ------------------------------------------------------------------------------------- */

TEST(waiters_for_a_file_are_served_in_order) {
    enum { CLIENTS = 10 };
    struct client *clients[CLIENTS];
    act("h = open t a RW/-", NULL);
    for (int i = 0; i < CLIENTS; i++) clients[i] = act_waiting("open s a RW/- BLOCK 0");
    for (int i = 0; i < CLIENTS; i++) {
        act("close $h", "OK");
        expect_opened(clients[i], 'h');
        if (i + 1 < CLIENTS) expect_still_waiting(clients[i + 1]);
    }
}

/* Each of another session, since sessions that wait for themselves by others would be in a circle. */
TEST(locks_in_turn) {
    enum { CLIENTS = 10 };
    struct client *clients[CLIENTS];
    const char *handles[CLIENTS];
    acts({"h = open t a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 10", "OK"});
    for (int i = 0; i < CLIENTS; i++) {
        acts({"w = SHARE.CONNECT fs 1000", NULL}, {"i = open w a RW/RWD", NULL});
        handles[i] = step_kept('i');
        clients[i] = act_waiting("lock $i EXCLUSIVE 0 10 BLOCK 0");
    }
    for (int i = 0; i < CLIENTS; i++) {
        act("unlock $h 0 10", "OK");
        expect_answer(clients[i], "OK");
        step_keep('h', handles[i]);
        if (i + 1 < CLIENTS) expect_still_waiting(clients[i + 1]);
    }
}

/* Who shares is served together; a writer among them holds up those who came behind it. */
TEST(readers_and_a_writer) {
    act("w = SHARE.CONNECT fs 1000", NULL);
    act("h = open t a RW/-", NULL);
    struct client *first = act_waiting("open s a R/R BLOCK 0"), *second = act_waiting("open u a R/R BLOCK 0"),
                  *writer = act_waiting("open v a W/- BLOCK 0"), *third = act_waiting("open w a R/R BLOCK 0");
    act("close $h", "OK");
    expect_opened(first, 'i');
    expect_opened(second, 'j');
    expect_still_waiting(writer);
    expect_still_waiting(third);
    acts({"close $i", "OK"}, {"close $j", "OK"});
    expect_opened(writer, 'k');
    expect_still_waiting(third);
    act("close $k", "OK");
    expect_opened(third, 'l');
}

/* What does not get in the way of those who wait is not held up by them. */
TEST(locks_of_other_ranges_do_not_wait_in_line) {
    acts({"h = open t a RW/RWD", NULL}, {"i = open s a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 10", "OK"});
    struct client *waiter = act_waiting("lock $i EXCLUSIVE 0 10 BLOCK 0");
    struct client *elsewhere = test_client(primary->server);
    const char *i = step_kept('i');
    expect_ok(call(elsewhere, "FILE.LOCK fs %s EXCLUSIVE 10 10 BLOCK 0", i));
    expect_ok(call(elsewhere, "FILE.LOCK fs %s SHARED 30 10 BLOCK 0", i));
    act("unlock $h 0 10", "OK");
    expect_answer(waiter, "OK");
    struct client *one = act_waiting("lock $h EXCLUSIVE 5 10 BLOCK 0"),
                  *two = act_waiting("lock $h SHARED 12 5 BLOCK 0");
    acts({"unlock $i 10 10", "OK"});
    expect_still_waiting(one);
    expect_still_waiting(two); /* it came behind one that wants 12 to 15, too */
    act("unlock $i 0 10", "OK");
    expect_answer(one, "OK");
    act("unlock $h 5 10", "OK");
    expect_answer(two, "OK");
}

TEST(hundreds_are_served_by_one_close) {
    enum { CLIENTS = 250 };
    struct client *clients[CLIENTS];
    act("h = open t a RW/-", NULL);
    for (int i = 0; i < CLIENTS; i++) clients[i] = act_waiting("open s a R/RW BLOCK 0");
    act("close $h", "OK");
    for (int i = 0; i < CLIENTS; i++) expect_opened(clients[i], 'i');
    assert_int_equal(info_of(primary, "holdfast_file_handles"), CLIENTS);
}

TEST(over_a_thousand_lines_are_served_by_one_session_that_ends) {
    enum { LINES = 1100 };
    const char *open = "FILE.OPEN fs %s f%d ACCESS 2 READ WRITE SHARE 1 READ%s";
    struct client *clients[LINES];
    for (int i = 0; i < LINES; i++) {
        expect_etag(call(primary, "FILE.CREATE fs f%d 1", i));
        expect_elements(call(primary, open, step_kept('t'), i, ""), 8);
        clients[i] = test_client(primary->server);
        send_line(clients[i], pool_print(open, step_kept('s'), i, " BLOCK 0"));
    }
    await_waiters(primary, LINES);
    expect_ok(call(primary, "SHARE.DISCONNECT fs %s", step_kept('t')));
    for (int i = 0; i < LINES; i++) expect_opened(clients[i], 'i');
}

/* Files are waited for each by itself. */
TEST(each_file_has_a_line_of_its_own) {
    acts({"h = open t a RW/-", NULL}, {"i = open t b RW/-", NULL});
    struct client *of_a = act_waiting("open s a R/R BLOCK 0"), *of_b = act_waiting("open u b R/R BLOCK 0");
    act("close $i", "OK");
    expect_opened(of_b, 'j');
    expect_still_waiting(of_a);
    act("close $h", "OK");
    expect_opened(of_a, 'k');
}

/* --- Who leaves ----------------------------------------------------------------------------------------- */

TEST(an_open_whose_time_is_up_is_refused) {
    acts({"h = open t a RW/R", NULL}, {"i = open t b RW/RWD", NULL}, {"j = open s b RW/RWD", NULL},
         {"lock $i EXCLUSIVE 0 1", "OK"});
    struct client *opener = act_waiting("open s a RW/R BLOCK 0.05"),
                  *locker = act_waiting("lock $j SHARED 0 1 BLOCK 0.05");
    redisReply *reply = answer_within(opener, 5000);
    expect_error(reply, SV);
    expect_error(answer_within(locker, 5000), LOCKED);
    long long id;
    const char *line = pool_print("FILE.OPEN fs %s a ACCESS 1 READ SHARE 1 READ BLOCK 0", step_kept('s'));
    opener = waiting_known(line, &id);
    expect_number(call(primary, "CLIENT UNBLOCK %lld", id), 1);
    expect_error(answer_within(opener, 5000), SV);
    opener = waiting_known(line, &id);
    expect_number(call(primary, "CLIENT UNBLOCK %lld ERROR", id), 1);
    expect_error(answer_within(opener, 5000), "UNBLOCKED");
    act("close $h", "OK");
    act("open s a RW/R", NULL);
}

/* Each could have what it wants, were it not for one that waits before it and wants it, too. */
TEST(one_behind_a_waiter_is_refused_when_its_time_is_up) {
    acts({"h = open t a R/RWD", NULL}, {"i = open s a R/RWD", NULL}, {"j = open u a R/RWD", NULL},
         {"lock $h EXCLUSIVE 0 10", "OK"});
    struct client *locker = act_waiting("lock $i EXCLUSIVE 5 10 BLOCK 0"),
                  *behind = act_waiting("lock $j EXCLUSIVE 12 3 BLOCK 0.05");
    expect_error(answer_within(behind, 5000),
                 "CONFLICT FileLockConflict it is free now, but the time to wait is over");
    struct client *opener = act_waiting("open s a R/- BLOCK 0");
    behind = act_waiting("open v a R/RWD BLOCK 0.05");
    expect_error(answer_within(behind, 5000),
                 "CONFLICT SharingViolation it is free now, but the time to wait is over");
    act("unlock $h 0 10", "OK");
    expect_answer(locker, "OK");
    expect_still_waiting(opener);
}

TEST(a_client_that_has_gone_gets_no_handle) {
    acts({"h = open t a RW/-", NULL});
    struct client *gone = client_open(primary->server);
    const struct words words = act_words("open s a RW/- BLOCK 0");
    send_words(gone, &words);
    send_now(gone);
    await_waiters(primary, 1);
    struct client *next = act_waiting("open u a RW/- BLOCK 0");
    client_close(gone);
    await_waiters(primary, 1);
    act("close $h", "OK");
    expect_opened(next, 'i');
    assert_string_equal(opened(""), "a");
}

/* Those of a session that ends wait for nothing any more, however it ends. */
TEST(a_waiter_leaves_with_its_session) {
    static const char *const ways[] = {"SHARE.DISCONNECT fs $w", "100 s"};
    for (size_t way = 0; way < 2; way++) {
        stage();
        acts({"w = SHARE.CONNECT fs 100", NULL}, {"h = open t a RW/-", NULL}, {"i = open t b RW/RWD", NULL},
             {"lock $i EXCLUSIVE 0 1", "OK"}, {"j = open w b RW/RWD", NULL});
        struct client *opener = act_waiting("open w a RW/- BLOCK 0"),
                      *locker = act_waiting("lock $j SHARED 0 1 BLOCK 0"),
                      *behind = act_waiting("open s a RW/- BLOCK 0");
        act(ways[way], NULL);
        expect_answer(opener, NO_SESSION);
        expect_answer(locker, NO_HANDLE);
        act("close $h", "OK");
        expect_opened(behind, 'k');
    }
}

TEST(a_waiter_leaves_with_its_handle) {
    static const char *const ways[] = {"close $j", "closeall b *"};
    for (size_t way = 0; way < 2; way++) {
        stage();
        acts({"i = open t b RW/RWD", NULL}, {"lock $i EXCLUSIVE 0 1", "OK"}, {"j = open s b RW/RWD", NULL});
        struct client *locker = act_waiting("lock $j SHARED 0 1 BLOCK 0");
        act(ways[way], NULL);
        expect_answer(locker, NO_HANDLE);
    }
}

/* What comes to stand in the way for good is told at once. */
TEST(a_waiter_learns_that_there_is_no_hope) {
    static const struct {
        const char *line, *answer;
    } rows[] = {{"dispose $h ON", PENDING}, {"SHARE.DISCONNECT fs $t", NO_FILE}};
    for (size_t row = 0; row < 2; row++) {
        stage();
        act("h = open t a RD/- DELETEONCLOSE", NULL);
        struct client *client = act_waiting("open s a R/R BLOCK 0");
        act(rows[row].line, "OK");
        expect_answer(client, rows[row].answer);
    }
    stage();
    act("h = open t a RD/- DELETEONCLOSE", NULL);
    struct client *maker = act_waiting("open s a RW/R DISPOSITION OPENIF SIZE 7 BLOCK 0");
    act("close $h", "OK");
    redisReply *made = answer_within(maker, 5000);
    expect_text(field(made, "action"), "created");
    expect_number(file_field("a", "content-length"), 7);
}

/* A refusal that no waiting mends comes at once. */
TEST(refusals_that_time_does_not_end_are_answered_at_once) {
    acts({"h = open t a RD/RWD", NULL}, {"dispose $h ON", "OK"}, {"open s a R/R BLOCK 0", PENDING},
         {"open s no R/R BLOCK 0", NO_FILE}, {"open s no/no R/R BLOCK 0", NO_PARENT},
         {"open s b R/R DISPOSITION CREATE BLOCK 0", EXISTS}, {"setprops b ATTRIBUTES 1 READONLY", NULL},
         {"open s b W/R BLOCK 0", READ_ONLY}, {"i = open s b R/RWD", NULL}, {"write $i 0 x", DENIED},
         {"lock $i SHARED 5 18446744073709551615 BLOCK 0", BAD_LOCK},
         {"lock $h SHARED 0 1 BLOCK -1", "INVALID"}, {"lock $h SHARED 0 1 BLOCK x", "INVALID"},
         {"lock $h SHARED 0 1 BLOCK 0", "OK"},
         {"FILE.OPEN no x a ACCESS 1 READ SHARE 1 READ BLOCK 0", NO_SHARE});
    assert_int_equal(waiters_at(primary), 0);
}

/* Waiting does not make a file writable; who only wants to read goes on waiting. */
TEST(an_open_is_refused_when_its_file_becomes_read_only) {
    static const char *const ways[] = {"setprops a ATTRIBUTES 1 READONLY", "create a 5 ATTRIBUTES 1 READONLY",
                                       "copy b a"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        stage();
        acts({"h = open t a D/RWD", NULL}, {"setprops b ATTRIBUTES 1 READONLY", NULL});
        struct client *writer = act_waiting("open s a W/RW BLOCK 0"),
                      *reader = act_waiting("open u a R/RW BLOCK 0");
        act("setprops a ATTRIBUTES 1 HIDDEN", NULL);
        expect_still_waiting(writer);
        act(ways[way], NULL);
        expect_answer(writer, READ_ONLY);
        expect_still_waiting(reader);
    }
}

TEST(in_a_transaction_or_a_script_opens_and_locks_never_wait) {
    acts({"h = open t a RW/-", NULL}, {"i = open t b RW/RWD", NULL}, {"lock $i EXCLUSIVE 0 1", "OK"},
         {"j = open s b RW/RWD", NULL});
    const struct words open = act_words("open s a R/R BLOCK 0"),
                       lock = act_words("lock $j SHARED 0 1 BLOCK 0");
    expect_ok(call(primary, "MULTI"));
    call_words(primary, &open);
    call_words(primary, &lock);
    redisReply *all = expect_elements(call(primary, "EXEC"), 2);
    expect_error(all->element[0], SV);
    expect_error(all->element[1], LOCKED);
    redisReply *script = call(
        primary, "EVAL %s 1 fs %s",
        "return redis.pcall('FILE.OPEN', KEYS[1], ARGV[1], 'a', 'ACCESS', 1, 'READ', 'SHARE', 1, 'READ', "
        "'BLOCK', 0)",
        step_kept('s'));
    expect_error(script, SV);
}

/* --- Keys and servers ----------------------------------------------------------------------------------- */

TEST(a_share_that_goes_leaves_its_line_waiting) {
    static const struct act ways[] = {{"DEL fs", NO_SHARE},
                                      {"SHARE.DELETE fs", NO_SHARE},
                                      {"FLUSHALL", NO_SHARE},
                                      {"RENAME fs other", NO_SHARE},
                                      {"SET fs text", "WRONGTYPE"}};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        stage();
        act("h = open t a RW/-", NULL);
        struct client *client = act_waiting("open s a R/R BLOCK 0.3");
        require(!reply_is_error(call_line(primary, ways[way].line)), "%s fails", ways[way].line);
        expect_still_waiting(client);
        expect_error(answer_within(client, 5000), ways[way].answer);
        call(primary, "DEL fs other");
    }
}

TEST(a_share_that_takes_the_name_serves) {
    act("h = open t a RW/-", NULL);
    struct client *client = act_waiting("open s a R/R BLOCK 0");
    expect_ok(call(primary, "RENAME fs other"));
    const char *h = step_kept('h');
    expect_ok(call(primary, "FILE.CLOSE other %s", h));
    expect_still_waiting(client);
    expect_ok(call(primary, "RENAME other fs"));
    expect_opened(client, 'i');
}

TEST(a_demoted_primary_lets_its_line_go) {
    act("h = open t a RW/-", NULL);
    struct client *client = act_waiting("open s a R/R BLOCK 0");
    struct server *other = server_start("other", "");
    expect_ok(call(primary, "REPLICAOF 127.0.0.1 %d", other->port));
    expect_error(answer_within(client, 5000), "UNBLOCKED");
    expect_ok(call(primary, "REPLICAOF NO ONE"));
}

TEST(a_pause_holds_back_what_time_serves) {
    acts({"w = SHARE.CONNECT fs 10", NULL}, {"h = open w a RW/-", NULL});
    struct client *client = act_waiting("open s a R/R BLOCK 0");
    expect_ok(call(primary, "CLIENT PAUSE 60000 WRITE"));
    time_passes(10000);
    usleep(50000);
    expect_still_waiting(client);
    expect_ok(call(primary, "CLIENT UNPAUSE"));
    expect_opened(client, 'i');
}

static long long lateness(void) {
    stage();
    long long before = stopwatch();
    acts({"w = SHARE.CONNECT fs 0.1", NULL}, {"h = open w a RW/-", NULL});
    struct client *client = act_waiting("open s a R/R BLOCK 5");
    expect_opened(client, 'i');
    return stopwatch() - before - 100;
}

TEST(time_serves_to_the_millisecond) {
    long long best = LATE_MS;
    for (int attempt = 0; attempt < ATTEMPTS && best >= LATE_MS; attempt++) {
        long long late = lateness();
        require(late >= -2, "served %lld ms too early", -late);
        if (late < best) best = late;
    }
    require(best < LATE_MS, "always late");
}

/* --- Circles -------------------------------------------------------------------------------------------- */

TEST(two_sessions_in_a_circle) {
    acts({"h = open s a RW/-", NULL}, {"i = open t b RW/-", NULL});
    struct client *first = act_waiting("open s b R/R BLOCK 0");
    acts({"open t a R/R BLOCK 5", DEADLOCK}, {"open t a R/R BLOCK 10", DEADLOCK}, {"open t a R/R", SV});
    expect_still_waiting(first);
    struct client *outsider = act_waiting("open u a R/R BLOCK 0");
    act("close $i", "OK");
    expect_opened(first, 'j');
    acts({"close $h", "OK"});
    expect_opened(outsider, 'k');
}

TEST(two_sessions_and_their_locks) {
    acts({"h = open s a RW/RWD", NULL}, {"i = open t a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 10", "OK"},
         {"lock $i SHARED 10 10", "OK"});
    struct client *first = act_waiting("lock $h EXCLUSIVE 15 1 BLOCK 0 ONCE t");
    acts({"lock $i SHARED 5 1 BLOCK 5", DEADLOCK}, {"lock $i SHARED 5 1 BLOCK 5 ONCE t", DEADLOCK},
         {"lock $i EXCLUSIVE 0 1 BLOCK 5", DEADLOCK}, {"lock $i EXCLUSIVE 0 1", LOCKED},
         {"lock $i EXCLUSIVE 100 1 BLOCK 0", "OK"}, {"unlock $i 10 10", "OK"});
    expect_answer(first, "OK");
}

TEST(three_sessions_in_a_circle) {
    acts({"create c 1", NULL}, {"h = open s a RW/-", NULL}, {"i = open t b RW/-", NULL},
         {"j = open u c RW/RWD", NULL}, {"lock $j EXCLUSIVE 0 1", "OK"}, {"k = open t c RW/RWD", NULL});
    struct client *first = act_waiting("open s b R/R BLOCK 0"),
                  *second = act_waiting("lock $k EXCLUSIVE 0 1 BLOCK 0");
    struct client *bystander = act_waiting("open v a R/R BLOCK 0");
    act("open u a R/R BLOCK 5", DEADLOCK);
    expect_still_waiting(first);
    expect_still_waiting(second);
    act("unlock $j 0 1", "OK");
    expect_answer(second, "OK");
    act("close $i", "OK");
    expect_opened(first, 'l');
    acts({"close $h", "OK"});
    expect_opened(bystander, 'm');
}

/* Its first call still waits, and somebody else behind that: the second one stands beside the first. */
TEST(a_repeated_call_closes_no_circle) {
    stage();
    act("h = open u a RW/RWD", NULL);
    acts({"i = open s a RW/RWD", NULL}, {"j = open t a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 10", "OK"});
    struct client *locker = act_waiting("lock $i EXCLUSIVE 0 10 BLOCK 0 ONCE t");
    struct client *behind = act_waiting("lock $j EXCLUSIVE 5 10 BLOCK 0");
    struct client *again = act_waiting("lock $i EXCLUSIVE 0 10 BLOCK 0 ONCE t");
    act("unlock $h 0 10", "OK");
    expect_answer(locker, "OK");
    expect_answer(again, "OK");
    expect_still_waiting(behind);
    act("unlock $i 0 10", "OK");
    expect_answer(behind, "OK");
}

/* The circle goes through the line: who came before is waited for as well. */
TEST(a_circle_through_those_who_wait) {
    acts({"h = open u a RW/-", NULL}, {"i = open s b RW/-", NULL});
    struct client *first = act_waiting("open t a RW/- BLOCK 0");  /* t waits for u */
    struct client *second = act_waiting("open s a RW/- BLOCK 0"); /* s for u, and for t, who came before */
    act("open t b R/R BLOCK 5", DEADLOCK);                        /* t for s, who waits for t */
    act("close $h", "OK");
    expect_opened(first, 'j');
    act("close $j", "OK");
    expect_opened(second, 'k');
}

/* What nobody holds is had at once by a session for which those before it in line wait. */
TEST(who_is_waited_for_goes_ahead_of_the_line) {
    acts({"h = open s a RW/RWD", NULL}, {"i = open t a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 10", "OK"});
    struct client *first = act_waiting("lock $i SHARED 0 100 BLOCK 0");
    acts({"lock $h EXCLUSIVE 20 5 BLOCK 0", "OK"}, {"unlock $h 0 10", "OK"});
    expect_still_waiting(first);
}

/* No circle: the same session may close its other handle. */
TEST(waiting_for_oneself_is_no_circle) {
    act("h = open s a RW/-", NULL);
    struct client *client = act_waiting("open s a R/R BLOCK 0");
    act("close $h", "OK");
    expect_opened(client, 'i');
    acts({"close $i", "OK"}, {"h = open s b RW/RWD", NULL}, {"i = open s b RW/RWD", NULL},
         {"lock $h EXCLUSIVE 0 1", "OK"});
    client = act_waiting("lock $i EXCLUSIVE 0 1 BLOCK 0");
    act("unlock $h 0 1", "OK");
    expect_answer(client, "OK");
}

/* A share that was restored beside itself has the same sessions, who wait in it for something else. */
TEST(no_circle_goes_through_two_shares) {
    acts({"h = open s a RW/-", NULL}, {"i = open t b RW/-", NULL});
    redisReply *dump = call(primary, "DUMP fs");
    expect_ok(call(primary, "RESTORE twin 0 %b", dump->str, dump->len));
    struct client *first = act_waiting("open t a R/R BLOCK 0"),
                  *second = waiting(
                      pool_print("FILE.OPEN twin %s b ACCESS 1 READ SHARE 1 READ BLOCK 0", step_kept('s')));
    expect_still_waiting(second);
    act("FILE.CLOSE twin $i", "OK");
    expect_opened(second, 'j');
    act("close $h", "OK");
    expect_opened(first, 'k');
}

/* When one of a circle's sessions is over by the time there is none. */
TEST(the_dead_close_no_circle) {
    acts({"w = SHARE.CONNECT fs 10", NULL}, {"h = open s a RW/-", NULL}, {"i = open w b RW/-", NULL},
         {"j = open t b A/-", NULL});
    struct client *first = act_waiting("open s b R/R BLOCK 0");
    act("open w a R/R BLOCK 5", DEADLOCK);
    act("10 s", NULL);
    expect_opened(first, 'k');
    acts({"open w a R/R BLOCK 0", NO_SESSION});
    struct client *second = act_waiting("open t a R/R BLOCK 0");
    acts({"close $h", "OK"});
    expect_opened(second, 'l');
}

/* --- In numbers ----------------------------------------------------------------------------------------- */

TEST(waiting_is_counted) {
    long long waits = info_of(primary, "holdfast_file_open_waits"),
              served = info_of(primary, "holdfast_file_open_handoffs");
    acts({"h = open t a RW/-", NULL});
    struct client *client = act_waiting("open s a R/R BLOCK 0");
    assert_int_equal(info_of(primary, "holdfast_file_open_waiters"), 1);
    act("close $h", "OK");
    expect_opened(client, 'i');
    assert_int_equal(info_of(primary, "holdfast_file_open_waiters"), 0);
    assert_int_equal(info_of(primary, "holdfast_file_open_waits"), waits + 1);
    assert_int_equal(info_of(primary, "holdfast_file_open_handoffs"), served + 1);
}
