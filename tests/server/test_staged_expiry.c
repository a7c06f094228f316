/* The life of staged blocks: a week without a commit or more blocks. From then on nobody sees them, and later writes
 * take them out of memory, some at a time, as effects. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "steps.h"
#include "stream.h"

#define WEEK         "604800 s"
#define DAY          "86400 s"
#define SIX_DAYS     "518400 s"
#define STAGED(list) "[\"committed\", [], \"uncommitted\", " list "]"

static void stage_life(void) {
    time_passes(0);
    create("box");
    put("box", "other", "x");
}

BEFORE_EACH {
    stage_life();
}

TEST(staged_blocks_last_a_week_and_no_longer) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA one", "OK", 0},
        {SIX_DAYS, NULL, 0},
        {"BLOB.GETBLOCKLIST box cat ALL", STAGED("[[\"AAAA\", 3]]"), 0},
        {"BLOB.PUTBLOCK box cat AAAB two", "OK", 0},
        {SIX_DAYS, NULL, 0},
        {"BLOB.GETBLOCKLIST box cat ALL", STAGED("[[\"AAAA\", 3], [\"AAAB\", 3]]"), 0},
        {DAY, NULL, 0},
        {"BLOB.GETBLOCKLIST box cat ALL", "NOTFOUND BlobNotFound", 0},
        {"BLOB.LIST box PREFIX cat INCLUDE 1 UNCOMMITTED", "[null, []]", 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "INVALID InvalidBlockList", 0},
        {"BLOB.GET box cat", "NOTFOUND BlobNotFound", 0},
    };
    steps_play(steps);
    await_replicas();
    expect_error(call(replica, "BLOB.GETBLOCKLIST box cat ALL"), "NOTFOUND BlobNotFound");
    expect_shape(call(replica, "BLOB.LIST box PREFIX cat INCLUDE 1 UNCOMMITTED"), "[null, []]");
}

/* A touch of another name does not count, and that one lives on. */
TEST(staged_blocks_of_each_name_expire_by_themselves) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA one", "OK", 0},
        {SIX_DAYS, NULL, 0},
        {"BLOB.PUTBLOCK box dog AAAA one", "OK", 0},
        {"BLOB.GETBLOCKLIST box cat ALL", STAGED("[[\"AAAA\", 3]]"), 0},
        {DAY, NULL, 0},
        {"BLOB.GETBLOCKLIST box cat ALL", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GETBLOCKLIST box dog ALL", STAGED("[[\"AAAA\", 3]]"), 0},
        {"BLOB.PUT box other y", "<etag>", 0},
        {"BLOB.GETBLOCKLIST box dog ALL", STAGED("[[\"AAAA\", 3]]"), 0},
        {"BLOB.PUTBLOCKLIST box dog 1 LATEST AAAA", "<etag>", 0},
        {WEEK, NULL, 0},
        {"BLOB.GET box dog", "[<etag>, \"one\"]", 0},
    };
    steps_play(steps);
}

/* Beside a committed blob only what is staged ends. A new block begins anew, also with ids of another length. */
TEST(a_new_block_begins_the_week_anew) {
    static const struct step steps[] = {
        {"BLOB.PUT box cat meow", "<etag>", 0},
        {"BLOB.PUTBLOCK box cat AAAA old", "OK", 0},
        {WEEK, NULL, 0},
        {"BLOB.GETBLOCKLIST box cat UNCOMMITTED",
         "[\"etag\", <etag>, \"content-length\", 4, \"uncommitted\", []]", 0},
        {"BLOB.PUTBLOCK box cat AA== new", "OK", 0},
        {"BLOB.GETBLOCKLIST box cat UNCOMMITTED",
         "[\"etag\", <etag>, \"content-length\", 4, \"uncommitted\", [[\"AA==\", 3]]]", 0},
        {"BLOB.GET box cat", "[<etag>, \"meow\"]", 0},
        {"BLOB.PUTBLOCK box new AAAA old", "OK", 0},
        {WEEK, NULL, 0},
        {"BLOB.PUTBLOCK box new AAAB new", "OK", 0},
        {"BLOB.GETBLOCKLIST box new ALL", STAGED("[[\"AAAB\", 3]]"), 0},
    };
    steps_play(steps);
}

/* Nobody has to come by. */
static void expect_memory_back(long long max) {
    AWAIT(memory_of(primary, "box") <= max);
}

TEST(expired_blocks_leave_memory_by_themselves) {
    long long before = memory_of(primary, "box");
    stage("box", "cat", "AAAA", 1 << 20, 'x');
    stage("box", "other", "AAAA", 1 << 20, 'y');
    assert_true(memory_of(primary, "box") > 2 << 20);
    time_passes(7 * 86400000LL);
    expect_error(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "NOTFOUND BlobNotFound");
    expect_memory_back(before + 1000);
    await_replicas();
    assert_true(memory_of(replica, "box") < before + 1000);
}

/* For no command, and whatever there was besides: a lease on such a name goes with its blocks. */
TEST(a_name_whose_blocks_expired_is_missing) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA old", "OK", 0},
        {"LEASE.ACQUIRE box -1 BLOB cat ID A", NULL, 0},
        {WEEK, NULL, 0},
        {"LEASE.GET box BLOB cat", "NOTFOUND BlobNotFound", 0},
        {"LEASE.ACQUIRE box -1 BLOB cat", "NOTFOUND BlobNotFound", 0},
        {"LEASE.RENEW box A BLOB cat", "NOTFOUND BlobNotFound", 0},
        {"LEASE.BREAK box BLOB cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.DELETE box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.DELETE box cat LEASE A", "NOTFOUND BlobNotFound", 0},
        {"BLOB.PUT box cat x LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.PUTBLOCK box cat AA== x LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "INVALID InvalidBlockList", 0},
    };
    static const char *const writes[] = {"BLOB.PUT box cat x",          "BLOB.PUTBLOCK box cat AA== x",
                                         "BLOB.PUTBLOCKLIST box cat 0", "BLOB.CREATEPAGE box cat 512",
                                         "BLOB.CREATEAPPEND box cat",   "BLOB.COPY box cat box other"};
    steps_play(steps);
    for (size_t write = 0; write < ARRAY_SIZE(writes); write++) {
        step_play(writes[write], NULL, 0);
        expect_text(field(call(primary, "LEASE.GET box BLOB cat"), "state"), "available");
        expect_error(call(primary, "LEASE.RENEW box %s BLOB cat", ID_A),
                     "CONFLICT LeaseIdMismatchWithLeaseOperation");
        expect_ok(call(primary, "BLOB.DELETE box cat"));
        expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA old"));
        acquire("box", "-1", "BLOB cat ID " ID_A);
        time_passes(7 * 86400000LL);
    }
}

/* Thousands of them go in several turns, none of which takes long. */
TEST(many_expired_blocks_are_removed_in_portions) {
    enum { BLOCKS = 3500 };
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int block = 0; block < BLOCKS; block++) {
        send_call(primary, "BLOB.PUTBLOCK box cat %s x",
                  pool_print("AA%c%c", letters[block >> 6], letters[block & 63]));
    }
    for (int block = 0; block < BLOCKS; block++) expect_ok(receive(primary));
    struct stream *stream = stream_attach(primary->server);
    time_passes(7 * 86400000LL);
    expect_error(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "NOTFOUND BlobNotFound");
    expect_memory_back(10000);
    redisReply *effects = stream_commands(stream, primary);
    assert_true(effects->elements >= 4);
}

/* What is loaded from a file goes on ageing, and ends there as well. */
TEST(staged_blocks_expire_in_files_too) {
    stage("box", "cat", "AAAA", 10, 'x');
    time_passes(6 * 86400000LL);
    expect_ok(call(primary, "DEBUG RELOAD"));
    expect_shape(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), STAGED("[[\"AAAA\", 10]]"));
    redisReply *dump = call(primary, "DUMP box");
    time_passes(86400000LL);
    expect_error(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "NOTFOUND BlobNotFound");
    expect_ok(call(primary, "RESTORE again 0 %b", dump->str, dump->len));
    expect_error(call(primary, "BLOB.GETBLOCKLIST again cat ALL"), "NOTFOUND BlobNotFound");
    put("again", "other", "x");
    put("box", "other", "x");
    assert_string_equal(content_of("again", "other", ""), "x");
}
