/* The edges of what is taken: counts, ids, sizes, offsets, sequence numbers. What lies beyond leaves everything as it
 * was, and what lies on the edge works. */
#include <stdint.h>
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "steps.h"
#include "traces.h"

enum { COMMITTED_MAX = 50000, STAGED_MAX = 100000, APPENDED_MAX = 50000, PIPELINED = 2000 };

/* Four letters of base64 for a number below 64 to the third. */
static const char *block_id(int number) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return pool_print("A%c%c%c", letters[number >> 12 & 63], letters[number >> 6 & 63], letters[number & 63]);
}

static void stage_many(int from, int to) {
    for (int block = from; block < to; block += PIPELINED) {
        int more = to - block < PIPELINED ? to - block : PIPELINED;
        for (int i = 0; i < more; i++)
            send_call(primary, "BLOB.PUTBLOCK box cat %s %d", block_id(block + i), block + i);
        for (int i = 0; i < more; i++) expect_ok(receive(primary));
    }
}

static struct words commit_of(int count) {
    struct words words = words_of_line(pool_print("BLOB.PUTBLOCKLIST box cat %d", count));
    for (int block = 0; block < count; block++) {
        words_add(&words, "LATEST");
        words_add(&words, block_id(block));
    }
    return words;
}

BEFORE_EACH {
    create("box");
}

TEST(fifty_thousand_blocks_are_committed_and_not_one_more) {
    stage_many(0, COMMITTED_MAX + 1);
    struct words words = commit_of(COMMITTED_MAX + 1);
    traces_begin("");
    expect_error(call_words(primary, &words), "INVALID BlockListTooLong");
    traces_require_none();
    words = commit_of(COMMITTED_MAX);
    expect_etag(call_words(primary, &words));
    redisReply *list = call(primary, "BLOB.GETBLOCKLIST box cat ALL");
    expect_elements(field(list, "committed"), COMMITTED_MAX);
    expect_elements(field(list, "uncommitted"), 0);
    expect_shape(field(list, "committed")->element[COMMITTED_MAX - 1],
                 pool_print("[\"%s\", 5]", block_id(COMMITTED_MAX - 1)));
    const char *tail =
        content_of("box", "cat", pool_print("RANGE %lld -1", field(list, "content-length")->integer - 10));
    assert_string_equal(tail, "4999849999");
    /* The same blocks again in another order, and then none of them. */
    struct words again = words_of_line(pool_print("BLOB.PUTBLOCKLIST box cat %d", COMMITTED_MAX));
    for (int block = COMMITTED_MAX; block-- > 0;) {
        words_add(&again, "COMMITTED");
        words_add(&again, block_id(block));
    }
    expect_etag(call_words(primary, &again));
    assert_string_equal(content_of("box", "cat", "RANGE 0 10"), "4999949998");
}

TEST(a_hundred_thousand_blocks_are_staged_and_not_one_more) {
    stage_many(0, STAGED_MAX);
    traces_begin("");
    expect_error(call(primary, "BLOB.PUTBLOCK box cat %s x", block_id(STAGED_MAX)),
                 "CONFLICT BlockCountExceedsLimit");
    traces_require_none();
    expect_ok(call(primary, "BLOB.PUTBLOCK box cat %s replaced", block_id(7)));
    expect_elements(field(call(primary, "BLOB.GETBLOCKLIST box cat UNCOMMITTED"), "uncommitted"), STAGED_MAX);
    expect_etag(call(primary, "BLOB.PUTBLOCKLIST box cat 1 LATEST %s", block_id(7)));
    assert_string_equal(content_of("box", "cat", ""), "replaced");
    AWAIT(memory_of(primary, "box") < 100000); /* staged blocks are freed in the background */
}

TEST(fifty_thousand_appends_and_not_one_more) {
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    fill_append_blob("log", APPENDED_MAX);
    expect_number(field(stat_of("box", "log"), "block-count"), APPENDED_MAX);
    step_play("BLOB.APPEND box log x", "CONFLICT BlockCountExceedsLimit", 0);
    step_play("BLOB.APPEND box log x IFPOSITION 0", "PRECONDITION AppendPositionConditionNotMet", 0);
    step_play("BLOB.APPEND box log x IFMAXSIZE 50000", "PRECONDITION MaxBlobSizeConditionNotMet", 0);
    step_play("BLOB.COPY box twin box log", NULL, 0);
    step_play("BLOB.APPEND box twin x", "CONFLICT BlockCountExceedsLimit", 0);
    step_play("BLOB.CREATEAPPEND box log", "<etag>", 0);
    step_play("BLOB.APPEND box log x", "[<etag>, 0, 1]", 0);
}

/* 64 bytes are 88 letters; 65 are 88 with one = less. */
TEST(block_ids_are_base64_of_1_to_64_bytes) {
    static const char query[] = "INVALID InvalidQueryParameterValue", range[] = "INVALID OutOfRangeInput";
    static const struct {
        const char *id, *answer;
    } rows[] = {
        {"AA==", "OK"},  {"AAA=", "OK"},      {"+/+/", "OK"},   {"''", query},       {"A", query},
        {"AA", query},   {"AAA", query},      {"====", query},  {"A===", query},     {"AA=A", query},
        {"AB==", query}, {"AAB=", query},     {"AAAA=", query}, {"AAAA====", query}, {"AAA!", query},
        {"-_-_", query}, {"AA==AAAA", query},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        bool is_good = !strcmp(rows[row].answer, "OK");
        step_play(pool_print("BLOB.PUTBLOCK box cat-%zu %s x", row, rows[row].id), rows[row].answer, 0);
        step_play(pool_print("BLOB.PUTBLOCKLIST box cat-%zu 1 LATEST %s", row, rows[row].id),
                  is_good ? "<etag>" : "INVALID InvalidBlockId", 0);
    }
    char longest[89], longer[89];
    memset(longest, 'A', 88);
    memcpy(longest + 86, "==", 3);
    memset(longer, 'A', 88);
    memcpy(longer + 87, "=", 2);
    step_play(pool_print("BLOB.PUTBLOCK box long %s x", longest), "OK", 0);
    step_play(pool_print("BLOB.PUTBLOCKLIST box long 1 LATEST %s", longest), "<etag>", 0);
    step_play("BLOB.GETBLOCKLIST box long",
              pool_print("[\"etag\", <etag>, \"content-length\", 1, \"committed\", [[\"%s\", 1]]]", longest),
              0);
    step_play(pool_print("BLOB.PUTBLOCK box long %s x", longer), range, 0);
    step_play(pool_print("BLOB.PUTBLOCKLIST box long 1 LATEST %s", longer), "INVALID InvalidBlockId", 0);
    step_play("BLOB.PUTBLOCK box long 4000*A x", range, 0);
    step_play("BLOB.PUTBLOCK box long 4001*A x", query, 0);
}

TEST(blocks_are_not_empty_and_not_too_large) {
    step_play("BLOB.PUTBLOCK box cat AAAA ''", "INVALID InvalidHeaderValue", 0);
    configure(primary, "holdfast.max-block-bytes", "4");
    step_play("BLOB.PUTBLOCK box cat AAAA 5*x", "INVALID RequestBodyTooLarge", 0);
    step_play("BLOB.PUTBLOCK box cat AAAA 4*x", "OK", 0);
    configure(primary, "holdfast.max-blob-bytes", "5");
    expect_etag(call(primary, "BLOB.PUTBLOCKLIST box cat 2 LATEST AAAA LATEST AAAA"));
}

/* A disk of 2048 bytes. */
TEST(page_ranges_are_whole_pages_inside) {
    static const char *const offsets[] = {"1",
                                          "511",
                                          "513",
                                          "2048",
                                          "4096",
                                          "-1",
                                          "-512",
                                          "x",
                                          "''",
                                          "1.5",
                                          "0x0",
                                          "8796093022208",
                                          "8796093022720",
                                          "9223372036854775296",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551104",
                                          "18446744073709551616"};
    static const char *const lengths[] = {"0",
                                          "1",
                                          "511",
                                          "513",
                                          "2560",
                                          "-1",
                                          "-512",
                                          "x",
                                          "''",
                                          "8796093022208",
                                          "8796093022720",
                                          "9223372036854775296",
                                          "9223372036854775807",
                                          "18446744073709551104",
                                          "18446744073709551616"};
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 2048"));
    step_play("BLOB.PUTPAGE box disk 0 2048*x", "[<etag>, 0]", 0);
    for (size_t row = 0; row < ARRAY_SIZE(offsets); row++) {
        step_play(pool_print("BLOB.PUTPAGE box disk %s 512*y", offsets[row]), "INVALID InvalidPageRange", 0);
        step_play(pool_print("BLOB.CLEARPAGE box disk %s 512", offsets[row]), "INVALID InvalidPageRange", 0);
    }
    for (size_t row = 0; row < ARRAY_SIZE(lengths); row++) {
        step_play(pool_print("BLOB.CLEARPAGE box disk 0 %s", lengths[row]), "INVALID InvalidPageRange", 0);
        step_play(pool_print("BLOB.CLEARPAGE box disk 1536 %s", lengths[row]), "INVALID InvalidPageRange", 0);
    }
    step_play("BLOB.CLEARPAGE box disk 1536 1024", "INVALID InvalidPageRange", 0);
    step_play("BLOB.PUTPAGE box disk 0 ''", "INVALID InvalidPageRange", 0);
    step_play("BLOB.PUTPAGE box disk 0 511*y", "INVALID InvalidPageRange", 0);
    step_play("BLOB.PUTPAGE box disk 0 513*y", "INVALID InvalidPageRange", 0);
    step_play("BLOB.PUTPAGE box disk 0 2560*y", "INVALID InvalidPageRange", 0);
    step_play("BLOB.PUTPAGE box disk 1536 1024*y", "INVALID InvalidPageRange", 0);
    step_play("BLOB.GETPAGES box disk",
              "[\"etag\", <etag>, \"content-length\", 2048, \"pages\", [[0, 2048]]]", 0);
}

TEST(four_mebibytes_of_pages_at_once) {
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 8388608"));
    step_play("BLOB.PUTPAGE box disk 512 4194816*x", "INVALID RequestBodyTooLarge", 0);
    step_play("BLOB.PUTPAGE box disk 512 4194305*x", "INVALID RequestBodyTooLarge", 0);
    step_play("BLOB.PUTPAGE box disk 512 4194304*x", "[<etag>, 0]", 0);
    step_play("BLOB.GETPAGES box disk",
              "[\"etag\", <etag>, \"content-length\", 8388608, \"pages\", [[512, 4194304]]]", 0);
    step_play("BLOB.CLEARPAGE box disk 0 8388608", "[<etag>, 0]", 0);
}

/* One command for each of so many pages, `step` bytes apart. */
static void for_pages(const char *command, const char *rest, int count, long long step) {
    struct words tail = step_words(rest);
    for (int done = 0; done < count; done += PIPELINED) {
        int more = count - done < PIPELINED ? count - done : PIPELINED;
        for (int i = 0; i < more; i++)
            send_call(primary, "%s box disk %lld %s", command, (done + i) * step, tail.word[0]);
        for (int i = 0; i < more; i++) expect_elements(receive(primary), 2);
    }
}

/* An answer has 50,000 ranges at most; what is more has to be asked for in parts. */
TEST(ranges_of_pages_in_one_answer) {
    enum { RANGES = 50000, BIG = 4 << 20, PUTS = 13 };
    step_play("BLOB.CREATEPAGE box disk 54525952", "<etag>", 0);
    for (int put = 0; put < PUTS; put++)
        step_play(pool_print("BLOB.PUTPAGE box disk %d %d*x", put * BIG, BIG), NULL, 0);
    for_pages("BLOB.CLEARPAGE", "512", RANGES, 1024);
    redisReply *pages = field(call(primary, "BLOB.GETPAGES box disk"), "pages");
    expect_elements(pages, RANGES);
    expect_shape(pages->element[0], "[512, 512]");
    step_play("BLOB.CLEARPAGE box disk 51201024 512", NULL, 0);
    step_play("BLOB.GETPAGES box disk", "INVALID InvalidRange", 0);
    pages = field(call(primary, "BLOB.GETPAGES box disk RANGE 1024 -1"), "pages");
    expect_elements(pages, RANGES);
    expect_number(call(primary, "DEL box"), 1);
}

/* So many leaves are compared at most, and those that are shared cost nothing. */
TEST(comparisons_in_one_answer) {
    enum { LEAVES = 4096, LEAF = 32768 };
    step_play(pool_print("BLOB.CREATEPAGE box disk %lld", 2LL * LEAF * LEAVES), "<etag>", 0);
    for_pages("BLOB.PUTPAGE", "512*a", 2 * LEAVES, LEAF);
    step_keep('s', snapshot("box", "disk"));
    for_pages("BLOB.PUTPAGE", "512*b", LEAVES, LEAF);
    redisReply *pages = field(call(primary, "BLOB.GETPAGES box disk SINCE %s", step_kept('s')), "pages");
    expect_elements(pages, LEAVES);
    step_play(pool_print("BLOB.PUTPAGE box disk %d 512*b", LEAVES * LEAF), NULL, 0);
    step_play("BLOB.GETPAGES box disk SINCE $s", "INVALID InvalidRange", 0);
    step_play(
        pool_print("BLOB.GETPAGES box disk SINCE $s RANGE %d -1", LEAVES * LEAF),
        pool_print("[\"etag\", <etag>, \"content-length\", %lld, \"pages\", [[%d, 512]], \"cleared\", []]",
                   2LL * LEAF * LEAVES, LEAVES * LEAF),
        0);
    expect_number(call(primary, "DEL box"), 1);
}

TEST(sizes_of_page_blobs) {
    static const char *const bad[] = {"1",
                                      "511",
                                      "513",
                                      "-512",
                                      "-1",
                                      "x",
                                      "''",
                                      "1e3",
                                      "8796093022720",
                                      "9223372036854775296",
                                      "9223372036854775808",
                                      "18446744073709551616"};
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 8796093022208 SEQUENCE 9223372036854775807"));
    expect_number(field(stat_of("box", "disk"), "content-length"), INT64_C(8796093022208));
    for (size_t row = 0; row < ARRAY_SIZE(bad); row++) {
        step_play(pool_print("BLOB.CREATEPAGE box new %s", bad[row]), "INVALID InvalidHeaderValue", 0);
        step_play(pool_print("BLOB.CREATEPAGE box disk %s", bad[row]), "INVALID InvalidHeaderValue", 0);
        step_play(pool_print("BLOB.SETPROPS box disk SIZE %s", bad[row]), "INVALID InvalidHeaderValue", 0);
    }
}

TEST(sequence_numbers_end_at_the_largest) {
    static const char *const bad[] = {"-1", "9223372036854775808", "18446744073709551615", "x", "''", "1.0"};
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512 SEQUENCE 9223372036854775806"));
    for (size_t row = 0; row < ARRAY_SIZE(bad); row++) {
        step_play(pool_print("BLOB.CREATEPAGE box disk 512 SEQUENCE %s", bad[row]),
                  "INVALID InvalidHeaderValue", 0);
        step_play(pool_print("BLOB.SETPROPS box disk SEQUENCE MAX %s", bad[row]),
                  "INVALID InvalidHeaderValue", 0);
        step_play(pool_print("BLOB.SETPROPS box disk SEQUENCE UPDATE %s", bad[row]),
                  "INVALID InvalidHeaderValue", 0);
        step_play(pool_print("BLOB.PUTPAGE box disk 0 512*x IFSEQUENCE LE %s", bad[row]),
                  "INVALID InvalidHeaderValue", 0);
    }
    step_play("BLOB.SETPROPS box disk SEQUENCE INCREMENT", "<etag>", 0);
    step_play("BLOB.SETPROPS box disk SEQUENCE INCREMENT", "CONFLICT SequenceNumberIncrementTooLarge", 0);
    step_play("BLOB.SETPROPS box disk SEQUENCE INCREMENT SIZE 1024 PROPS 0",
              "CONFLICT SequenceNumberIncrementTooLarge", 0);
    step_play("BLOB.SETPROPS box disk SEQUENCE MAX 1", "<etag>", 0);
    step_play("BLOB.CLEARPAGE box disk 0 512 IFSEQUENCE EQ 9223372036854775807",
              "[<etag>, 9223372036854775807]", 0);
}

/* A list that names what is not there, at its end, after thousands that are. */
TEST(a_commit_is_all_or_nothing) {
    stage_many(0, 5000);
    struct words words = commit_of(5000);
    expect_etag(call_words(primary, &words));
    stage_many(2500, 7500);
    const char *digest = value_digest(primary, "box");
    words = commit_of(7501);
    traces_begin("");
    expect_error(call_words(primary, &words), "INVALID InvalidBlockList");
    traces_require_none();
    assert_string_equal(value_digest(primary, "box"), digest);
    redisReply *list = call(primary, "BLOB.GETBLOCKLIST box cat ALL");
    expect_elements(field(list, "committed"), 5000);
    expect_elements(field(list, "uncommitted"), 5000);
    words = commit_of(7500);
    expect_etag(call_words(primary, &words));
}

TEST(ids_of_snapshots_are_versions) {
    static const char *const bad[] = {"x",
                                      "''",
                                      "0",
                                      "1",
                                      "0x1",
                                      "0x00000000000000001",
                                      "-0x000000000000001",
                                      "0x000000000000000g",
                                      "2020-01-01T00:00:00.0000000Z"};
    put("box", "cat", "meow");
    snapshot("box", "cat");
    for (size_t row = 0; row < ARRAY_SIZE(bad); row++) {
        step_play(pool_print("BLOB.GET box cat SNAPSHOT %s", bad[row]), "INVALID InvalidQueryParameterValue",
                  0);
        step_play(pool_print("BLOB.DELETE box cat SNAPSHOT %s", bad[row]),
                  "INVALID InvalidQueryParameterValue", 0);
        step_play(pool_print("BLOB.COPY box cat box cat SNAPSHOT %s", bad[row]),
                  "INVALID InvalidQueryParameterValue", 0);
    }
    static const char *const unknown[] = {"0x0000000000000000", "0x0000000000000001", "0xFFFFFFFFFFFFFFFF"};
    for (size_t row = 0; row < ARRAY_SIZE(unknown); row++) {
        step_play(pool_print("BLOB.GET box cat SNAPSHOT %s", unknown[row]), "NOTFOUND BlobNotFound", 0);
        step_play(pool_print("BLOB.STAT box cat SNAPSHOT %s", unknown[row]), "NOTFOUND BlobNotFound", 0);
        step_play(pool_print("BLOB.DELETE box cat SNAPSHOT %s", unknown[row]), "NOTFOUND BlobNotFound", 0);
    }
}
