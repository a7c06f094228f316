/* Shares and files: every command once, alone and against handles, and everywhere the same. */
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"

static redisReply *run(const char *line) {
    return call_line(primary, line);
}

/* The lines of one scene, each with what it answers; NULL for whatever is no error. */
struct step {
    const char *line;
    const char *error;
};

static void play(const struct step *steps) {
    for (; steps->line; steps++) {
        redisReply *reply = run(steps->line);
        if (steps->error)
            expect_error(reply, steps->error);
        else
            require(!reply_is_error(reply), "%s answers %s", steps->line, reply_text(reply));
    }
}

/* Who is asked whether a session goes on goes by a clock: they are alike from now on. */
static const char *connect_as(const char *owner) {
    time_passes(0);
    return reply_string(run(pool_print("SHARE.CONNECT s 600 OWNER %s", owner)));
}

static redisReply *open_file(const char *session, const char *rest) {
    return run(pool_print("FILE.OPEN s %s %s", session, rest));
}

static const char *opened(const char *session, const char *rest) {
    return reply_string(field(open_file(session, rest), "handle"));
}

static void by_handle(const char *verb, const char *handle, const char *rest, const char *error) {
    redisReply *reply = run(pool_print("FILE.%s s %s %s", verb, handle, rest));
    if (error)
        expect_error(reply, error);
    else
        require(!reply_is_error(reply), "FILE.%s %s answers %s", verb, rest, reply_text(reply));
}

TEST(notifications_tell_of_every_change_of_a_share) {
    static const struct step steps[] = {
        {"SHARE.CREATE s QUOTA 5000 META 1 a b", NULL},
        {"SHARE.CREATE s", "CONFLICT ShareAlreadyExists"},
        {"SHARE.SETMETA s META 1 c d", NULL},
        {"SHARE.SETACL s POLICIES 1 id - - rwd", NULL},
        {"SHARE.SETACL s POLICIES 1 id - - x", "INVALID InvalidXmlNodeValue"},
        {"FILE.CREATE s f 5001", "CONFLICT ShareSizeLimitReached"},
        {"FILE.CREATE s f 5000", NULL},
        {"FILE.SETPROPS s f SIZE 5001", "CONFLICT ShareSizeLimitReached"},
        {"SHARE.SETPROPS s QUOTA 0", NULL},
        {"FILE.SETPROPS s f SIZE 5001", NULL},
        {"SHARE.GET none", "NOTFOUND ShareNotFound"},
        {NULL, NULL},
    };
    play(steps);
    redisReply *share = run("SHARE.GET s");
    expect_number(field(share, "files"), 1);
    expect_number(field(share, "bytes"), 5001);
    expect_shape(run("SHARE.GETMETA s"), "[<etag>, [\"c\", \"d\"]]");
    expect_number(run("EXISTS s"), 1);
}

TEST(paths_lead_through_directories) {
    static const struct step steps[] = {
        {"SHARE.CREATE s", NULL},
        {"FILE.MKDIR s Docs META 1 a b", NULL},
        {"FILE.MKDIR s docs", "CONFLICT ResourceAlreadyExists"},
        {"FILE.MKDIR s none/below", "NOTFOUND ParentNotFound"},
        {"FILE.CREATE s docs/Plan.txt 10", NULL},
        {"FILE.MKDIR s docs/plan.TXT", "CONFLICT ResourceTypeMismatch"},
        {"FILE.CREATE s docs 1", "CONFLICT ResourceTypeMismatch"},
        {"FILE.GET s docs", "CONFLICT ResourceTypeMismatch"},
        {"FILE.STAT s docs/plan.txt/x", "NOTFOUND ParentNotFound"},
        {"FILE.GET s docs/other", "NOTFOUND ResourceNotFound"},
        {"FILE.GET s docs/../x", "INVALID InvalidResourceName"},
        {"FILE.GET s docs//x", "INVALID InvalidFileOrDirectoryPathName"},
        {"FILE.RMDIR s docs", "CONFLICT DirectoryNotEmpty"},
        {"FILE.RMDIR s docs/plan.txt", "CONFLICT ResourceTypeMismatch"},
        {"FILE.RMDIR s ''", "INVALID InvalidFileOrDirectoryPathName"},
        {"FILE.RENAME s docs docs/docs", "INVALID InvalidFileOrDirectoryPathName"},
        {"FILE.RENAME s docs Papers", NULL},
        {"FILE.GET s docs/plan.txt", "NOTFOUND ParentNotFound"},
        {"FILE.RENAME s papers/plan.txt PAPERS/PLAN.TXT", NULL},
        {"FILE.CREATE s papers/a 0", NULL},
        {"FILE.RENAME s papers/a papers/plan.txt", "CONFLICT ResourceAlreadyExists"},
        {"FILE.RENAME s papers/a papers/plan.txt REPLACE", NULL},
        {"FILE.COPY s papers/plan.txt papers/b META 1 c d", NULL},
        {"FILE.DELETE s papers", "CONFLICT ResourceTypeMismatch"},
        {NULL, NULL},
    };
    play(steps);
    expect_shape(run("FILE.LIST s papers"),
                 "[null, [[\"name\", \"b\", \"kind\", \"file\", \"content-length\", 0], "
                 "[\"name\", \"plan.txt\", \"kind\", \"file\", \"content-length\", 0]]]");
    expect_shape(run("FILE.LIST s papers COUNT 1"),
                 "[\"plan.txt\", [[\"name\", \"b\", \"kind\", \"file\", \"content-length\", 0]]]");
    expect_shape(run("FILE.LIST s '' PREFIX PA"),
                 "[null, [[\"name\", \"Papers\", \"kind\", \"directory\"]]]");
    expect_ok(run("FILE.DELETE s papers/b"));
    expect_ok(run("FILE.DELETE s papers/plan.txt"));
    expect_ok(run("FILE.RMDIR s papers"));
}

TEST(ranges_are_written_and_cleared) {
    expect_etag(run("SHARE.CREATE s"));
    expect_etag(
        run("FILE.CREATE s f 3000 ATTRIBUTES 2 ARCHIVE HIDDEN PROPS 1 content-type text/x META 1 a b"));
    expect_etag(run("FILE.PUTRANGE s f 510 abcd"));
    expect_etag(run("FILE.PUTRANGE s f 2999 z"));
    expect_shape(run("FILE.GET s f RANGE 509 6"), "[<etag>, \"\\x00abcd\\x00\"]");
    expect_shape(run("FILE.GETRANGES s f"), "[\"etag\", <etag>, \"content-length\", 3000, \"ranges\", "
                                            "[[0, 1024], [2560, 440]]]");
    expect_etag(run("FILE.CLEARRANGE s f 512 2488"));
    expect_shape(run("FILE.GETRANGES s f"),
                 "[\"etag\", <etag>, \"content-length\", 3000, \"ranges\", [[0, 512]]]");
    expect_shape(run("FILE.GET s f RANGE 509 6"), "[<etag>, \"\\x00ab\\x00\\x00\\x00\"]");
    expect_etag(run("FILE.SETPROPS s f SIZE 511"));
    expect_etag(run("FILE.SETPROPS s f SIZE 1000 PROPS 0"));
    expect_shape(run("FILE.GET s f RANGE 509 6"), "[<etag>, \"\\x00a\\x00\\x00\\x00\\x00\"]");
    expect_error(run("FILE.PUTRANGE s f 998 abc"), "INVALID InvalidRange");
    expect_error(run("FILE.GET s f RANGE 1000 1"), "INVALID InvalidRange");
    expect_error(run("FILE.PUTRANGE s f 9223372036854775807 a"), "INVALID InvalidRange");
    redisReply *stat = run("FILE.STAT s f");
    expect_shape(field(stat, "attributes"), "[\"hidden\", \"archive\"]");
    expect_text(field(stat, "content-type"), "application/octet-stream");
}

TEST(snapshots_keep_what_was) {
    expect_etag(run("SHARE.CREATE s META 1 a b"));
    expect_etag(run("FILE.MKDIR s d"));
    expect_etag(run("FILE.CREATE s d/f 1024"));
    expect_etag(run("FILE.PUTRANGE s d/f 0 one"));
    const char *first = reply_string(expect_elements(run("SHARE.SNAPSHOT s"), 2)->element[0]);
    expect_etag(run("FILE.PUTRANGE s d/f 600 two"));
    expect_etag(run("FILE.SETMETA s d/f META 1 k v"));
    expect_etag(run("FILE.RENAME s d/f d/g"));
    expect_etag(run("FILE.CREATE s d/f 2"));
    const char *second = reply_string(expect_elements(run("SHARE.SNAPSHOT s META 0"), 2)->element[0]);
    expect_ok(run("FILE.DELETE s d/f"));
    expect_ok(run("FILE.DELETE s d/g"));
    expect_ok(run("FILE.RMDIR s d"));
    expect_shape(run(pool_print("FILE.GET s d/f RANGE 0 3 SNAPSHOT %s", first)), "[<etag>, \"one\"]");
    expect_shape(run(pool_print("FILE.GETMETA s d/f SNAPSHOT %s", first)), "[<etag>, []]");
    expect_shape(run(pool_print("FILE.GETMETA s d/g SNAPSHOT %s", second)), "[<etag>, [\"k\", \"v\"]]");
    expect_error(run(pool_print("FILE.GET s d/g SNAPSHOT %s", first)), "NOTFOUND ResourceNotFound");
    expect_number(field(run(pool_print("FILE.STAT s d/f SNAPSHOT %s", second)), "content-length"), 2);
    redisReply *items = run(pool_print("FILE.LIST s d SNAPSHOT %s", second))->element[1];
    expect_elements(items, 2);
    expect_shape(run(pool_print("FILE.GETRANGES s d/g SNAPSHOT %s SINCE %s", second, first)),
                 "[\"etag\", <etag>, \"content-length\", 1024, \"ranges\", [[0, 1024]], \"cleared\", []]");
    expect_error(run(pool_print("FILE.LIST s '' SNAPSHOT 0x0000000000000001")),
                 "NOTFOUND ShareSnapshotNotFound");
    expect_error(run("SHARE.DELETE s"), "CONFLICT ShareHasSnapshots");
    require_same_everywhere();
    expect_ok(run("SHARE.DELETE s SNAPSHOTS INCLUDE"));
}

TEST(handles_share_or_do_not) {
    expect_etag(run("SHARE.CREATE s"));
    expect_etag(run("FILE.CREATE s f 10"));
    const char *one = connect_as("one"), *two = connect_as("two");
    const char *handle = opened(one, "f ACCESS 1 READ SHARE 1 READ");
    expect_error(run("FILE.PUTRANGE s f 0 x"), "CONFLICT SharingViolation handle 3 of \"one\"");
    expect_etag(run("FILE.GET s f"));
    expect_error(open_file(two, "f ACCESS 1 WRITE SHARE 1 READ"), "CONFLICT SharingViolation");
    const char *reader = opened(two, "F ACCESS 1 READ SHARE 1 READ");
    expect_error(run("FILE.DELETE s f"), "CONFLICT SharingViolation");
    expect_elements(run("FILE.HANDLES s f")->element[1], 2);
    by_handle("WRITE", handle, "0 x", "INVALID AccessDenied");
    by_handle("CLOSE", handle, "", NULL);
    by_handle("READ", handle, "0 1", "NOTFOUND HandleNotFound");
    by_handle("READ", reader, "0 1", NULL);
    expect_number(run("FILE.CLOSEHANDLES s '' * RECURSIVE"), 1);
    expect_error(run("FILE.CLOSEHANDLES s f * RECURSIVE"), "INVALID InvalidQueryParameterValue");
    redisReply *made = open_file(one, "new ACCESS 2 READ WRITE SHARE 1 NONE DISPOSITION OPENIF SIZE 5");
    expect_text(field(made, "action"), "created");
    expect_number(field(made, "content-length"), 5);
    const char *writer = reply_string(field(made, "handle"));
    expect_number(run(pool_print("FILE.WRITE s %s 3 abcd", writer)), 4);
    by_handle("TRUNCATE", writer, "6", NULL);
    expect_bytes(run(pool_print("FILE.READ s %s 3 100", writer)), "abc", 3);
    expect_error(open_file(one, "new ACCESS 1 READ SHARE 1 READ"), "CONFLICT SharingViolation");
    expect_number(run(pool_print("SHARE.PING s %s", one)), 600000);
    require_same_everywhere();
    expect_ok(run(pool_print("SHARE.DISCONNECT s %s", one)));
    expect_error(run(pool_print("SHARE.PING s %s", one)), "NOTFOUND SessionNotFound");
    expect_etag(run("FILE.PUTRANGE s new 0 x"));
}

TEST(a_pending_file_goes_with_its_last_handle) {
    expect_etag(run("SHARE.CREATE s"));
    expect_etag(run("FILE.CREATE s f 10"));
    const char *one = connect_as("one"), *two = connect_as("two");
    const char *all = "f ACCESS 3 READ WRITE DELETE SHARE 3 READ WRITE DELETE";
    const char *first = opened(one, all), *second = opened(two, all);
    by_handle("DISPOSE", first, "ON", NULL);
    static const char *const refused[] = {"FILE.GET s f",
                                          "FILE.STAT s f",
                                          "FILE.CREATE s f 1",
                                          "FILE.PUTRANGE s f 0 x",
                                          "FILE.DELETE s f",
                                          "LEASE.ACQUIRE s -1 FILE f",
                                          NULL};
    expect_each_error(primary, refused, "CONFLICT SMBDeletePending");
    expect_error(open_file(two, "f ACCESS 1 ATTRIBUTES SHARE 1 READ"), "CONFLICT SMBDeletePending");
    expect_shape(run("FILE.LIST s ''"), "[null, []]");
    by_handle("DISPOSE", second, "OFF", NULL);
    expect_etag(run("FILE.GET s f"));
    by_handle("DISPOSE", second, "ON", NULL);
    by_handle("CLOSE", first, "", NULL);
    expect_error(run("FILE.STAT s f"), "CONFLICT SMBDeletePending");
    require_same_everywhere();
    expect_ok(run(pool_print("SHARE.DISCONNECT s %s", two)));
    expect_error(run("FILE.STAT s f"), "NOTFOUND ResourceNotFound");
    expect_etag(run("FILE.CREATE s f 3"));
    opened(one, "f ACCESS 1 DELETE SHARE 3 READ WRITE DELETE DELETEONCLOSE");
    expect_etag(run("FILE.GET s f"));
    expect_number(run("FILE.CLOSEHANDLES s f *"), 1);
    expect_error(run("FILE.GET s f"), "NOTFOUND ResourceNotFound");
}

TEST(ranges_are_locked) {
    expect_etag(run("SHARE.CREATE s"));
    expect_etag(run("FILE.CREATE s f 1000"));
    const char *one = connect_as("one"), *two = connect_as("two");
    const char *all = "f ACCESS 2 READ WRITE SHARE 3 READ WRITE DELETE";
    const char *first = opened(one, all), *second = opened(two, all);
    by_handle("LOCK", first, "EXCLUSIVE 0 10", NULL);
    by_handle("READ", second, "10 10", NULL);
    by_handle("READ", second, "9 1", "CONFLICT FileLockConflict handle 3 of \"one\"");
    by_handle("WRITE", first, "0 abc", NULL);
    by_handle("LOCK", second, "SHARED 9 5", "CONFLICT FileLockConflict");
    expect_etag(run("FILE.GET s f RANGE 10 10"));
    expect_error(run("FILE.GET s f"), "CONFLICT FileLockConflict");
    expect_error(run("FILE.PUTRANGE s f 100 x"), "CONFLICT FileLockConflict");
    expect_error(run("FILE.SETPROPS s f SIZE 1"), "CONFLICT FileLockConflict");
    expect_etag(run("FILE.SETMETA s f META 0"));
    by_handle("LOCK", second, "SHARED 18446744073709551615 1", NULL);
    by_handle("LOCK", second, "SHARED 18446744073709551615 2", "INVALID InvalidLockRange");
    by_handle("LOCK", second, "SHARED 18446744073709551616 0", "INVALID InvalidLockRange");
    by_handle("UNLOCK", second, "0 10", "NOTFOUND RangeNotLocked");
    require_same_everywhere();
    by_handle("UNLOCK", first, "0 10", NULL);
    by_handle("UNLOCK", second, "18446744073709551615 1", NULL);
    expect_etag(run("FILE.PUTRANGE s f 100 x"));
}

TEST(leases_stand_on_files_and_shares) {
    expect_etag(run("SHARE.CREATE s"));
    expect_etag(run("FILE.CREATE s f 10"));
    const char *one = connect_as("one");
    const char *id = reply_string(expect_elements(run("LEASE.ACQUIRE s -1 FILE F OWNER me"), 2)->element[0]);
    static const struct step steps[] = {
        {"LEASE.ACQUIRE s 30 FILE f", "INVALID InvalidHeaderValue"},
        {"LEASE.ACQUIRE s -1 FILE f", "CONFLICT LeaseAlreadyPresent"},
        {"FILE.PUTRANGE s f 0 x", "PRECONDITION LeaseIdMissing"},
        {"FILE.PUTRANGE s f 0 x LEASE 00000000-0000-4000-8000-000000000000",
         "CONFLICT LeaseIdMismatchWithFileOperation"},
        {"LEASE.ACQUIRE s 30 BLOB f", "INVALID InvalidHeaderValue"},
        {"LEASE.ACQUIRE s 30 FILE none", "NOTFOUND ResourceNotFound"},
        {"FILE.GET s f", NULL},
        {NULL, NULL},
    };
    play(steps);
    expect_etag(run(pool_print("FILE.PUTRANGE s f 0 x LEASE %s", id)));
    expect_etag(run(pool_print("FILE.CREATE s f 20 LEASE %s", id)));
    expect_error(open_file(one, "f ACCESS 1 WRITE SHARE 3 READ WRITE DELETE"), "CONFLICT SharingViolation");
    const char *reader = opened(one, "f ACCESS 1 READ SHARE 3 READ WRITE DELETE");
    redisReply *listed = run("LEASE.LIST s")->element[1];
    expect_text(expect_elements(listed, 1)->element[0]->element[0], "f");
    require_same_everywhere();
    expect_number(run("LEASE.BREAK s FILE f"), 0);
    expect_error(run(pool_print("FILE.PUTRANGE s f 0 x LEASE %s", id)),
                 "PRECONDITION LeaseNotPresentWithFileOperation");
    by_handle("CLOSE", reader, "", NULL);
    const char *writer = opened(one, "f ACCESS 1 WRITE SHARE 3 READ WRITE DELETE");
    expect_error(run("LEASE.ACQUIRE s -1 FILE f"), "CONFLICT SharingViolation");
    by_handle("CLOSE", writer, "", NULL);
    id = reply_string(expect_elements(run("LEASE.ACQUIRE s 15"), 2)->element[0]);
    expect_error(run("SHARE.DELETE s"), "PRECONDITION LeaseIdMissing");
    expect_ok(run(pool_print("SHARE.DELETE s LEASE %s", id)));
}
