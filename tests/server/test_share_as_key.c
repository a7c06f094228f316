/* Shares as keys of Redis: what happens to sessions, leases and files when a key is moved, copied, dumped and restored,
 * expires, or lies in a cluster; what is notified; and what may be done when memory is full. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "file_commands.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "probes.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "steps.h"
#include "traces.h"
#include "waiting.h"
#include "wire.h"

/* --- Other names ------------------------------------------------------------------------------------------------- */

static void stage_open(void) {
    file_commands_setup();
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"h = open s a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 5", "OK"},
         {"i = open t b RD/RWD DELETEONCLOSE", NULL});
}

/* Under another name, or in another database. */
static void expect_open_as(const char *key) {
    long long sessions = info_of(primary, "holdfast_share_sessions");
    const char *h = step_kept('h'), *i = step_kept('i');
    expect_bytes(call(primary, "FILE.READ %s %s 0 2", key, h), "01", 2);
    expect_error(call(primary, "FILE.GET %s a", key), LOCKED);
    expect_error(call(primary, "FILE.DELETE %s b", key), SV);
    time_passes(10000);
    expect_error(call(primary, "FILE.READ %s %s 0 2", key, i), NO_HANDLE);
    expect_error(call(primary, "FILE.GET %s b", key), NO_FILE);
    expect_ok(call(primary, "FILE.CLOSE %s %s", key, h));
    expect_etag(call(primary, "FILE.GET %s a", key));
    /* Under another name nobody looked after it; a later write has it looked after again. */
    time_passes(11000);
    expect_etag(call(primary, "SHARE.SETMETA %s META 0", key));
    AWAIT(info_of(primary, "holdfast_share_sessions") < sessions);
}

TEST(sessions_go_where_their_key_goes) {
    needs(KEEPS_DATABASE);
    stage_open();
    expect_ok(call(primary, "RENAME fs other"));
    expect_open_as("other");
    stage_open();
    expect_number(call(primary, "MOVE fs 3"), 1);
    expect_ok(call(primary, "SELECT 3"));
    expect_open_as("fs");
    call(primary, "DEL fs");
    expect_ok(call(primary, "SELECT 0"));
    stage_open();
    expect_ok(call(primary, "SWAPDB 0 3"));
    expect_ok(call(primary, "SELECT 3"));
    expect_open_as("fs");
    expect_ok(call(primary, "SELECT 0"));
    stage_open();
    redisReply *dump = call(primary, "DUMP fs");
    expect_ok(call(primary, "RESTORE fs 0 %b REPLACE", dump->str, dump->len));
    expect_open_as("fs");
}

/* A session that ends soon, yet not before the file is open: on a slow machine it gets more time. */
static void stage_ending(void) {
    const redisReply *opened = NULL;
    for (int ttl_ms = 250; !opened || reply_is_error(opened); ttl_ms *= 2) {
        expect_ok(call(primary, "FLUSHALL"));
        time_passes(0);
        acts({"SHARE.CREATE fs", NULL}, {"create a 1", NULL});
        redisReply *session = call(primary, "SHARE.CONNECT fs %d.%03d", ttl_ms / 1000, ttl_ms % 1000);
        opened =
            call(primary, "FILE.OPEN fs %s a ACCESS 2 READ DELETE SHARE 3 READ WRITE DELETE DELETEONCLOSE",
                 reply_string(session));
        if (reply_is_error(opened)) expect_error(opened, NO_SESSION);
    }
}

/* Nobody asks and nobody writes: sessions whose time is up end under the name that its key has by then. */
TEST(sessions_end_wherever_their_key_is) {
    needs(KEEPS_DATABASE);
    static const char *const ways[] = {"PING", "RENAME fs other", "MOVE fs 3", "SWAPDB 0 3", "DEBUG RELOAD"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        stage_ending();
        require(!reply_is_error(call_line(primary, ways[way])), "%s fails", ways[way]);
        await_info(primary, "holdfast_files", 0);
    }
}

/* Two shares with the same handles: each its own. */
TEST(a_restored_share_is_independent_of_the_first) {
    stage_open();
    redisReply *dump = call(primary, "DUMP fs");
    expect_ok(call(primary, "RESTORE twin 0 %b", dump->str, dump->len));
    const char *h = step_kept('h');
    act("close $h", "OK");
    expect_bytes(call(primary, "FILE.READ twin %s 0 1", h), "0", 1);
    expect_error(call(primary, "FILE.GET twin a"), LOCKED);
    act("get a", NULL);
    expect_open_as("twin");
}

TEST(a_copy_has_nobody_in_it) {
    stage_open();
    acts({"create c 3", NULL}, {"j = open s c RD/RWD", NULL}, {"dispose $j ON", "OK"}, {"create d 3", NULL},
         {"LEASE.ACQUIRE fs -1 ID A FILE d", NULL}, {"LEASE.ACQUIRE fs -1 ID B", NULL},
         {"p = SHARE.SNAPSHOT fs", NULL});
    expect_number(call(primary, "COPY fs twin"), 1);
    expect_elements(call(primary, "FILE.HANDLES twin")->element[1], 0);
    expect_elements(call(primary, "LEASE.LIST twin")->element[1], 0);
    expect_error(call(primary, "FILE.READ twin %s 0 1", step_kept('h')), NO_HANDLE);
    expect_error(call(primary, "SHARE.PING twin %s", step_kept('s')), NO_SESSION);
    expect_error(call(primary, "FILE.GET twin b"), NO_FILE); /* it would have gone with its handle */
    expect_error(call(primary, "FILE.GET twin c"), NO_FILE);
    expect_etag(call(primary, "FILE.GET twin a"));
    expect_etag(call(primary, "FILE.PUTRANGE twin d 0 x"));
    expect_etag(call(primary, "FILE.GET twin b SNAPSHOT %s", step_kept('p')));
    expect_number(field(call(primary, "SHARE.GET twin"), "files"), 2);
    expect_number(field(call(primary, "SHARE.GET twin"), "bytes"), 13);
    expect_error(call(primary, "SHARE.DELETE twin"), "CONFLICT ShareHasSnapshots");
    expect_ok(call(primary, "SHARE.DELETE twin SNAPSHOTS INCLUDE"));
    acts({"read $h 0 1", NULL}, {"get a", LOCKED}, {"get c", PENDING}, {"put d 0 x", LEASE_MISSING});
}

/* Dumped and restored in the middle of being swept away. */
TEST(a_session_that_is_being_swept_away) {
    enum { HANDLES = 1500 };
    file_commands_setup();
    acts({"t = SHARE.CONNECT fs 1000", NULL});
    for (int i = 0; i < HANDLES; i++) {
        static const char *const lines[] = {
            "FILE.OPEN fs %s f%d ACCESS 2 READ DELETE SHARE 3 READ WRITE DELETE DISPOSITION OPENIF",
            "FILE.OPEN fs %s f%d ACCESS 2 READ DELETE SHARE 3 READ WRITE DELETE DISPOSITION OPENIF "
            "DELETEONCLOSE"};
        send_call(primary, lines[i % 2], step_kept('t'), i % 500);
    }
    for (int i = 0; i < HANDLES; i++) expect_elements(receive(primary), 8);
    expect_ok(call(primary, "MULTI"));
    call(primary, "SHARE.DISCONNECT fs %s", step_kept('t'));
    call(primary, "DUMP fs");
    redisReply *dump = expect_elements(call(primary, "EXEC"), 2)->element[1];
    expect_ok(call(primary, "RESTORE early 0 %b", dump->str, dump->len));
    expect_number(call(primary, "COPY fs copied"), 1);
    expect_ok(call(primary, "DEBUG RELOAD"));
    expect_elements(call(primary, "FILE.HANDLES early")->element[1], 0);
    expect_error(call(primary, "FILE.GET early f1"), NO_FILE);
    await_info(primary, "holdfast_file_handles", 0);
    expect_number(field(call(primary, "SHARE.GET fs"), "files"), 252);
    expect_number(field(call(primary, "SHARE.GET early"), "files"), 252);
    expect_number(field(call(primary, "SHARE.GET copied"), "files"), 252);
    assert_string_equal(value_digest(primary, "copied"),
                        (call(primary, "COPY early again"), value_digest(primary, "again")));
}

TEST(a_share_expires_as_any_key) {
    stage_open();
    expect_number(call(primary, "PEXPIRE fs 1000000"), 1);
    acts({"put b 0 x", NULL}, {"write $h 0 x", "1"}, {"SHARE.SNAPSHOT fs", NULL});
    require(call(primary, "PTTL fs")->integer > 900000, "the time is lost");
    expect_number(call(primary, "PEXPIRE fs 1"), 1);
    AWAIT(!call(primary, "EXISTS fs")->integer);
    acts({"read $h 0 1", NO_SHARE}, {"SHARE.CREATE fs", NULL}, {"read $h 0 1", NO_HANDLE});
}

/* --- Watched and told ----------------------------------------------------------------------------------- */

TEST(every_change_is_notified_once) {
    static const struct noticed rows[] = {
        {"SHARE.CREATE box", "share.create box"},
        {"SHARE.SETMETA box META 1 a b", "share.setmeta box"},
        {"SHARE.SETPROPS box QUOTA 1000", "share.setprops box"},
        {"SHARE.SETACL box POLICIES 1 a - - r", "share.setacl box"},
        {"SHARE.SNAPSHOT box", "share.snapshot box"},
        {"LEASE.ACQUIRE box -1 ID " ID_A, "lease.acquire box"},
        {"FILE.MKDIR box d", "file.mkdir box"},
        {"FILE.RMDIR box d", "file.rmdir box"},
        {"FILE.CREATE box a 10", "file.create box"},
        {"FILE.PUTRANGE box a 0 xyz", "file.putrange box"},
        {"FILE.CLEARRANGE box a 0 1", "file.clearrange box"},
        {"FILE.SETPROPS box a SIZE 9", "file.setprops box"},
        {"FILE.SETMETA box a META 0", "file.setmeta box"},
        {"FILE.COPY box a b", "file.copy box"},
        {"FILE.RENAME box b c", "file.rename box"},
        {"FILE.DELETE box c", "file.delete box"},
        {"LEASE.ACQUIRE box -1 ID " ID_B " FILE a", "lease.acquire box"},
        {"LEASE.BREAK box FILE a", "lease.break box"},
        {"LEASE.RELEASE box " ID_B " FILE a", "lease.release box"},
    };
    time_passes(0);
    expect_notifications(rows);
    traces_begin("box");
    const char *session = reply_string(call(primary, "SHARE.CONNECT box 100"));
    assert_string_equal(traces_notifications(), "share.connect box");
    const char *handle = reply_string(field(
        call(primary, "FILE.OPEN box %s a ACCESS 3 READ WRITE DELETE SHARE 1 READ DISPOSITION OVERWRITE",
             session),
        "handle"));
    const char *opened_so = traces_notifications();
    require(strstr(opened_so, "file.open box") && strstr(opened_so, "file.create box"), "there was %s",
            opened_so);
    const struct noticed held[] = {
        {pool_print("FILE.WRITE box %s 0 x", handle), "file.write box"},
        {pool_print("FILE.TRUNCATE box %s 5", handle), "file.truncate box"},
        {pool_print("FILE.LOCK box %s SHARED 0 1", handle), "file.lock box"},
        {pool_print("FILE.UNLOCK box %s 0 1", handle), "file.unlock box"},
        {pool_print("FILE.DISPOSE box %s ON", handle), "file.dispose box"},
        {pool_print("FILE.CLOSE box %s", handle), "file.close box"},
        {pool_print("SHARE.PING box %s", session), "share.ping box"},
        {pool_print("SHARE.DISCONNECT box %s", session), "share.disconnect box"},
        {"SHARE.DELETE box SNAPSHOTS INCLUDE LEASE " ID_A, "share.delete box"},
    };
    expect_notifications(held);
}

/* What only looks, and what changes nothing, leaves no trace. */
TEST(reading_leaves_no_trace) {
    stage_open();
    acts({"p = SHARE.SNAPSHOT fs", NULL}, {"mkdir d", NULL});
    traces_begin("none");
    acts({"get a RANGE 6 1", NULL}, {"stat a", NULL}, {"meta a", NULL}, {"ranges b", NULL}, {"list ''", NULL},
         {"handles", NULL}, {"SHARE.GET fs", NULL}, {"SHARE.GETMETA fs", NULL}, {"SHARE.GETACL fs", NULL},
         {"read $h 0 5", NULL}, {"get a SNAPSHOT $p", NULL}, {"LEASE.GET fs FILE a", NULL},
         {"LEASE.LIST fs", NULL}, {"write $h 0 ''", "0"}, {"closeall b 77", "0"},
         {"closeall d * RECURSIVE", "0"}, {"dispose $i OFF", "OK"});
    traces_require_none();
    expect_ok(call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(10000)));
    expect_ok(call(primary, "MULTI"));
    call(primary, "FILE.GET fs b");
    call(primary, "FILE.LIST fs %s", "");
    expect_error(expect_elements(call(primary, "EXEC"), 2)->element[0], NO_FILE);
    time_passes(0);
}

/* --- A cluster ------------------------------------------------------------------------------------------ */

TEST(shares_live_in_a_cluster) {
    struct client *node = cluster_of_one("");
    acts_by(node, {"SHARE.CREATE fs", NULL}, {"s = SHARE.CONNECT fs 100", NULL},
            {"t = SHARE.CONNECT fs 100", NULL}, {"create a 3", NULL}, {"put a 0 abc", NULL},
            {"copy a b", NULL}, {"rename b c", NULL}, {"h = open s a RW/-", NULL});
    struct client *waiter = act_waiting_at(node->server, "open t a R/R BLOCK 0");
    acts_by(node, {"get a", SV}, {"close $h", "OK"});
    expect_text(field(answer_within(waiter, 5000), "action"), "opened");
    redisReply *keys = expect_elements(call(node, "COMMAND GETKEYS FILE.COPY fs a b"), 1);
    expect_text(keys->element[0], "fs");
    expect_elements(call(node, "COMMAND GETKEYS FILE.OPEN fs x a ACCESS 1 READ SHARE 1 READ BLOCK 0"), 1);
}

/* --- RESP3 ---------------------------------------------------------------------------------------------- */

TEST(maps_are_maps_where_there_are_such) {
    file_commands_setup();
    struct wire *wire = wire_open_resp3(primary->server);
    static const char *const lines[] = {"SHARE.GET fs", "FILE.STAT fs a", "FILE.GETRANGES fs a",
                                        "SHARE.GETACL fs"};
    for (size_t line = 0; line < ARRAY_SIZE(lines); line++) {
        redisReply *reply = wire_call(wire, lines[line]);
        require(reply->type == REPLY_MAP, "%s is no map: %s", lines[line], reply_text(reply));
    }
    redisReply *open =
        wire_call(wire, pool_print("FILE.OPEN fs %s a ACCESS 1 READ SHARE 1 READ", step_kept('s')));
    require(open->type == REPLY_MAP, "FILE.OPEN is no map: %s", reply_text(open));
    redisReply *handles = wire_call(wire, "FILE.HANDLES fs");
    require(handles->element[1]->element[0]->type == REPLY_MAP, "%s", reply_text(handles));
    redisReply *items = wire_call(wire, "FILE.LIST fs ''");
    require(items->element[1]->element[0]->type == REPLY_MAP, "%s", reply_text(items));
    require(wire_call(wire, "FILE.GETMETA fs a")->element[1]->type == REPLY_MAP, "metadata are no map");
}

/* --- Memory --------------------------------------------------------------------------------------------- */

TEST(a_full_server_refuses_files_that_grow) {
    stage_open();
    acts({"LEASE.ACQUIRE fs -1 ID A FILE b", SV}, {"create c 5", NULL},
         {"LEASE.ACQUIRE fs -1 ID A FILE c", NULL}, {"j = open s a RD/RWD", NULL}, {"mkdir d", NULL});
    configure(primary, "maxmemory", "1");
    static const char *const growing[] = {"create n 1",
                                          "put c 0 x LEASE A",
                                          "mkdir e",
                                          "copy a x",
                                          "setmeta a META 1 a b",
                                          "SHARE.CREATE new",
                                          "SHARE.SNAPSHOT fs",
                                          "SHARE.CONNECT fs 5",
                                          "open s a R/RWD",
                                          "write $h 0 x",
                                          "lock $h SHARED 100 1",
                                          "SHARE.SETMETA fs META 1 a b",
                                          "LEASE.ACQUIRE fs -1 FILE a"};
    for (size_t line = 0; line < ARRAY_SIZE(growing); line++) {
        struct words words = act_words(growing[line]);
        expect_error(call_words(primary, &words), "OOM");
    }
    acts_by(primary, {"SHARE.PING fs $s", NULL}, {"unlock $h 0 5", "OK"}, {"dispose $j ON", "OK"},
            {"dispose $j OFF", "OK"}, {"close $j", "OK"}, {"closeall a *", "1"},
            {"LEASE.RELEASE fs A FILE c", "OK"}, {"delete c", "OK"}, {"clear a 0 5", NULL}, {"rmdir d", "OK"},
            {"SHARE.DISCONNECT fs $t", "OK"}, {"get b", NO_FILE}, {"get a", NULL}, {"delete a", "OK"});
    configure(primary, "maxmemory", "0");
}

enum { PERCENT = 100, TOLERANCE_PERCENT = 6 };

/* So many of each; %d is their number. */
static const struct {
    const char *name;
    int count;
    const char *steps[4];
} loads[] = {
    {"files", 8000, {"FILE.CREATE fs file-%d 100"}},
    {"dressed",
     4000,
     {"FILE.CREATE fs file-%d 100 META 2 color red size large PROPS 1 content-type text/plain"}},
    {"directories", 4000, {"FILE.MKDIR fs Directory-%d"}},
    {"content", 500, {"FILE.CREATE fs file-%d 9000", "FILE.PUTRANGE fs file-%d 3000 CONTENT"}},
    {"open",
     4000,
     {"FILE.CREATE fs file-%d 0", "FILE.OPEN fs SESSION file-%d ACCESS 1 READ SHARE 3 READ WRITE DELETE"}},
    {"often open", 8000, {"FILE.OPEN fs SESSION once ACCESS 1 READ SHARE 3 READ WRITE DELETE"}},
    {"locks", 9000, {"FILE.LOCK fs HANDLE SHARED %d 1"}},
    {"leased", 4000, {"FILE.CREATE fs file-%d 0", "LEASE.ACQUIRE fs -1 FILE file-%d"}},
    {"sessions", 4000, {"SHARE.CONNECT fs 1000 OWNER somebody-%d"}},
    {"past",
     4000,
     {"FILE.CREATE fs file-%d 10 META 1 a b", NULL, "FILE.SETMETA fs file-%d META 1 c d",
      "FILE.RENAME fs file-%d new-%d"}},
};

static struct words load_words(const char *step, int number, const char *session, const char *handle) {
    static char content[4096];
    struct words words = words_of_line(step);
    memset(content, 'x', sizeof(content));
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.word[i], *blank = strstr(word, "%d");
        if (blank) words_replace(&words, i, pool_print("%.*s%d", (int)(blank - word), word, number));
        if (!strcmp(word, "SESSION")) words_replace(&words, i, session);
        if (!strcmp(word, "HANDLE")) words_replace(&words, i, handle);
        if (!strcmp(word, "CONTENT")) words.word[i] = content, words.length[i] = sizeof(content);
    }
    return words;
}

static void load(struct client *client, const char *step, int count, const char *session,
                 const char *handle) {
    for (int number = 0; number < count; number++) {
        struct words words = load_words(step, number, session, handle);
        send_words(client, &words);
        if (number % 1000 && number + 1 < count) continue;
        for (int left = number % 1000 ? number % 1000 : number ? 1000 : 1; left; left--) {
            redisReply *reply = receive(client);
            require(!reply_is_error(reply), "%s gives %s", step, reply_text(reply));
        }
    }
}

TEST(memory_usage_tells_what_is_used) {
    struct client *client = test_client(server_start("single", ""));
    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        call(client, "FLUSHALL");
        call(client, "SHARE.CREATE fs");
        call(client, "FILE.CREATE fs once 5");
        const char *session = reply_string(call(client, "SHARE.CONNECT fs 1000"));
        redisReply *open =
            call(client, "FILE.OPEN fs %s once ACCESS 1 READ SHARE 3 READ WRITE DELETE", session);
        const char *handle = reply_string(field(open, "handle"));
        long long used = memory_in_use(client->server), told = memory_of(client, "fs");
        struct client *filler = client_open(client->server);
        for (size_t step = 0; step < 4; step++) {
            if (loads[i].steps[step])
                load(filler, loads[i].steps[step], loads[i].count, session, handle);
            else if (step + 1 < 4 && loads[i].steps[step + 1])
                expect_elements(call(filler, "SHARE.SNAPSHOT fs"), 2);
        }
        client_close(filler);
        used = memory_in_use(client->server) - used;
        told = memory_of(client, "fs") - told;
        long long difference = told > used ? told - used : used - told;
        print_message("# %s: %lld bytes used, %lld told, %lld each\n", loads[i].name, used, told,
                      used / loads[i].count);
        require(difference * PERCENT <= used * TOLERANCE_PERCENT, "%s use %lld bytes, but tell of %lld",
                loads[i].name, used, told);
    }
}

/* What has gone gives back what it took. */
TEST(ended_sessions_and_deleted_files_leave_no_memory) {
    file_commands_setup();
    long long before = memory_of(primary, "fs");
    for (int turn = 0; turn < 300; turn++) {
        acts_by(primary, {"t = SHARE.CONNECT fs 100 OWNER somebody", NULL}, {"h = open t a RWD/RWD", NULL},
                {"lock $h EXCLUSIVE 0 1", "OK"}, {"lock $h SHARED 5 1", "OK"},
                {"create c 100 META 1 a b", NULL}, {"put c 0 content", NULL}, {"i = open t c RD/RWD", NULL},
                {"dispose $i ON", "OK"}, {"close $h", "OK"}, {"SHARE.DISCONNECT fs $t", "OK"},
                {"LEASE.ACQUIRE fs -1 ID A FILE b", NULL}, {"LEASE.RELEASE fs A FILE b", "OK"},
                {"mkdir d", NULL}, {"create d/x 5", NULL}, {"rename d e", NULL}, {"delete e/x", "OK"},
                {"rmdir e", "OK"});
    }
    await_info(primary, "holdfast_share_sessions", 1);
    long long left = memory_of(primary, "fs") - before;
    require(left < 2000, "%lld bytes are left", left);
}
