/* Sessions: how long they live, how they end, and that all they had open ends with them, at once, whoever asks and
 * however much it is. Handles as operators see them, and close them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "cpu_time.h"
#include "file_commands.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"

/* --- Time ------------------------------------------------------------------------------------------------------ */

BEFORE_EACH {
    file_commands_setup();
}

TEST(a_session_lives_as_long_as_it_is_pinged) {
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"h = open t a R/-", NULL}, {"9 s", NULL}, {"get a", SV},
         {"SHARE.PING fs $t", "10000"}, {"9 s", NULL}, {"get a", SV}, {"SHARE.PING fs $t", "10000"},
         {"10 s", NULL}, {"get a", NULL}, {"SHARE.PING fs $t", NO_SESSION},
         {"SHARE.DISCONNECT fs $t", NO_SESSION}, {"read $h 0 1", NO_HANDLE}, {"close $h", NO_HANDLE},
         {"open t a R/R", NO_SESSION});
    assert_string_equal(opened(""), "");
}

/* Whatever else is done with a session does not prolong it. */
TEST(only_a_ping_prolongs) {
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"6 s", NULL}, {"h = open t a RW/RWD", NULL},
         {"write $h 0 x", "1"}, {"lock $h SHARED 0 1", "OK"}, {"4 s", NULL}, {"read $h 0 1", NO_HANDLE});
}

/* What is so a millisecond before the end, and at it; in one transaction, in which no time passes by itself. */
static redisReply *around_the_end(void) {
    file_commands_setup();
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"h = open t a R/-", NULL});
    const struct words ping = act_words("SHARE.PING fs $t");
    expect_ok(call(primary, "MULTI"));
    call_words(primary, &ping);
    call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(9999));
    call(primary, "FILE.GET fs a");
    call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(1));
    call(primary, "FILE.GET fs a");
    redisReply *all = expect_elements(call(primary, "EXEC"), 5);
    time_passes(0);
    return all;
}

TEST(a_session_ends_to_the_millisecond) {
    for (int attempt = 0; attempt < 100; attempt++) {
        redisReply *all = around_the_end();
        expect_etag(all->element[4]);
        if (reply_is_error(all->element[2])) return;
    }
    failure("it always ends too early");
}

/* Nothing but time passes, and nobody asks: upkeep ends sessions whose time is up and sweeps them away. */
TEST(upkeep_ends_and_sweeps_expired_sessions) {
    acts({"t = SHARE.CONNECT fs 0.15", NULL}, {"h = open t a RD/RWD DELETEONCLOSE", NULL},
         {"i = open t b RW/-", NULL}, {"lock $i EXCLUSIVE 0 5", "OK"});
    traces_begin("none");
    await_info(primary, "holdfast_file_handles", 0);
    assert_int_equal(info_of(primary, "holdfast_file_locks"), 0);
    assert_int_equal(info_of(primary, "holdfast_share_sessions"), 1);
    assert_int_equal(info_of(primary, "holdfast_files"), 1);
    assert_string_equal(traces_notifications(), "share.expired fs");
    await_replicas();
    assert_string_equal(listed_at(chained, "", ""), "b");
}

/* A replica waits for what its primary says, but shows nothing that is over by its own clock, which may be some
 * milliseconds behind the primary's. */
TEST(replicas_show_nothing_that_is_over) {
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"h = open t a R/-", NULL},
         {"i = open t b RD/RWD DELETEONCLOSE", NULL});
    await_replicas();
    expect_error(call(replica, "FILE.GET fs a"), SV);
    expect_ok(call(replica, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(0) + 11000));
    expect_etag(call(replica, "FILE.GET fs a"));
    expect_error(call(replica, "FILE.GET fs b"), NO_FILE);
    assert_string_equal(listed_at(replica, "", ""), "a");
    expect_elements(expect_elements(call(replica, "FILE.HANDLES fs"), 2)->element[1], 0);
    act("get a", SV);
    assert_string_equal(opened(""), "a b");
    time_passes(11000);
}

TEST(a_pause_holds_back_the_end) {
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"h = open t a R/-", NULL});
    expect_ok(call(primary, "CLIENT PAUSE 60000 WRITE"));
    time_passes(10000);
    expect_etag(call(primary, "FILE.GET fs a"));
    usleep(50000);
    assert_int_equal(info_of(primary, "holdfast_file_handles"), 1);
    expect_ok(call(primary, "CLIENT UNPAUSE"));
    await_info(primary, "holdfast_file_handles", 0);
}

/* --- Connections -------------------------------------------------------------------------------------------------- */

static struct client *connected(const char *on_close) {
    struct client *client = client_open(primary->server);
    redisReply *id = call_line(client, pool_print("SHARE.CONNECT fs 1000 %s", on_close));
    require(id->len == 36, "no session: %s", reply_text(id));
    step_keep('t', reply_string(id));
    return client;
}

static void await_ended(void) {
    AWAIT(!reply_is_error(call(primary, "FILE.GET fs a")));
}

TEST(a_session_ends_with_its_connection_when_told_so) {
    struct client *client = connected("ONCLOSE END");
    act("h = open t a RW/-", NULL);
    call(client, "PING");
    act("get a", SV);
    client_close(client);
    await_ended();
    acts({"SHARE.PING fs $t", NO_SESSION}, {"read $h 0 1", NO_HANDLE});
}

TEST(a_killed_connection_ends_it_as_well) {
    struct client *client = connected("ONCLOSE END");
    act("h = open t a RD/RWD DELETEONCLOSE", NULL);
    redisReply *id = call(client, "CLIENT ID");
    expect_number(call(primary, "CLIENT KILL ID %lld", id->integer), 1);
    await_info(primary, "holdfast_files", 1);
    act("get a", NO_FILE);
    client_close(client);
}

TEST(without_onclose_end_a_session_outlives_its_connection) {
    static const char *const ways[] = {"", "ONCLOSE KEEP", "ONCLOSE END"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        file_commands_setup();
        struct client *client = connected(ways[way]);
        act("h = open t a RW/-", NULL);
        if (way == 2) expect_ok(call(primary, "RENAME fs other"));
        if (way == 2) expect_ok(call(primary, "RENAME other fs")); /* its name is what it is known by */
        if (way < 2) client_close(client);
        usleep(20000);
        acts({"get a", SV}, {"SHARE.PING fs $t", NULL});
        if (way == 2) client_close(client);
        if (way == 2) await_ended();
    }
}

/* A connection may have many sessions, in many shares and databases. */
TEST(all_sessions_of_a_connection_end) {
    act("SHARE.CREATE other", NULL);
    expect_ok(call(primary, "SELECT 3"));
    expect_etag(call(primary, "SHARE.CREATE fs"));
    expect_ok(call(primary, "SELECT 0"));
    struct client *client = connected("ONCLOSE END");
    act("h = open t a R/-", NULL);
    for (int i = 0; i < 20; i++) call(client, "SHARE.CONNECT fs 1000 ONCLOSE END");
    call(client, "SHARE.CONNECT other 1000 ONCLOSE END");
    call(client, "SHARE.CONNECT other 1000 ONCLOSE KEEP");
    expect_ok(call(client, "SELECT 3"));
    call(client, "SHARE.CONNECT fs 1000 ONCLOSE END");
    assert_int_equal(info_of(primary, "holdfast_share_sessions"), 25);
    client_close(client);
    await_ended();
    await_info(primary, "holdfast_share_sessions", 2);
}

/* Keys that have gone by then, or are something else. */
TEST(a_connection_ends_after_its_share) {
    struct client *client = connected("ONCLOSE END");
    act("SHARE.DELETE fs", "OK");
    client_close(client);
    file_commands_setup();
    client = connected("ONCLOSE END");
    call(primary, "DEL fs");
    expect_ok(call(primary, "SET fs text"));
    client_close(client);
    usleep(5000);
    expect_text(call(primary, "GET fs"), "text");
}

/* A share that was restored beside itself has sessions with the same ids: each belongs to its own share. */
TEST(a_restored_share_knows_nothing_of_connections) {
    struct client *client = connected("ONCLOSE END");
    act("h = open t a RW/-", NULL);
    redisReply *dump = call(primary, "DUMP fs");
    expect_ok(call(primary, "RESTORE twin 0 %b", dump->str, dump->len));
    act("SHARE.DISCONNECT twin $t", "OK");
    act("get a", SV);
    client_close(client);
    await_ended();
    act("SHARE.PING fs $t", NO_SESSION);
}

/* --- Handles -------------------------------------------------------------------------------------------- */

TEST(handles_as_they_are_shown) {
    acts({"mkdir d", NULL}, {"create d/x 1", NULL}, {"t = SHARE.CONNECT fs 100", NULL},
         {"h = open s a RW/RD", NULL}, {"open t d/x A/-", NULL}, {"open t D/X D/RWD", NULL},
         {"handles a", "[null, [[\"handle\", 3, \"path\", \"a\", \"session\", 1, \"owner\", \"tester\", "
                       "\"access\", [\"read\", \"write\"], "
                       "\"share\", [\"read\", \"delete\"], \"opened\", <ms>, \"pending\", 0]]]"},
         {"handles d/x", "[null, [[\"handle\", 4, \"path\", \"d/x\", \"session\", 2, \"access\", "
                         "[\"attributes\"], \"share\", [\"none\"], "
                         "\"opened\", <ms>, \"pending\", 0], [\"handle\", 5, \"path\", \"d/x\", \"session\", "
                         "2, \"access\", [\"delete\"], "
                         "\"share\", [\"read\", \"write\", \"delete\"], \"opened\", <ms>, \"pending\", 0]]]"},
         {"handles no", NO_FILE}, {"handles no/no", NO_PARENT});
    assert_string_equal(opened(""), "a d/x d/x");
    assert_string_equal(opened("d"), "");
    assert_string_equal(opened("d RECURSIVE"), "d/x d/x");
    assert_string_equal(opened("'' RECURSIVE"), "a d/x d/x");
    assert_string_equal(opened("''"), "");
    const char *all = reply_text(act("handles", NULL));
    require(!strstr(all, step_kept('h')) && !strstr(all, step_kept('s')),
            "what only its owner may know is shown: %s", all);
}

TEST(handles_by_pages) {
    enum { HANDLES = 250 };
    for (int i = 0; i < HANDLES; i++) act(i % 2 ? "open s a R/RWD" : "open s b R/RWD", NULL);
    for (int count = 1; count < 400; count = count * 3 + 1) {
        const char *marker = "0";
        int seen = 0, of_a = 0;
        for (bool more = true; more;) {
            redisReply *page =
                expect_elements(call(primary, "FILE.HANDLES fs MARKER %s COUNT %d", marker, count), 2);
            seen += (int)page->element[1]->elements;
            more = !reply_is_null(page->element[0]);
            if (more) marker = reply_string(page->element[0]);
        }
        assert_int_equal(seen, HANDLES);
        redisReply *page = call(primary, "FILE.HANDLES fs a COUNT %d", count);
        of_a = (int)page->element[1]->elements;
        assert_int_equal(of_a, count < HANDLES / 2 ? count : HANDLES / 2);
    }
    expect_elements(call(primary, "FILE.HANDLES fs")->element[1], 100);
}

/* However many there are of other files. */
TEST(the_handles_of_one_file_come_at_once) {
    enum { OTHERS = 21000 };
    call_many(primary, OTHERS,
              pool_print("FILE.OPEN fs %s b ACCESS 1 READ SHARE 3 READ WRITE DELETE", step_kept('s')));
    acts({"open s a R/RWD", NULL}, {"open s a R/RWD", NULL});
    redisReply *page = expect_elements(call(primary, "FILE.HANDLES fs a COUNT 1"), 2);
    expect_elements(page->element[1], 1);
    page = expect_elements(call(primary, "FILE.HANDLES fs a MARKER %s", reply_string(page->element[0])), 2);
    assert_true(reply_is_null(page->element[0]));
    expect_elements(page->element[1], 1);
}

/* What nobody would look after is not promised. */
TEST(a_key_too_long_to_end_with_a_connection) {
    const char *key = pool_print("%060001d", 0);
    expect_etag(call(primary, "SHARE.CREATE %s", key));
    redisReply *reply = call(primary, "SHARE.CONNECT %s 10 ONCLOSE END", key);
    require(reply_is_answer(reply, BAD_VALUE), "it answers %s", reply_text(reply));
    reply_string(call(primary, "SHARE.CONNECT %s 10 ONCLOSE KEEP", key));
}

TEST(closing_by_force) {
    acts({"mkdir d", NULL}, {"mkdir d/e", NULL}, {"create d/x 1", NULL}, {"create d/e/y 1", NULL},
         {"h = open s a RW/-", NULL}, {"lock $h EXCLUSIVE 0 5", "OK"}, {"open s a A/-", NULL},
         {"open s d/x R/-", NULL}, {"open s d/e/y R/-", NULL}, {"closeall a *", "2"}, {"closeall a *", "0"},
         {"get a", NULL}, {"read $h 0 1", NO_HANDLE}, {"closeall d *", "0"},
         {"closeall a * RECURSIVE", "INVALID InvalidQueryParameterValue"}, {"closeall d/e * RECURSIVE", "1"},
         {"closeall '' * RECURSIVE", "1"}, {"closeall '' * RECURSIVE", "0"}, {"h = open s a R/R", NULL},
         {"i = open s a R/R", NULL}, {"j = open s b R/R", NULL}, {"closeall no *", NO_FILE});
    redisReply *second = act("handles a", NULL)->element[1]->element[1];
    long long number = field(second, "handle")->integer;
    expect_number(call(primary, "FILE.CLOSEHANDLES fs b %lld", number), 0);
    act(pool_print("closeall '' %lld RECURSIVE", number + 100), "0");
    expect_number(call(primary, "FILE.CLOSEHANDLES fs a %lld", number), 1);
    expect_number(call(primary, "FILE.CLOSEHANDLES fs a %lld", number), 0);
    acts({"read $h 0 1", NULL}, {"read $i 0 1", NO_HANDLE}, {"read $j 0 1", NULL});
    act(pool_print("closeall '' %lld RECURSIVE", number + 1), "1");
    acts({"read $j 0 1", NO_HANDLE});
}

/* Numbers are given once: who was closed is not taken for who came later. */
TEST(public_numbers_are_not_given_twice) {
    act("h = open s a R/R", NULL);
    long long first = field(act("handles a", NULL)->element[1]->element[0], "handle")->integer;
    acts({"close $h", "OK"}, {"h = open s a R/R", NULL});
    expect_number(call(primary, "FILE.CLOSEHANDLES fs a %lld", first), 0);
    act("read $h 0 1", NULL);
    expect_ok(call(primary, "DEBUG RELOAD"));
    acts({"close $h", "OK"}, {"h = open s a R/R", NULL});
    require(field(act("handles a", NULL)->element[1]->element[0], "handle")->integer > first + 1,
            "a number comes back");
}

/* Names, and so other people's handles, are told by refusals; ids never are. */
TEST(refusals_tell_who) {
    acts({"t = SHARE.CONNECT fs 100 OWNER back\"up\n", NULL}, {"h = open t a R/-", NULL});
    const char *text = act("get a", SV)->str;
    require(strstr(text, "back") && !strstr(text, step_kept('h')) && !strstr(text, step_kept('t')) &&
                !strchr(text, '\n'),
            "it says %s", text);
}

/* --- The end of shares ---------------------------------------------------------------------------------- */

/* Other than the service's, a name is free at once. */
TEST(a_share_is_deleted_and_made_anew) {
    acts({"h = open s a RW/-", NULL}, {"lock $h EXCLUSIVE 0 1", "OK"}, {"SHARE.DELETE fs", "OK"},
         {"get a", NO_SHARE}, {"SHARE.DELETE fs", NO_SHARE}, {"SHARE.CREATE fs", NULL},
         {"list ''", "[null, []]"}, {"handles", "[null, []]"}, {"get a", NO_FILE},
         {"SHARE.PING fs $s", NO_SESSION}, {"read $h 0 1", NO_HANDLE}, {"create a 1", NULL});
    assert_int_equal(info_of(primary, "holdfast_share_sessions"), 0);
}

/* --- Much at once --------------------------------------------------------------------------------------- */

enum { FILES = 300, MANY = 30000, FEWER = 5000, LONGEST_US = 10000, LONGEST_UNDER_SANITIZERS_US = 100000 };

static void open_many(int count) {
    file_commands_setup();
    act("t = SHARE.CONNECT fs 1000", NULL);
    for (int i = 0; i < FILES; i++) call(primary, "FILE.CREATE fs f%d 1", i);
    for (int i = 0; i < count; i++)
        send_call(primary, "FILE.OPEN fs %s f%d ACCESS 1 READ SHARE 3 READ WRITE DELETE", step_kept('t'),
                  i % FILES);
    for (int i = 0; i < count; i++) expect_elements(receive(primary), 8);
}

/* Ends the session, and has somebody else work on until all is gone: no answer is kept up for long. */
static void require_swift(const char *ends) {
    long long longest = 0, before = cpu_time_us(primary->server);
    act(ends, NULL);
    expect_ok(call(primary, "FILE.DELETE fs f7"));
    for (long long handles = -1; handles;) {
        long long now = cpu_time_us(primary->server);
        if (now - before > longest) longest = now - before;
        before = now;
        handles = info_number(call(primary, "INFO holdfast"), "holdfast_file_handles");
    }
    long long max = getenv("HOLDFAST_PRELOAD") ? LONGEST_UNDER_SANITIZERS_US : LONGEST_US;
    require(longest < max, "the server worked for %lld us before it answered", longest);
}

TEST(a_session_with_many_handles_ends) {
    open_many(MANY);
    require_swift("SHARE.DISCONNECT fs $t");
    expect_etag(call(primary, "FILE.CREATE fs f7 1"));
    assert_string_equal(opened(""), "");
}

TEST(a_session_with_many_handles_is_over) {
    open_many(MANY);
    require_swift("1000 s");
    assert_string_equal(opened(""), "");
}

/* As many as one command closes; who is told of that many calls again. */
TEST(many_handles_are_closed_by_force) {
    open_many(FEWER);
    long long closed = 0;
    for (long long now = -1; now; closed += now) now = act("closeall '' * RECURSIVE", NULL)->integer;
    assert_int_equal(closed, FEWER);
}

/* The shortest of several rounds: of the time in which so many sessions end. */
static long long shortest_end_us(void) {
    enum { ROUNDS = 5, SESSIONS = 500 };
    const char *sessions[SESSIONS];
    long long shortest_us = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SESSIONS; i++) send_call(primary, "SHARE.CONNECT fs 1000");
        for (int i = 0; i < SESSIONS; i++) sessions[i] = receive(primary)->str;
        long long before_us = cpu_time_us(primary->server);
        for (int i = 0; i < SESSIONS; i++) send_call(primary, "SHARE.DISCONNECT fs %s", sessions[i]);
        for (int i = 0; i < SESSIONS; i++) expect_ok(receive(primary));
        long long us = cpu_time_us(primary->server) - before_us;
        if (!round || us < shortest_us) shortest_us = us;
    }
    return shortest_us;
}

TEST(a_session_ends_in_the_same_time_however_many_wait_elsewhere) {
    enum { LINES = 3000 };
    long long alone_us = shortest_end_us();
    for (int i = 0; i < LINES; i++) {
        call(primary, "QUEUE.CREATE q%d", i);
        send_line(test_client(primary->server), pool_print("QUEUE.GET q%d BLOCK 0", i));
    }
    await_waiters(primary, LINES);
    long long among_us = shortest_end_us();
    require(among_us < 2 * alone_us, "%lld us, and %lld us where many wait", alone_us, among_us);
    expect_ok(call(primary, "FLUSHALL")); /* so many empty queues need not be compared */
}
