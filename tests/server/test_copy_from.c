/* BLOB.COPY … FROM between real servers: all kinds of blobs, who has to be allowed what, and many at once. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "single_server.h"
#include "sources.h"
#include "steps.h"
#include "text.h"
#include "traces.h"

#define PENDING "CONFLICT PendingCopyOperation"

static struct client *source;

BEFORE_EACH {
    time_passes(0);
    source = test_client(server_start("source", ""));
    expect_etag(call(source, "CONTAINER.CREATE src"));
    create("box");
    configure(primary, "holdfast.copy-from", "127.0.0.1:*");
}

static redisReply *begin_copy(const char *blob, const char *words) {
    return call_line(primary, pool_print("BLOB.COPY box %s src %s FROM 127.0.0.1 %d %s", blob, blob,
                                         source->server->port, words));
}

static redisReply *copy_well(const char *blob, const char *words) {
    expect_text(expect_elements(begin_copy(blob, words), 3)->element[2], "pending");
    redisReply *stat = await_copy(blob);
    require(!strcmp(reply_string(field(stat, "copy-status")), "success"), "%s", reply_text(stat));
    return stat;
}

static const char *copy_badly(const char *blob, const char *words) {
    expect_elements(begin_copy(blob, words), 3);
    redisReply *stat = await_copy(blob);
    require(!strcmp(reply_string(field(stat, "copy-status")), "failed"), "%s", reply_text(stat));
    return reply_string(field(stat, "copy-description"));
}

/* Content that tells its place. */
static redisReply *put_long(const char *line, size_t length) {
    char *bytes = pool_take(length);
    for (size_t i = 0; i < length; i++) bytes[i] = (char)(i * 2654435761U >> 24);
    struct words words = words_of_line(line);
    words_add_bytes(&words, bytes, length);
    return call_words(source, &words);
}

static void require_same_content(const char *blob, long long length) {
    for (long long at = 0; at < length; at += 8 << 20) {
        redisReply *there = call(source, "BLOB.GET src %s RANGE %lld %d", blob, at, 8 << 20);
        redisReply *here = call(primary, "BLOB.GET box %s RANGE %lld %d", blob, at, 8 << 20);
        require(reply_same(there->element[1], here->element[1]), "%s differs behind %lld", blob, at);
    }
}

/* --- All kinds --- */

TEST(block_blobs_arrive_whole) {
    static const size_t sizes[] = {0, 1, 4096, 4097, 1 << 20, (1 << 20) + 1, 5000000};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        expect_etag(put_long("BLOB.PUT src whole", sizes[i]));
        redisReply *stat = copy_well("whole", "");
        expect_number(field(stat, "content-length"), (long long)sizes[i]);
        expect_text(field(stat, "copy-progress"), pool_print("%zu/%zu", sizes[i], sizes[i]));
        require_same_content("whole", (long long)sizes[i]);
    }
}

TEST(properties_and_metadata_come_along) {
    expect_etag(call(source, "BLOB.PUT src cat meow META 1 a b PROPS 2 content-language en cache-control x"));
    redisReply *stat = copy_well("cat", "");
    expect_text(field(stat, "content-language"), "en");
    expect_text(field(stat, "cache-control"), "x");
    expect_text(field(stat, "content-type"), "application/octet-stream");
    step_play("BLOB.GETMETA box cat", "[<etag>, [\"a\", \"b\"]]", 0);
    copy_well("cat", "META 1 c d");
    step_play("BLOB.GETMETA box cat", "[<etag>, [\"c\", \"d\"]]", 0);
    copy_well("cat", "META 0");
    step_play("BLOB.GETMETA box cat", "[<etag>, []]", 0);
}

/* Blocks smaller and larger than a piece, the same one twice, and many tiny ones. */
TEST(lists_of_blocks_come_along) {
    expect_ok(put_long("BLOB.PUTBLOCK src parts AAAA", 3000000));
    expect_ok(put_long("BLOB.PUTBLOCK src parts AAAB", 7));
    expect_ok(put_long("BLOB.PUTBLOCK src parts AAAC", 1 << 20));
    expect_etag(
        call(source, "BLOB.PUTBLOCKLIST src parts 4 LATEST AAAB LATEST AAAA LATEST AAAC LATEST AAAB"));
    expect_ok(call(source, "BLOB.PUTBLOCK src parts AAAD not-copied"));
    copy_well("parts", "");
    require_same_content("parts", 3000000 + 14 + (1 << 20));
    expect_shape(
        call(primary, "BLOB.GETBLOCKLIST box parts ALL"),
        "[\"etag\", <etag>, \"content-length\", 4048590, \"committed\", [[\"AAAB\", 7], [\"AAAA\", 3000000], "
        "[\"AAAC\", 1048576], [\"AAAB\", 7]], \"uncommitted\", []]");
    struct words list = words_of_line("BLOB.PUTBLOCKLIST src many 2000");
    for (int i = 0; i < 2000; i++) {
        const char *id = pool_print("%04d", i);
        expect_ok(call(source, "BLOB.PUTBLOCK src many %s %d", id, i));
        words_add(&list, "LATEST");
        words_add(&list, id);
    }
    expect_etag(call_words(source, &list));
    copy_well("many", "");
    require_same_content("many", 6890);
    assert_true(reply_same(field(call(source, "BLOB.GETBLOCKLIST src many"), "committed"),
                           field(call(primary, "BLOB.GETBLOCKLIST box many"), "committed")));
    step_play("BLOB.PUTBLOCKLIST box many 1 COMMITTED 0007", "<etag>", 0);
    step_play("BLOB.GET box many", "[<etag>, \"7\"]", 0);
}

static redisReply *put_page(long long offset, char letter) {
    char page[512];
    memset(page, letter, sizeof(page));
    return call(source, "BLOB.PUTPAGE src disk %lld %b", offset, page, sizeof(page));
}

/* Of pages only those that were written travel. */
TEST(pages_come_along) {
    expect_etag(call(source, "BLOB.CREATEPAGE src disk 8796093022208 SEQUENCE 7"));
    for (int i = 0; i < 300; i++) expect_elements(put_page(i * 1024LL, (char)('a' + i % 26)), 2);
    expect_elements(put_long("BLOB.PUTPAGE src disk 4398046511104", 3 << 20), 2);
    expect_elements(put_page(8796093021696, 'z'), 2);
    long long before = info_of(primary, "holdfast_copies_bytes");
    redisReply *stat = copy_well("disk", "");
    expect_number(field(stat, "sequence-number"), 7);
    expect_number(field(stat, "content-length"), 8796093022208);
    assert_int_equal(info_of(primary, "holdfast_copies_bytes") - before, 301 * 512 + (3 << 20));
    assert_true(reply_same(field(call(source, "BLOB.GETPAGES src disk"), "pages"),
                           field(call(primary, "BLOB.GETPAGES box disk"), "pages")));
    static const long long places[] = {
        0, 1024, 306176, 4398046511104, 4398046511104 + (2 << 20), 8796093021696};
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        assert_true(reply_same(call(source, "BLOB.GET src disk RANGE %lld 512", places[i])->element[1],
                               call(primary, "BLOB.GET box disk RANGE %lld 512", places[i])->element[1]));
    expect_etag(call(source, "BLOB.CREATEPAGE src empty 0"));
    copy_well("empty", "");
}

TEST(append_blobs_come_along) {
    expect_etag(call(source, "BLOB.CREATEAPPEND src log"));
    expect_elements(call(source, "BLOB.APPEND src log one"), 3);
    expect_elements(put_long("BLOB.APPEND src log", 2500000), 3);
    redisReply *stat = copy_well("log", "");
    expect_number(field(stat, "block-count"), 2);
    require_same_content("log", 2500003);
    step_play("BLOB.APPEND box log more IFPOSITION 2500003", "[<etag>, 2500003, 3]", 0);
    expect_etag(call(source, "BLOB.SEAL src log"));
    copy_well("log", "");
    step_play("BLOB.APPEND box log more", "CONFLICT BlobIsSealed", 0);
}

/* It answers no more than this at once, and half of that where a content is in pieces. */
TEST(a_source_of_small_replies_is_copied) {
    static const char *const bounds[] = {"2097151", "65536", "1024"};
    expect_etag(put_long("BLOB.PUT src whole", 300000));
    for (int i = 0; i < 3; i++)
        expect_ok(put_long(pool_print("BLOB.PUTBLOCK src blocks AAA%c", 'A' + i), 100000));
    expect_etag(call(source, "BLOB.PUTBLOCKLIST src blocks 3 LATEST AAAA LATEST AAAB LATEST AAAC"));
    expect_etag(call(source, "BLOB.CREATEPAGE src pages 2097152"));
    expect_elements(put_long("BLOB.PUTPAGE src pages 1024", 1048576), 2);
    expect_elements(put_long("BLOB.PUTPAGE src pages 1572864", 524288), 2);
    for (size_t bound = 0; bound < ARRAY_SIZE(bounds); bound++) {
        static const char *const blobs[] = {"whole", "blocks", "pages"};
        for (size_t blob = 0; blob < ARRAY_SIZE(blobs); blob++) {
            expect_ok(call(source, "CONFIG SET holdfast.max-reply-bytes %s", bounds[bound]));
            copy_well(blobs[blob], "");
            expect_ok(call(source, "CONFIG SET holdfast.max-reply-bytes 64mb"));
            require_same_content(blobs[blob], blob == 2 ? 2097152 : 300000);
        }
    }
}

/* It comes in one reply, or not at all: a copy without it would be another blob. */
TEST(a_list_of_blocks_that_its_source_cannot_tell_fails_the_copy) {
    struct words commit = words_of_line("BLOB.PUTBLOCKLIST src blocks 100");
    for (int i = 0; i < 100; i++) {
        expect_ok(call(source, "BLOB.PUTBLOCK src blocks AA%02d x", i));
        words_add_line(&commit, pool_print("LATEST AA%02d", i));
    }
    expect_etag(call_words(source, &commit));
    expect_ok(call(source, "CONFIG SET holdfast.max-reply-bytes 4096"));
    assert_true(text_begins(copy_badly("blocks", ""), "INVALID InvalidRange 5"));
    expect_ok(call(source, "CONFIG SET holdfast.max-reply-bytes 64mb"));
    copy_well("blocks", "");
}

TEST(a_snapshot_is_a_source) {
    expect_etag(call(source, "BLOB.PUT src cat old"));
    const char *id = reply_string(expect_elements(call(source, "BLOB.SNAPSHOT src cat"), 2)->element[0]);
    expect_etag(call(source, "BLOB.PUT src cat new"));
    copy_well("cat", pool_print("SNAPSHOT %s", id));
    step_play("BLOB.GET box cat", "[<etag>, \"old\"]", 0);
    assert_true(text_begins(copy_badly("cat", "SNAPSHOT 0x0000000000000001"), "NOTFOUND BlobNotFound"));
    step_play("BLOB.GET box cat", "[<etag>, \"old\"]", 0);
}

/* A blob that was new when a copy to it failed: it is empty, here and there, until it is written. */
TEST(a_source_without_a_kind_is_an_empty_block_blob) {
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    expect_ok(call(source, "CONFIG SET holdfast.copy-from *"));
    expect_elements(call(source, "BLOB.COPY src blank box none FROM 127.0.0.1 %d", primary->server->port), 3);
    while (!strcmp(reply_string(field(call(source, "BLOB.STAT src blank"), "copy-status")), "pending"))
        usleep(1000);
    assert_null(reply_field_if_any(call(source, "BLOB.STAT src blank"), "blob-type"));
    expect_etag(call(source, "BLOB.CREATEPAGE src disk 512"));
    expect_error(call(source, "BLOB.COPY src disk src blank"), "CONFLICT InvalidBlobType");
    expect_elements(call(source, "BLOB.COPY src twin src blank"), 3);
    expect_text(field(call(source, "BLOB.STAT src twin"), "blob-type"), "block");
    expect_text(field(copy_well("blank", ""), "blob-type"), "block");
    step_play("BLOB.GET box blank", "[<etag>, \"\"]", 0);
    expect_elements(call(primary, "BLOB.COPY box disk src blank FROM 127.0.0.1 %d", source->server->port), 3);
    assert_true(
        text_begins(reply_string(field(await_copy("disk"), "copy-description")), "CONFLICT InvalidBlobType"));
}

/* Zero is an id like others, which no snapshot has. */
TEST(the_snapshot_zero_is_no_source) {
    static const char zero[] = "SNAPSHOT 0x0000000000000000";
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    expect_error(call_line(source, pool_print("BLOB.COPY src twin src cat %s", zero)),
                 "NOTFOUND BlobNotFound");
    assert_true(text_begins(copy_badly("cat", zero), "NOTFOUND BlobNotFound"));
}

/* --- What the source says --- */

TEST(refusals_of_the_source_fail_the_copy) {
    put("box", "none", "kept");
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    expect_etag(call(source, "BLOB.CREATEAPPEND src none2"));
    assert_true(text_begins(copy_badly("none", ""), "NOTFOUND BlobNotFound"));
    step_play("BLOB.GET box none", "[<etag>, \"kept\"]", 0);
    assert_true(
        text_begins(copy_badly("cat", "SOURCEIFMATCH 0x0000000000000001"), "PRECONDITION ConditionNotMet"));
    assert_true(text_begins(copy_badly("cat", "SOURCEIFMODIFIEDSINCE 9000000000000"),
                            "PRECONDITION SourceConditionNotMet"));
    assert_null(reply_field_if_any(stat_of("box", "cat"), "blob-type"));
    expect_etag(call(primary, "BLOB.CREATEPAGE box cat 512"));
    assert_true(text_begins(copy_badly("cat", ""), "CONFLICT InvalidBlobType"));
    expect_text(field(stat_of("box", "cat"), "blob-type"), "page");
    expect_ok(call(source, "SET src2 x"));
    redisReply *reply = call(primary, "BLOB.COPY box new src2 cat FROM 127.0.0.1 %d", source->server->port);
    expect_elements(reply, 3);
    assert_true(text_begins(reply_string(field(await_copy("new"), "copy-description")), "WRONGTYPE"));
    expect_ok(call(source, "CONFIG SET requirepass secret"));
    source = test_client(source->server);
    assert_true(text_begins(copy_badly("locked", ""), "NOAUTH"));
    configure(primary, "holdfast.copy-password", "wrong");
    assert_true(text_begins(copy_badly("locked", ""), "WRONGPASS the source refuses"));
    configure(primary, "holdfast.copy-password", "secret");
    expect_ok(call(source, "AUTH secret"));
    expect_etag(call(source, "BLOB.PUT src locked open"));
    copy_well("locked", "");
    expect_ok(call_line(source, "CONFIG SET requirepass ''"));
    expect_number(call(primary, "DEL box"), 1);
}

/* No more than this is needed there. */
TEST(a_reader_of_the_source_is_enough) {
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    expect_ok(call(source, "ACL SETUSER copier on >pass resetkeys %%R~src +blob.stat +blob.get "
                           "+blob.getblocklist +blob.getpages"));
    configure(primary, "holdfast.copy-user", "copier");
    configure(primary, "holdfast.copy-password", "pass");
    copy_well("cat", "");
    expect_etag(call(source, "CONTAINER.CREATE secret"));
    expect_etag(call(source, "BLOB.PUT secret cat meow"));
    expect_elements(call(primary, "BLOB.COPY box new secret cat FROM 127.0.0.1 %d", source->server->port), 3);
    assert_true(text_begins(reply_string(field(await_copy("new"), "copy-description")), "NOPERM"));
}

TEST(a_cluster_is_a_source) {
    source = cluster_of_one("");
    expect_etag(call(source, "CONTAINER.CREATE src"));
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    copy_well("cat", "");
}

/* --- Leases and conditions of the target --- */

TEST(the_lease_of_the_target_covers_the_copy) {
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    put("box", "cat", "old");
    acquire("box", "60", "BLOB cat ID " ID_A);
    expect_error(begin_copy("cat", ""), "PRECONDITION LeaseIdMissing");
    expect_error(begin_copy("cat", "LEASE " ID_A), "PRECONDITION InfiniteLeaseDurationRequired");
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A));
    acquire("box", "-1", "BLOB cat ID " ID_A);
    expect_error(begin_copy("cat", "LEASE " ID_B), "PRECONDITION LeaseIdMismatchWithBlobOperation");
    copy_well("cat", "LEASE " ID_A);
    expect_text(field(stat_of("box", "cat"), "lease-state"), "leased");
    expect_error(begin_copy("cat", "LEASE " ID_A " IFMATCH 0x0000000000000001"),
                 "PRECONDITION TargetConditionNotMet");
    expect_error(begin_copy("cat", "LEASE " ID_A " IFNONEMATCH *"), "CONFLICT BlobAlreadyExists");
}

/* --- While it goes on --- */

TEST(the_etag_is_new_at_the_start_and_at_the_end) {
    expect_etag(put_long("BLOB.PUT src cat", 3000000));
    const char *before = put("box", "cat", "old");
    const char *start = reply_string(expect_elements(begin_copy("cat", ""), 3)->element[0]);
    const char *end = reply_string(field(await_copy("cat"), "etag"));
    assert_true(strcmp(start, before) > 0 && strcmp(end, start) > 0);
}

TEST(copies_are_notified) {
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    traces_begin("");
    copy_well("cat", "");
    assert_string_equal(traces_notifications(), "blob.copy box, blob.copied box");
    copy_badly("none", "");
    assert_string_equal(traces_notifications(), "blob.copy box, blob.copyfailed box");
}

TEST(copies_are_counted) {
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    long long done = info_of(primary, "holdfast_copies_done"),
              failed = info_of(primary, "holdfast_copies_failed");
    long long refused = info_of(primary, "holdfast_copies_failed_refused");
    copy_well("cat", "");
    copy_badly("none", "");
    assert_int_equal(info_of(primary, "holdfast_copies_done"), done + 1);
    assert_int_equal(info_of(primary, "holdfast_copies_failed"), failed + 1);
    assert_int_equal(info_of(primary, "holdfast_copies_failed_refused"), (refused > 0 ? refused : 0) + 1);
    await_copies_pending(0);
    pending_copy("new");
    assert_int_equal(info_of(primary, "holdfast_copies_pending"), 1);
}

/* --- Transactions and scripts --- */

TEST(copies_in_transactions) {
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    expect_ok(call(primary, "MULTI"));
    begin_copy("cat", "");
    call(primary, "BLOB.GET box cat");
    redisReply *replies = expect_elements(call(primary, "EXEC"), 2);
    expect_elements(replies->element[0], 3);
    expect_error(replies->element[1], PENDING);
    expect_text(field(await_copy("cat"), "copy-status"), "success");
    expect_elements(
        call(primary, "EVAL %s 1 box %d",
             "return redis.call('BLOB.COPY', KEYS[1], 'dog', 'src', 'cat', 'FROM', '127.0.0.1', ARGV[1])",
             source->server->port),
        3);
    expect_text(field(await_copy("dog"), "copy-status"), "success");
    expect_elements(
        call(primary, "HOLDFAST.ATOMIC 2 8 BLOB.COPY box cow src cat FROM 127.0.0.1 %d 4 BLOB.PUT box calf x",
             source->server->port),
        2);
    expect_text(field(await_copy("cow"), "copy-status"), "success");
    redisReply *first = begin_copy("cat", "ONCE token"), *second = begin_copy("cat", "ONCE token");
    assert_true(reply_same(first, second));
    expect_text(field(await_copy("cat"), "copy-status"), "success");
    expect_ok(call(primary, "MULTI"));
    begin_copy("gone", "");
    call(primary, "BLOB.DELETE box gone");
    expect_elements(call(primary, "EXEC"), 2);
    await_copies_pending(0);
}

TEST(the_source_is_no_key) {
    expect_shape(call(primary, "COMMAND GETKEYS BLOB.COPY box cat other dog FROM h 1 META 1 a b"),
                 "[\"box\"]");
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    expect_ok(call(primary, "ACL SETUSER clerk on nopass resetkeys ~box +@all"));
    struct client *clerk = test_client(primary->server);
    expect_ok(call(clerk, "AUTH clerk x"));
    expect_elements(call(clerk, "BLOB.COPY box cat src cat FROM 127.0.0.1 %d", source->server->port), 3);
    await_copy("cat");
    expect_error(call(clerk, "BLOB.COPY box cat src cat"), "NOPERM");
    expect_error(call(clerk, "BLOB.COPY box cat src cat META 2 FROM h a b"), "NOPERM");
    /* What the first copy in a transaction may, the second one may not. */
    expect_error(
        call(clerk,
             "HOLDFAST.ATOMIC 2 8 BLOB.COPY box one src cat FROM 127.0.0.1 %d 5 BLOB.COPY box two src cat",
             source->server->port),
        "NOPERM");
    expect_number(call(primary, "ACL DELUSER clerk"), 1);
}

TEST(a_server_that_takes_no_writes_takes_nothing) {
    static const char *const ways[][2] = {
        {"CLIENT PAUSE 30000 WRITE", "CLIENT UNPAUSE"},
        {"CONFIG SET min-replicas-to-write 9", "CONFIG SET min-replicas-to-write 0"},
    };
    expect_etag(put_long("BLOB.PUT src cat", 3000000));
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        expect_ok(call(primary, "MULTI"));
        begin_copy("cat", "");
        call_line(primary, ways[i][0]);
        expect_elements(call(primary, "EXEC"), 2);
        usleep(150000);
        expect_text(field(call(primary, "BLOB.STAT box cat"), "copy-progress"), "0/0");
        expect_ok(call_line(primary, ways[i][1]));
        expect_text(field(await_copy("cat"), "copy-status"), "success");
        require_same_content("cat", 3000000);
    }
}

TEST(a_full_server_takes_nothing) {
    expect_etag(put_long("BLOB.PUT src cat", 30000000));
    configure(primary, "maxmemory", pool_print("%lld", info_of(primary, "used_memory") + 8000000));
    assert_true(text_begins(copy_badly("cat", ""), "OOM"));
    step_play("BLOB.GET box cat", "[<etag>, \"\"]", 0);
    configure(primary, "maxmemory", "0");
}

/* Such a server makes space before each command, which is asked for nothing here but how far the copy is. */
TEST(a_full_server_that_evicts_takes_copies) {
    expect_etag(put_long("BLOB.PUT src cat", 3000000));
    configure(primary, "maxmemory-policy", "volatile-lru");
    call_many(primary, 50000,
              "SET filler-%d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx EX 9000");
    await_replicas();
    configure(primary, "maxmemory", pool_print("%lld", info_of(primary, "used_memory")));
    expect_elements(begin_copy("cat", ""), 3);
    expect_text(field(await_copy("cat"), "copy-status"), "success");
    configure(primary, "maxmemory", "0");
    require_same_content("cat", 3000000);
}

/* --- Many --- */

TEST(many_copies_take_turns) {
    enum { COPIES = 1000 };
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    call_many(primary, COPIES,
              pool_print("BLOB.COPY box c%%d src cat FROM 127.0.0.1 %d", source->server->port));
    long long max = 0;
    while (info_of(primary, "holdfast_copies_pending")) {
        long long now = info_of(primary, "holdfast_copies_at_work");
        if (now > max) max = now;
        usleep(1000);
    }
    assert_in_range(max, 2, 8);
    for (int i = 0; i < COPIES; i++) expect_shape(call(primary, "BLOB.GET box c%d", i), "[<etag>, \"meow\"]");
}

/* --- No thread --- */

/* How much address space the server may have besides what it has; RLIM_INFINITY for any. */
static void leave_space(const struct server *server, rlim_t bytes) {
    unsigned long pages = 0;
    FILE *file = fopen(pool_print("/proc/%d/statm", (int)server->process), "r");
    require(file && fscanf(file, "%lu", &pages) == 1, "nobody tells how much memory the server has");
    fclose(file);
    rlim_t max = bytes == RLIM_INFINITY ? bytes : pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
    require(!prlimit(server->process, RLIMIT_AS, &(struct rlimit){max, RLIM_INFINITY}, NULL), "no limit");
}

/* A server that has had no thread for a copy before has no stack left over for one. */
TEST(a_copy_for_which_no_thread_can_be_started_fails_for_that) {
    enum { LESS_THAN_A_STACK = 256 << 10 };
    if (getenv("HOLDFAST_PRELOAD")) skip(); /* sanitizers reserve more than any limit */
    expect_etag(call(source, "BLOB.PUT src cat meow"));
    struct client *poor = test_client(server_start("poor", "holdfast.copy-from 127.0.0.1:*\n"));
    expect_etag(call(poor, "CONTAINER.CREATE box"));
    leave_space(poor->server, LESS_THAN_A_STACK);
    redisReply *copy = call(poor, "BLOB.COPY box cat src cat FROM 127.0.0.1 %d", source->server->port);
    expect_text(expect_elements(copy, 3)->element[2], "pending");
    AWAIT(!info_of(poor, "holdfast_copies_pending"));
    const redisReply *stat = call(poor, "BLOB.STAT box cat");
    leave_space(poor->server, RLIM_INFINITY);
    expect_text(field(stat, "copy-status"), "failed");
    expect_text(field(stat, "copy-description"), "OOM this server cannot start a thread for the copy");
}
