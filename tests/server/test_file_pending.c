/* Files that are to be deleted: seen from all sides while their last handle is open, and
 * gone with it, however it ends. */
#include <string.h>

#include "clock.h"
#include "file_commands.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"

static void stage_pending(void) {
    file_commands_setup();
    acts({"h = open s a RWD/RWD", NULL}, {"dispose $h ON", "OK"});
}

BEFORE_EACH {
    file_commands_setup();
}

TEST(every_command_on_a_pending_file_is_refused) {
    stage_pending();
    for (const struct file_command *command = file_commands; command->line; command++)
        act(command->line, PENDING);
    acts({"open s a R/RWD", PENDING}, {"open s a A/RWD", PENDING},
         {"open s a R/RWD DISPOSITION CREATE", PENDING}, {"open s a R/RWD DISPOSITION OPENIF", PENDING},
         {"open s a RWD/RWD DISPOSITION SUPERSEDE", PENDING}, {"open s A/b R/R", NO_PARENT},
         {"mkdir a", PENDING}, {"copy b a", PENDING}, {"rename b a", PENDING},
         {"rename b a REPLACE", PENDING}, {"copy a b", PENDING}, {"rename a b REPLACE", PENDING},
         {"LEASE.GET fs FILE a", PENDING}, {"LEASE.BREAK fs FILE a", PENDING});
    assert_string_equal(listed(""), "b");
    assert_string_equal(opened(""), "a!");
    assert_string_equal(opened("a"), "a!");
    expect_number(act("closeall a *", NULL), 1);
    acts({"get a", NO_FILE}, {"create a 1", NULL});
}

/* A snapshot is not told from the file by that it is to be deleted. */
TEST(a_pending_file_is_readable_in_older_snapshots) {
    acts({"p = SHARE.SNAPSHOT fs", NULL}, {"h = open s a RWD/RWD", NULL}, {"dispose $h ON", "OK"},
         {"get a SNAPSHOT $p", "=0123456789"}, {"get a", PENDING}, {"close $h", "OK"},
         {"get a SNAPSHOT $p", "=0123456789"}, {"get a", NO_FILE});
}

TEST(the_mark_is_taken_back) {
    const char *before = reply_text(act("stat a", NULL));
    acts({"h = open s a RWD/RWD", NULL}, {"i = open s a D/RWD", NULL}, {"dispose $h ON", "OK"},
         {"get a", PENDING}, {"dispose $i OFF", "OK"}, {"get a", "=0123456789"}, {"close $h", "OK"},
         {"close $i", "OK"}, {"get a", "=0123456789"});
    assert_string_equal(reply_text(act("stat a", NULL)), before);
    assert_string_equal(listed(""), "a b");
}

TEST(the_last_handle_takes_a_pending_file_along) {
    const char *etag = reply_string(file_field("a", "etag"));
    acts({"h = open s a RD/RWD", NULL}, {"i = open s a R/RWD", NULL}, {"dispose $h ON", "OK"},
         {"close $h", "OK"}, {"get a", PENDING}, {"close $i", "OK"}, {"get a", NO_FILE}, {"create a 3", NULL},
         {"get a", NULL});
    const char *later = reply_string(file_field("a", "etag"));
    require(strcmp(later, etag) > 0, "the new file has %s after %s", later, etag);
}

TEST(other_handles_go_on) {
    acts({"h = open s a D/RWD", NULL}, {"i = open s a RW/RWD", NULL}, {"dispose $h ON", "OK"},
         {"read $i 0 3", "=012"}, {"write $i 0 xyz", "3"}, {"read $i 0 5", "=xyz34"}, {"truncate $i 4", "OK"},
         {"lock $i EXCLUSIVE 0 2", "OK"}, {"unlock $i 0 2", "OK"}, {"open s a R/RWD", PENDING},
         {"dispose $h OFF", "OK"}, {"get a", "=xyz3"});
}

TEST(delete_on_close) {
    acts({"h = open s a RD/RWD DELETEONCLOSE", NULL}, {"i = open s a R/RWD", NULL}, {"get a", "=0123456789"},
         {"list ''", NULL}, {"close $h", "OK"}, {"get a", PENDING}, {"read $i 0 2", "=01"},
         {"close $i", "OK"}, {"get a", NO_FILE});
}

TEST(delete_on_close_is_not_taken_back) {
    acts({"h = open s a RD/RWD DELETEONCLOSE", NULL}, {"dispose $h OFF", "OK"}, {"get a", "=0123456789"},
         {"dispose $h ON", "OK"}, {"dispose $h OFF", "OK"}, {"close $h", "OK"}, {"get a", NO_FILE});
    /* But what closing has marked can be taken back by who is left. */
    acts({"h = open s b RD/RWD DELETEONCLOSE", NULL}, {"i = open s b D/RWD", NULL}, {"close $h", "OK"},
         {"get b", PENDING}, {"dispose $i OFF", "OK"}, {"close $i", "OK"}, {"get b", "=0123456789"});
}

TEST(files_that_cannot_be_marked) {
    acts({"h = open s a RD/RWD", NULL}, {"setprops a ATTRIBUTES 1 READONLY", NULL},
         {"dispose $h ON", CANNOT_DELETE}, {"close $h", "OK"}, {"get a", NULL},
         {"open s a D/RWD DELETEONCLOSE", CANNOT_DELETE}, {"open s a R/RWD DELETEONCLOSE", BAD_VALUE},
         {"h = open s b RW/RWD", NULL}, {"dispose $h ON", DENIED}, {"dispose $h OFF", DENIED},
         {"mkdir d", NULL}, {"create d/x 0", NULL}, {"rmdir d", NOT_EMPTY}, {"open s d RD/RWD", OTHER_KIND});
}

TEST(a_pending_file_keeps_its_directory) {
    acts({"mkdir d", NULL}, {"create d/x 0", NULL}, {"h = open s d/x D/RWD", NULL}, {"dispose $h ON", "OK"},
         {"list d", "[null, []]"}, {"rmdir d", NOT_EMPTY}, {"rename d e", SV}, {"close $h", "OK"},
         {"rmdir d", "OK"});
}

TEST(a_pending_file_goes_with_its_session) {
    stage_pending();
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"dispose $h OFF", "OK"}, {"i = open t a D/RWD", NULL},
         {"dispose $i ON", "OK"}, {"close $h", "OK"}, {"5 s", NULL}, {"get a", PENDING}, {"5 s", NULL},
         {"get a", NO_FILE}, {"dispose $i OFF", NO_HANDLE}, {"create a 2", NULL}, {"closeall a *", "0"});
}

/* How a handle can end, all with the same outcome. */
TEST(a_pending_file_goes_however_its_last_handle_ends) {
    static const char *const ways[] = {"close $h", "closeall a *", "SHARE.DISCONNECT fs $t", "20 s"};
    for (int deletes_on_close = 0; deletes_on_close < 2; deletes_on_close++) {
        for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
            file_commands_setup();
            acts({"t = SHARE.CONNECT fs 10", NULL});
            act(pool_print("h = open t a D/RWD%s", deletes_on_close ? " DELETEONCLOSE" : ""), NULL);
            if (!deletes_on_close) act("dispose $h ON", "OK");
            act(ways[way], NULL);
            assert_string_equal(listed(""), "b");
            acts({"stat a", NO_FILE}, {"close $h", NO_HANDLE}, {"mkdir a", NULL});
        }
    }
}

TEST(stateless_deletion_is_at_once) {
    acts({"delete a", "OK"}, {"get a", NO_FILE}, {"open s a R/R", NO_FILE}, {"delete a", NO_FILE});
    assert_string_equal(listed(""), "b");
}

TEST(pending_comes_before_sharing) {
    acts({"h = open s a RWD/-", NULL}, {"get a", SV}, {"dispose $h ON", "OK"}, {"get a", PENDING},
         {"open s a R/R", PENDING}, {"lock $h EXCLUSIVE 0 10", "OK"}, {"put a 0 x", PENDING});
}

/* Nobody asks in between: what time has ended counts as ended at once. */
TEST(a_dead_session_has_nothing_at_the_same_instant) {
    static const struct {
        const char *line, *answer;
    } rows[] = {
        {"FILE.GET fs a", NO_FILE},
        {"FILE.STAT fs a", NO_FILE},
        {"FILE.MKDIR fs a", NULL},
        {"FILE.CREATE fs a 3", NULL},
        {"FILE.RENAME fs b a", NULL},
        {"FILE.COPY fs b a", NULL},
        {"FILE.RMDIR fs d", NULL},
        {"FILE.RENAME fs d e", NULL},
        {"FILE.LIST fs ''", "[null, [[\"name\", \"b\""},
        {"FILE.LIST fs d", "[null, []]"},
        {"FILE.HANDLES fs", "[null, []]"},
        {"FILE.CLOSEHANDLES fs a *", NO_FILE},
        {"FILE.DELETE fs a", NO_FILE},
        {"LEASE.ACQUIRE fs -1 FILE a", NO_FILE},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        file_commands_setup();
        acts({"mkdir d", NULL}, {"create d/x 5", NULL}, {"t = SHARE.CONNECT fs 10", NULL},
             {"h = open t a RD/RWD DELETEONCLOSE", NULL}, {"i = open t d/x RD/RWD", NULL},
             {"dispose $i ON", "OK"});
        expect_ok(call(primary, "MULTI"));
        call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(10000));
        call_line(primary, rows[row].line);
        redisReply *reply = expect_elements(call(primary, "EXEC"), 2)->element[1];
        const char *answer = rows[row].answer;
        if (!answer) require(!reply_is_error(reply), "%s: %s", rows[row].line, reply_text(reply));
        if (answer && answer_is_refusal(answer)) expect_error(reply, answer);
        if (answer && !answer_is_refusal(answer))
            require(!strncmp(reply_shape(reply), answer, strlen(answer)), "%s: %s", rows[row].line,
                    reply_text(reply));
        time_passes(0);
    }
}

/* A snapshot of the same instant has it no more, either, and neither has its count. */
TEST(a_dead_sessions_file_is_in_no_snapshot) {
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"h = open t a RD/RWD DELETEONCLOSE", NULL});
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(10000));
    call(primary, "SHARE.SNAPSHOT fs");
    call(primary, "FILE.LIST fs %s", "");
    redisReply *all = expect_elements(call(primary, "EXEC"), 3);
    time_passes(0);
    const char *id = reply_string(all->element[1]->element[0]);
    expect_error(call(primary, "FILE.GET fs a SNAPSHOT %s", id), NO_FILE);
    assert_string_equal(listed_at(primary, "", pool_print("SNAPSHOT %s", id)), "b");
    expect_elements(all->element[2]->element[1], 1);
}

/* It is there until its last handle is closed: a snapshot has it as it has any other. */
TEST(a_new_snapshot_has_a_pending_file) {
    stage_pending();
    acts({"p = SHARE.SNAPSHOT fs", NULL});
    assert_string_equal(listed(""), "b");
    assert_string_equal(listed_at(primary, "", pool_print("SNAPSHOT %s", step_kept('p'))), "a b");
    act("get a SNAPSHOT $p", "=0123456789");
}

/* What the pending file has goes with it: its lease, its locks, its attributes and metadata. */
TEST(a_pending_file_leaves_nothing_to_its_successor) {
    acts({"setmeta a META 1 color red", NULL}, {"setprops a ATTRIBUTES 1 HIDDEN", NULL},
         {"h = open s a RWD/RWD", NULL}, {"lock $h EXCLUSIVE 0 100", "OK"}, {"dispose $h ON", "OK"},
         {"close $h", "OK"}, {"create a 10", NULL}, {"meta a", "[<etag>, []]"}, {"put a 0 x", NULL});
    require(!reply_field_if_any(act("stat a", NULL), "attributes") ||
                !strstr(reply_text(file_field("a", "attributes")), "hidden"),
            "it is hidden still");
    assert_int_equal(share_number("files"), 2);
}
