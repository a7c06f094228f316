/* Append blobs: creation, appending, the two conditions of their own, reading. Limits have a file of their own. */
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "steps.h"
#include "stream.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"

BEFORE_EACH {
    create("box");
}

TEST(an_append_blob_begins_empty) {
    static const struct step steps[] = {
        {"BLOB.CREATEAPPEND box log PROPS 1 content-type text/plain META 1 a b", "<etag>", 0},
        {"BLOB.STAT box log",
         "[\"blob-type\", \"append\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
         "\"content-length\", 0, \"content-type\", \"text/plain\", \"block-count\", 0, \"snapshots\", 0, "
         "\"lease-state\", \"available\", \"lease-status\", \"unlocked\", \"meta\", [\"a\", \"b\"]]",
         0},
        {"BLOB.GET box log", "[<etag>, \"\"]", 0},
    };
    steps_play(steps);
}

TEST(appending_answers_where_and_how_often) {
    static const struct step steps[] = {
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.APPEND box log one", "[<etag>, 0, 1]", 'a'},
        {"BLOB.APPEND box log two!", "[<etag>, 3, 2]", 0},
        {"BLOB.APPEND box log IFPOSITION", "[<etag>, 7, 3]", 0},
        {"BLOB.GET box log", "[<etag>, \"onetwo!IFPOSITION\"]", 0},
        {"BLOB.GET box log RANGE 2 5", "[<etag>, \"etwo!\"]", 0},
        {"BLOB.GET box log IFMATCH $a", "PRECONDITION ConditionNotMet", 0},
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.GET box log", "[<etag>, \"\"]", 0},
        {"BLOB.APPEND box log again", "[<etag>, 0, 1]", 0},
    };
    steps_play(steps);
    expect_number(field(stat_of("box", "log"), "block-count"), 1);
}

/* The blob has 5 bytes, and each row that passes makes it 5 bytes again. */
TEST(positions_and_sizes_are_conditions) {
    static const char position[] = "PRECONDITION AppendPositionConditionNotMet",
                      size[] = "PRECONDITION MaxBlobSizeConditionNotMet",
                      value[] = "INVALID InvalidHeaderValue", passes[] = "[<etag>, 5, 2]";
    static const struct {
        const char *clauses, *answer;
    } rows[] = {
        {"IFPOSITION 5", passes},
        {"IFPOSITION 4", position},
        {"IFPOSITION 6", position},
        {"IFPOSITION 0", position},
        {"IFPOSITION 9223372036854775807", position},
        {"IFPOSITION -1", value},
        {"IFPOSITION 9223372036854775808", value},
        {"IFPOSITION x", value},
        {"IFMAXSIZE 8", passes},
        {"IFMAXSIZE 9", passes},
        {"IFMAXSIZE 9223372036854775807", passes},
        {"IFMAXSIZE 7", size},
        {"IFMAXSIZE 4", size},
        {"IFMAXSIZE 0", size},
        {"IFMAXSIZE -1", value},
        {"IFMAXSIZE 1.5", value},
        {"IFPOSITION 5 IFMAXSIZE 8", passes},
        {"IFPOSITION 4 IFMAXSIZE 7", position},
        {"IFMAXSIZE 7 IFPOSITION 4", position},
        {"IFMAXSIZE 7 IFPOSITION 5", size},
        {"IFMATCH * IFPOSITION 5 IFMAXSIZE 8", passes},
        {"IFMATCH 0x0000000000000001 IFPOSITION 4", "PRECONDITION ConditionNotMet"},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
        expect_etag(call(primary, "BLOB.APPEND box log 12345"));
        step_play(pool_print("BLOB.APPEND box log abc %s", rows[row].clauses), rows[row].answer, 0);
        assert_string_equal(content_of("box", "log", ""), rows[row].answer == passes ? "12345abc" : "12345");
    }
}

/* Pieces below and above what is kept as it came, in all orders. */
TEST(pieces_of_all_sizes_stand_in_their_order) {
    static const int lengths[] = {1, 100, 5000, 65535, 65536, 65537, 3, 200000, 1, 1, 40000, 70000, 2};
    struct text all = {0};
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        char *piece = pool_take((size_t)lengths[i]);
        for (int at = 0; at < lengths[i]; at++) piece[at] = (char)(at * 7 + (int)i * 31);
        redisReply *reply = call(primary, "BLOB.APPEND box log %b", piece, (size_t)lengths[i]);
        expect_number(expect_elements(reply, 3)->element[1], (long long)all.length);
        expect_number(reply->element[2], (long long)i + 1);
        text_add(&all, piece, (size_t)lengths[i]);
        expect_bytes(call(primary, "BLOB.GET box log")->element[1], all.bytes, all.length);
        if (i % 4 == 3) expect_ok(call(primary, "DEBUG RELOAD"));
    }
    for (size_t offset = 0; offset + 100 < all.length; offset += 9973)
        expect_bytes(call(primary, "BLOB.GET box log RANGE %d 100", (int)offset)->element[1],
                     all.bytes + offset, 100);
}

/* An appended piece never shows in what was taken before. */
TEST(snapshots_and_copies_do_not_grow) {
    static const struct step steps[] = {
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.APPEND box log one", "[<etag>, 0, 1]", 0},
        {"BLOB.SNAPSHOT box log", NULL, 'a'},
        {"BLOB.COPY box copy box log", NULL, 0},
        {"BLOB.APPEND box log two", "[<etag>, 3, 2]", 0},
        {"BLOB.SNAPSHOT box log", NULL, 'b'},
        {"BLOB.APPEND box copy TWO!", "[<etag>, 3, 2]", 0},
        {"BLOB.APPEND box log three", "[<etag>, 6, 3]", 0},
        {"BLOB.GET box log SNAPSHOT $a", "[<etag>, \"one\"]", 0},
        {"BLOB.GET box log SNAPSHOT $b", "[<etag>, \"onetwo\"]", 0},
        {"BLOB.GET box log", "[<etag>, \"onetwothree\"]", 0},
        {"BLOB.GET box copy", "[<etag>, \"oneTWO!\"]", 0},
        {"BLOB.COPY box log box log SNAPSHOT $a", NULL, 0},
        {"BLOB.APPEND box log new", "[<etag>, 3, 2]", 0},
        {"BLOB.GET box log", "[<etag>, \"onenew\"]", 0},
        {"BLOB.GET box log SNAPSHOT $a", "[<etag>, \"one\"]", 0},
        {"BLOB.GET box log SNAPSHOT $b", "[<etag>, \"onetwo\"]", 0},
    };
    steps_play(steps);
}

TEST(empty_and_oversized_appends_are_refused) {
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    step_play("BLOB.APPEND box log ''", "INVALID InvalidHeaderValue", 0);
    configure(primary, "holdfast.max-append-bytes", "4");
    step_play("BLOB.APPEND box log 5*x", "INVALID RequestBodyTooLarge", 0);
    step_play("BLOB.APPEND box log 4*x", "[<etag>, 0, 1]", 0);
    step_play("BLOB.APPEND box none x", "NOTFOUND BlobNotFound", 0);
}

/* As for pages, see test_page_blobs.c. */
TEST(appending_is_for_append_blobs) {
    put("box", "cat", "meow");
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    step_play("BLOB.APPEND box cat x", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.CREATEAPPEND box cat", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.PUT box log x", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.PUTBLOCK box log AAAA x", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.PUTBLOCKLIST box log 0", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.GETBLOCKLIST box log", "CONFLICT InvalidBlobType", 0);
}

/* Only what is new travels, however much there is already. */
TEST(an_append_travels_alone) {
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    step_play("BLOB.APPEND box log 300000*x", "[<etag>, 0, 1]", 0);
    struct stream *stream = stream_attach(primary->server);
    step_play("BLOB.APPEND box log more", "[<etag>, 300000, 2]", 0);
    redisReply *effects = expect_elements(stream_commands(stream, primary), 1);
    const redisReply *record = expect_elements(effects->element[0], 3)->element[2];
    assert_true(record->len < 100);
    assert_memory_equal(record->str + record->len - 4, "more", 4);
}

/* Amortised: what is held is never much more than what is there. */
TEST(many_small_appends_take_little_more_than_their_bytes) {
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    char piece[101];
    memset(piece, 'x', sizeof(piece));
    for (int i = 0; i < 20000; i++) send_call(primary, "BLOB.APPEND box log %b", piece, (size_t)100);
    for (int i = 0; i < 20000; i++) expect_elements(receive(primary), 3);
    long long held = memory_of(primary, "box");
    require(held < 2000000 * 2 + 10000, "2000000 bytes take %lld", held);
}

TEST(appends_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"BLOB.CREATEAPPEND box log", "blob.createappend box"},
        {"BLOB.APPEND box log x", "blob.append box"},
    };
    expect_notifications(rows);
}

TEST(waiting_readers_follow_a_log) {
    struct client *reader = waiting("BLOB.GET box log BLOCK 0");
    const char *etag = expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    expect_shape(answer_of(reader), "[<etag>, \"\"]");
    reader = waiting(pool_print("BLOB.GET box log IFNONEMATCH %s BLOCK 0", etag));
    expect_error(call(primary, "BLOB.APPEND box log x IFPOSITION 7"), "PRECONDITION");
    expect_still_waiting(reader);
    step_play("BLOB.APPEND box log line", "[<etag>, 0, 1]", 0);
    expect_shape(answer_of(reader), "[<etag>, \"line\"]");
}

/* --- Sealing --- */

TEST(a_sealed_blob_refuses_appends) {
    static const struct step steps[] = {
        {"BLOB.CREATEAPPEND box log", "<etag>", 'c'},
        {"BLOB.APPEND box log one", "[<etag>, 0, 1]", 'a'},
        {"BLOB.SEAL box log IFMATCH $c", "PRECONDITION ConditionNotMet", 0},
        {"BLOB.SEAL box log IFMATCH $a", "<etag>", 's'},
        {"BLOB.APPEND box log two", "CONFLICT BlobIsSealed", 0},
        {"BLOB.APPEND box log two IFPOSITION 0", "CONFLICT BlobIsSealed", 0},
        {"BLOB.APPEND box log two IFMATCH $a", "PRECONDITION ConditionNotMet", 0},
        {"BLOB.GET box log IFMATCH $s", "[<etag>, \"one\"]", 0},
        {"BLOB.STAT box log",
         "[\"blob-type\", \"append\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
         "\"content-length\", 3, \"content-type\", \"application/octet-stream\", \"block-count\", 1, "
         "\"sealed\", 1, "
         "\"snapshots\", 0, \"lease-state\", \"available\", \"lease-status\", \"unlocked\", \"meta\", []]",
         0},
        {"BLOB.SEAL box log", "<etag>", 't'},
        {"BLOB.GET box log IFMATCH $s", "[<etag>, \"one\"]", 0},
        {"BLOB.SETMETA box log META 1 a b", "<etag>", 0},
        {"BLOB.APPEND box log two", "CONFLICT BlobIsSealed", 0},
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.APPEND box log two", "[<etag>, 0, 1]", 0},
    };
    steps_play(steps);
    assert_string_equal(step_kept('s'), step_kept('t'));
    assert_true(strcmp(step_kept('s'), step_kept('a')) > 0);
}

TEST(snapshots_and_copies_keep_the_seal) {
    static const struct step steps[] = {
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.APPEND box log one", "[<etag>, 0, 1]", 0},
        {"BLOB.SNAPSHOT box log", NULL, 'o'},
        {"BLOB.SEAL box log", "<etag>", 0},
        {"BLOB.SNAPSHOT box log", NULL, 's'},
        {"BLOB.COPY box twin box log", NULL, 0},
        {"BLOB.APPEND box twin x", "CONFLICT BlobIsSealed", 0},
        {"CONTAINER.CREATE other", "<etag>", 0},
        {"BLOB.COPY other log box log", NULL, 0},
        {"BLOB.APPEND other log x", "CONFLICT BlobIsSealed", 0},
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.COPY box log box log SNAPSHOT $s", NULL, 0},
        {"BLOB.APPEND box log x", "CONFLICT BlobIsSealed", 0},
        {"BLOB.COPY box log box log SNAPSHOT $o", NULL, 0},
        {"BLOB.APPEND box log x", "[<etag>, 3, 2]", 0},
    };
    steps_play(steps);
    expect_number(field(call(primary, "BLOB.STAT box log SNAPSHOT %s", step_kept('s')), "sealed"), 1);
    expect_number(
        field(expect_elements(call(primary, "BLOB.LIST box PREFIX twin"), 2)->element[1]->element[0],
              "sealed"),
        1);
}

TEST(only_append_blobs_are_sealed) {
    put("box", "cat", "meow");
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    expect_elements(call(primary, "LEASE.ACQUIRE box -1 BLOB log ID " ID_A), 2);
    step_play("BLOB.SEAL box cat", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.SEAL box disk", "CONFLICT InvalidBlobType", 0);
    step_play("BLOB.SEAL box none", "NOTFOUND BlobNotFound", 0);
    step_play("BLOB.SEAL none log", "NOTFOUND ContainerNotFound", 0);
    step_play("BLOB.SEAL box log", "PRECONDITION LeaseIdMissing", 0);
    step_play("BLOB.SEAL box log LEASE A", "<etag>", 0);
}

TEST(a_seal_is_notified_and_aborts_watchers) {
    static const struct noticed rows[] = {
        {"BLOB.SEAL box log", "blob.seal box"},
    };
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    expect_notifications(rows);
}
