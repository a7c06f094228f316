/* Copies from another server of which half has come: what others see meanwhile, aborting, and what becomes of a copy
 * whose key, database or server changes. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "probes.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "sources.h"
#include "steps.h"
#include "text.h"
#include "wire.h"

#define PENDING "CONFLICT PendingCopyOperation"

/* Half of an append blob, and silence. */
#define HALF "[blob-type append etag E content-length :2097152 block-count :2 meta [k v]]"
static const struct told half[] = {
    {"BLOB.STAT", HALF, 0}, {"BLOB.GET src blob RANGE 0 ", "[E 1048576*a]", 0}, {NULL, NULL, 0}};

/* --- While it goes on --- */

static void await_progress_at(struct client *client, const char *blob, const char *progress) {
    const char *seen = NULL;
    AWAIT_OR(!strcmp(seen = field(call(client, "BLOB.STAT box %s", blob), "copy-progress")->str, progress),
             "%s has progressed to %s, not %s", blob, seen, progress);
}

static void await_progress(const char *blob, const char *progress) {
    await_progress_at(primary, blob, progress);
}

/* A copy of which half has come. Answers its id. */
static const char *half_a_copy(void) {
    configure(primary, "holdfast.copy-from", "127.0.0.1:*");
    configure(primary, "holdfast.copy-timeout-seconds", "3600");
    const char *id = copy_from("box", "log", source_port(source_start(half)), "");
    await_progress("log", "1048576/2097152");
    return id;
}

TEST(an_unfinished_copy_cannot_be_read_or_changed) {
    static const struct step steps[] = {
        {"BLOB.GET box log", PENDING, 0},
        {"BLOB.GET box log RANGE 0 1", PENDING, 0},
        {"BLOB.GET box log IFNONEMATCH 0x0000000000000001", PENDING, 0},
        {"BLOB.GET box log BLOCK 0.05", "null", 0},
        {"BLOB.GET box log SNAPSHOT $s", "[<etag>, \"old\"]", 0},
        {"BLOB.GETMETA box log", "[<etag>, [\"k\", \"v\"]]", 0},
        {"BLOB.APPEND box log x", PENDING, 0},
        {"BLOB.SNAPSHOT box log", PENDING, 0},
        {"BLOB.COPY box other box log", PENDING, 0},
        {"LEASE.ACQUIRE box 60 BLOB log", PENDING, 0},
        {"BLOB.ABORTCOPY box log 0x0000000000000001", "CONFLICT CopyIdMismatch", 0},
        {"BLOB.ABORTCOPY box log $c", "OK", 0},
        {"BLOB.GET box log", "[<etag>, \"\"]", 0},
        {"BLOB.GETMETA box log", "[<etag>, [\"k\", \"v\"]]", 0},
        {"BLOB.APPEND box log x", "[<etag>, 0, 1]", 0},
    };
    time_passes(0);
    create("box");
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    expect_elements(call(primary, "BLOB.APPEND box log old"), 3);
    step_keep('s', snapshot("box", "log"));
    step_keep('c', half_a_copy());
    await_replicas();
    expect_error(call(chained, "BLOB.GET box log"), PENDING);
    require_same(primary, chained, "while half of a copy has come");
    steps_play(steps);
    await_copies_pending(0);
}

TEST(a_new_blob_has_no_kind_until_the_source_has_answered) {
    time_passes(0);
    create("box");
    const char *id = pending_copy("new");
    assert_null(reply_field_if_any(stat_of("box", "new"), "blob-type"));
    static const struct step steps[] = {
        {"BLOB.GET box new", PENDING, 0},          {"BLOB.GETPAGES box new", PENDING, 0},
        {"BLOB.APPEND box new x", PENDING, 0},     {"BLOB.CREATEPAGE box new 512", PENDING, 0},
        {"BLOB.GETBLOCKLIST box new", PENDING, 0}, {"BLOB.PUT box new x", PENDING, 0},
    };
    steps_play(steps);
    expect_ok(call(primary, "BLOB.ABORTCOPY box new %s", id));
    assert_null(reply_field_if_any(stat_of("box", "new"), "blob-type"));
    step_play("BLOB.APPEND box new x", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.CREATEPAGE box new 512", "<etag>", 0);
    expect_text(field(stat_of("box", "new"), "blob-type"), "page");
}

TEST(waiters_get_the_content_when_the_copy_is_complete) {
    static const struct told late[] = {{"BLOB.STAT", HALF, 0},
                                       {"BLOB.GET src blob RANGE 0 ", "[E 1048576*a]", 0},
                                       {"BLOB.GET src blob RANGE 1048576 ", NULL, 1},
                                       {"BLOB.GET src blob RANGE 1048576 ", "[E 1048576*b]", 0},
                                       {NULL, NULL, 0}};
    time_passes(0);
    create("box");
    configure(primary, "holdfast.copy-from", "*");
    configure(primary, "holdfast.copy-timeout-seconds", "0.3");
    struct wire *waiter = wire_open(primary->server);
    copy_from("box", "log", source_port(source_start(late)), "");
    await_progress("log", "1048576/2097152");
    struct words of_the_end = words_of_line("BLOB.GET box log RANGE 1048574 4 BLOCK 20");
    wire_send(waiter, &of_the_end);
    expect_shape(wire_receive(waiter), "[<etag>, \"aabb\"]");
    expect_text(field(stat_of("box", "log"), "copy-status"), "success");
    const char *id = half_a_copy();
    struct words of_all = words_of_line("BLOB.GET box log BLOCK 20");
    wire_send(waiter, &of_all);
    AWAIT(info_of(primary, "holdfast_blob_waiters"));
    expect_ok(call(primary, "BLOB.ABORTCOPY box log %s", id));
    expect_shape(wire_receive(waiter), "[<etag>, \"\"]");
}

/* --- Keys, databases and servers change --- */

static const char *description_of(struct client *client, const char *key) {
    const redisReply *stat = NULL;
    AWAIT_OR(reply_field_if_any(stat = call(client, "BLOB.STAT %s log", key), "copy-description"),
             "it stays pending: %s", reply_text(stat));
    expect_text(field(stat, "copy-status"), "failed");
    expect_number(field(stat, "content-length"), 0);
    return field(stat, "copy-description")->str;
}

TEST(a_copy_does_not_follow_its_key) {
    needs(KEEPS_DATABASE);
    static const char *const upheavals[] = {"RENAME box away", "DEL box",    "FLUSHALL",
                                            "SWAPDB 0 1",      "MOVE box 1", "CONTAINER.DELETE box",
                                            "SET box x"};
    for (size_t i = 0; i < ARRAY_SIZE(upheavals); i++) {
        call(primary, "FLUSHALL");
        create("box");
        half_a_copy();
        call_line(primary, upheavals[i]);
        await_copies_pending(0);
        if (!strncmp(upheavals[i], "RENAME", 6))
            assert_true(text_begins(description_of(primary, "away"), "interrupted"));
        if (strstr(upheavals[i], " 1") == NULL) continue;
        expect_ok(call(primary, "SELECT 1"));
        assert_true(text_begins(description_of(primary, "box"), "interrupted"));
        expect_ok(call(primary, "SELECT 0"));
    }
    call(primary, "FLUSHALL");
}

TEST(twins_of_what_is_pending_have_failed) {
    time_passes(0);
    create("box");
    const char *id = half_a_copy();
    redisReply *dump = call(primary, "DUMP box");
    expect_number(call(primary, "COPY box twin"), 1);
    expect_ok(call(primary, "RESTORE again 0 %b", dump->str, dump->len));
    assert_true(text_begins(description_of(primary, "twin"), "interrupted"));
    assert_true(text_begins(description_of(primary, "again"), "interrupted"));
    expect_text(field(stat_of("box", "log"), "copy-status"), "pending");
    expect_text(field(stat_of("box", "log"), "copy-progress"), "1048576/2097152");
    expect_ok(call(primary, "BLOB.ABORTCOPY box log %s", id));
}

/* More copies that go on than one upkeep looks at come before it by name. */
TEST(a_copy_without_copier_fails_behind_many_others) {
    enum { OTHERS = 5100 };
    static const struct told silence[] = {{"", NULL, 0}, {NULL, NULL, 0}};
    time_passes(0);
    create("box");
    const char *id = half_a_copy();
    redisReply *dump = call(primary, "DUMP box");
    expect_ok(call(primary, "BLOB.ABORTCOPY box log %s", id));
    await_copies_pending(0);
    int port = source_port(source_start(silence));
    expect_ok(call(primary, "MULTI"));
    call(primary, "RESTORE box 0 %b REPLACE", dump->str, dump->len);
    for (int i = 0; i < OTHERS; i++) call(primary, "BLOB.COPY box a%04d src blob FROM 127.0.0.1 %d", i, port);
    expect_elements(call(primary, "EXEC"), 1 + OTHERS);
    assert_true(text_begins(description_of(primary, "box"), "interrupted"));
    await_copies_pending(OTHERS);
    call(primary, "FLUSHALL");
    await_copies_pending(0);
}

/* Asks again each second for what the source holds back. */
static void copy_impatiently(const char *blob, const struct told *slow) {
    time_passes(0);
    create("box");
    configure(primary, "holdfast.copy-from", "*");
    configure(primary, "holdfast.copy-timeout-seconds", "1");
    copy_from("box", blob, source_port(source_start(slow)), "");
}

/* An older state of the container comes under the key, with the same copy and less of its content. */
TEST(an_older_state_ends_the_copy) {
    static const struct told slow[] = {{"BLOB.STAT", NULL, 1},
                                       {"BLOB.STAT", HALF, 0},
                                       {"BLOB.GET src blob RANGE 0 ", "[E 1048576*a]", 0},
                                       {"BLOB.GET src blob RANGE 1048576 ", NULL, 1},
                                       {"BLOB.GET src blob RANGE 1048576 ", "[E 1048576*b]", 0},
                                       {NULL, NULL, 0}};
    copy_impatiently("log", slow);
    redisReply *early = call(primary, "DUMP box");
    await_progress("log", "1048576/2097152");
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", early->str, early->len));
    assert_true(text_begins(description_of(primary, "box"), "another state of the container"));
}

/* Pages may be left out, so what comes next does not tell that others are missing. */
#define PAGES "[blob-type page etag E content-length :3145728 sequence-number :0 meta []]"

TEST(an_older_state_ends_a_copy_of_pages) {
    static const struct told slow[] = {{"BLOB.STAT", PAGES, 0},
                                       {"BLOB.GETPAGES", "[etag E pages [[:0 :3145728]]]", 0},
                                       {"BLOB.GET src blob RANGE 0 ", "[E 1048576*a]", 0},
                                       {"BLOB.GET src blob RANGE 1048576 ", NULL, 1},
                                       {"BLOB.GET src blob RANGE 1048576 ", "[E 1048576*b]", 0},
                                       {"BLOB.GET src blob RANGE 2097152 ", NULL, 2},
                                       {"BLOB.GET src blob RANGE 2097152 ", "[E 1048576*c]", 0},
                                       {NULL, NULL, 0}};
    copy_impatiently("disk", slow);
    await_progress("disk", "1048576/3145728");
    redisReply *early = call(primary, "DUMP box");
    await_progress("disk", "2097152/3145728");
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", early->str, early->len));
    redisReply *stat = await_copy("disk");
    assert_true(text_begins(reply_string(field(stat, "copy-description")), "another state of the container"));
}

TEST(a_reload_interrupts_unfinished_copies) {
    time_passes(0);
    create("box");
    half_a_copy();
    expect_ok(call(primary, "DEBUG RELOAD"));
    assert_true(text_begins(description_of(primary, "box"), "interrupted"));
    struct server *server = server_start("single", settings_with_file);
    struct client *single = client_open(server);
    int port = source_port(source_start(half));
    expect_etag(call(single, "CONTAINER.CREATE box"));
    expect_ok(call(single, "CONFIG SET holdfast.copy-from *"));
    expect_elements(call(single, "BLOB.COPY box log src blob FROM 127.0.0.1 %d", port), 3);
    await_progress_at(single, "log", "1048576/2097152");
    client_close(single);
    assert_true(text_begins(description_of(restarted(server, server_kill), "box"), "interrupted"));
}

/* A failover in the middle: the new primary has what came so far, and it is no blob. */
TEST(a_promoted_server_interrupts_unfinished_copies) {
    time_passes(0);
    create("box");
    half_a_copy();
    await_replicas();
    expect_ok(call(replica, "REPLICAOF NO ONE"));
    assert_true(text_begins(description_of(replica, "box"), "interrupted"));
    follow(primary, replica);
    await_copies_pending(0);
    expect_text(field(call(primary, "BLOB.STAT box log"), "copy-status"), "failed");
    expect_ok(call(primary, "REPLICAOF NO ONE"));
    follow(replica, primary);
    await_in_step(chained, replica);
}

/* Files that are written and replicas that come while half of it is there. */
TEST(half_a_copy_is_the_same_everywhere) {
    time_passes(0);
    create("box");
    half_a_copy();
    await_replicas();
    require_same(primary, chained, "with half a copy");
    rewrite_append_only_file(chained, false);
    const char *digest = digest_of(primary);
    expect_ok(call(chained, "DEBUG LOADAOF"));
    assert_string_equal(digest_of(chained), digest);
    rewrite_append_only_file(chained, true);
    expect_ok(call(chained, "DEBUG LOADAOF"));
    assert_string_equal(digest_of(chained), digest);
    expect_ok(call(replica, "REPLICAOF NO ONE"));
    expect_ok(call(replica, "FLUSHALL"));
    follow(replica, primary);
    require_same(primary, replica, "after a synchronisation with half a copy");
    await_in_step(chained, replica);
}
