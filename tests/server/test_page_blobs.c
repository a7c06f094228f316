/* Page blobs: creation, pages, ranges, sizes, sequence numbers, memory. Differences have a file of their own. */
#include <stdint.h>
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "traces.h"
#include "waiting.h"

#define PAGES(length, list) "[\"etag\", <etag>, \"content-length\", " #length ", \"pages\", " list "]"

BEFORE_EACH {
    create("box");
}

TEST(a_page_blob_begins_empty) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 2048 PROPS 1 content-type text/plain META 1 a b", "<etag>", 0},
        {"BLOB.STAT box disk",
         "[\"blob-type\", \"page\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
         "\"content-length\", 2048, \"content-type\", \"text/plain\", \"sequence-number\", 0, \"snapshots\", "
         "0, "
         "\"lease-state\", \"available\", \"lease-status\", \"unlocked\", \"meta\", [\"a\", \"b\"]]",
         0},
        {"BLOB.GETPAGES box disk", PAGES(2048, "[]"), 0},
        {"BLOB.GET box disk RANGE 0 4", "[<etag>, \"\\x00\\x00\\x00\\x00\"]", 0},
        {"BLOB.CREATEPAGE box disk 0 SEQUENCE 9", "<etag>", 0},
        {"BLOB.GET box disk", "[<etag>, \"\"]", 0},
        {"BLOB.GETPAGES box disk", PAGES(0, "[]"), 0},
        {"BLOB.GETMETA box disk", "[<etag>, []]", 0},
    };
    steps_play(steps);
    expect_number(field(stat_of("box", "disk"), "sequence-number"), 9);
}

TEST(listings_show_the_sequence_number_0) {
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    expect_number(field(call(primary, "BLOB.LIST box")->element[1]->element[0], "sequence-number"), 0);
}

/* Whichever of the three is written, the two others stay. */
TEST(pages_of_blob_snapshot_and_copy_are_apart) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 65536", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 0 65536*a", NULL, 0},
        {"BLOB.SNAPSHOT box disk", NULL, 's'},
        {"BLOB.COPY box copy box disk", NULL, 0},
        {"BLOB.COPY other far box disk", NULL, 0},
        {"BLOB.PUTPAGE box disk 512 512*b", NULL, 0},
        {"BLOB.PUTPAGE box copy 1024 512*c", NULL, 0},
        {"BLOB.CLEARPAGE other far 0 512", NULL, 0},
        {"BLOB.GET box disk RANGE 511 2", "[<etag>, \"ab\"]", 0},
        {"BLOB.GET box disk RANGE 1023 2", "[<etag>, \"ba\"]", 0},
        {"BLOB.GET box copy RANGE 511 2", "[<etag>, \"aa\"]", 0},
        {"BLOB.GET box copy RANGE 1023 2", "[<etag>, \"ac\"]", 0},
        {"BLOB.GET other far RANGE 511 2", "[<etag>, \"\\x00a\"]", 0},
        {"BLOB.GET box disk SNAPSHOT $s RANGE 511 2", "[<etag>, \"aa\"]", 0},
        {"BLOB.GET box disk SNAPSHOT $s RANGE 1023 2", "[<etag>, \"aa\"]", 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $s",
         "[\"etag\", <etag>, \"content-length\", 65536, \"pages\", [[0, 65536]]]", 0},
        {"BLOB.SETPROPS box copy SIZE 512", "<etag>", 0},
        {"BLOB.GET box disk RANGE 65535 1", "[<etag>, \"a\"]", 0},
        {"BLOB.GET other far RANGE 65535 1", "[<etag>, \"a\"]", 0},
    };
    create("other");
    steps_play(steps);
}

TEST(pages_are_merged_and_sorted) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 102400 SEQUENCE 3", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 1024 512*c", "[<etag>, 3]", 0},
        {"BLOB.PUTPAGE box disk 51200 1024*z", "[<etag>, 3]", 0},
        {"BLOB.PUTPAGE box disk 0 512*a", "[<etag>, 3]", 0},
        {"BLOB.GETPAGES box disk", PAGES(102400, "[[0, 512], [1024, 512], [51200, 1024]]"), 0},
        {"BLOB.PUTPAGE box disk 512 512*b", "[<etag>, 3]", 0},
        {"BLOB.GETPAGES box disk", PAGES(102400, "[[0, 1536], [51200, 1024]]"), 0},
        {"BLOB.GET box disk RANGE 510 4", "[<etag>, \"aabb\"]", 0},
        {"BLOB.GET box disk RANGE 1534 4", "[<etag>, \"cc\\x00\\x00\"]", 0},
        {"BLOB.CLEARPAGE box disk 512 512", "[<etag>, 3]", 0},
        {"BLOB.GETPAGES box disk", PAGES(102400, "[[0, 512], [1024, 512], [51200, 1024]]"), 0},
        {"BLOB.GET box disk RANGE 510 4", "[<etag>, \"aa\\x00\\x00\"]", 0},
        {"BLOB.PUTPAGE box disk 101888 512*y", "[<etag>, 3]", 0},
        {"BLOB.GET box disk RANGE 102398 100", "[<etag>, \"yy\"]", 0},
        {"BLOB.CLEARPAGE box disk 0 102400", "[<etag>, 3]", 0},
        {"BLOB.GETPAGES box disk", PAGES(102400, "[]"), 0},
    };
    steps_play(steps);
}

/* A run of pages over the border of 64, where a leaf of the tree ends, is one range. */
TEST(ranges_go_over_the_borders_of_leaves) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 1048576", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 32256 1024*a", "[<etag>, 0]", 0},
        {"BLOB.PUTPAGE box disk 65536 65536*b", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk", PAGES(1048576, "[[32256, 1024], [65536, 65536]]"), 0},
        {"BLOB.PUTPAGE box disk 33280 32256*c", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk", PAGES(1048576, "[[32256, 98816]]"), 0},
        {"BLOB.CLEARPAGE box disk 65536 512", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk", PAGES(1048576, "[[32256, 33280], [66048, 65024]]"), 0},
        {"BLOB.GET box disk RANGE 65534 4", "[<etag>, \"cc\\x00\\x00\"]", 0},
    };
    steps_play(steps);
}

TEST(getpages_takes_a_range) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 5120", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 512 2048*a", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk RANGE 0 -1", PAGES(5120, "[[512, 2048]]"), 0},
        {"BLOB.GETPAGES box disk RANGE 1024 512", PAGES(5120, "[[1024, 512]]"), 0},
        {"BLOB.GETPAGES box disk RANGE 1000 100", PAGES(5120, "[[512, 1024]]"), 0},
        {"BLOB.GETPAGES box disk RANGE 1024 -1", PAGES(5120, "[[1024, 1536]]"), 0},
        {"BLOB.GETPAGES box disk RANGE 0 512", PAGES(5120, "[]"), 0},
        {"BLOB.GETPAGES box disk RANGE 0 513", PAGES(5120, "[[512, 512]]"), 0},
        {"BLOB.GETPAGES box disk RANGE 5119 9223372036854775807", PAGES(5120, "[]"), 0},
        {"BLOB.GETPAGES box disk RANGE 2559 9223372036854775807", PAGES(5120, "[[2048, 512]]"), 0},
        {"BLOB.GETPAGES box disk RANGE 5120 1", "INVALID InvalidRange", 0},
        {"BLOB.GETPAGES box disk RANGE 9223372036854775807 -1", "INVALID InvalidRange", 0},
    };
    steps_play(steps);
}

TEST(sizes_shrink_and_grow) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 2048 PROPS 1 content-type text/plain", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 0 2048*a", "[<etag>, 0]", 0},
        {"BLOB.SETPROPS box disk SIZE 1024", "<etag>", 0},
        {"BLOB.GETPAGES box disk", PAGES(1024, "[[0, 1024]]"), 0},
        {"BLOB.GET box disk RANGE 1022 10", "[<etag>, \"aa\"]", 0},
        {"BLOB.SETPROPS box disk SIZE 4096", "<etag>", 0},
        {"BLOB.GETPAGES box disk", PAGES(4096, "[[0, 1024]]"), 0},
        {"BLOB.GET box disk RANGE 1022 4", "[<etag>, \"aa\\x00\\x00\"]", 0},
        {"BLOB.SETPROPS box disk SIZE 549755813888", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 549755813376 512*z", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk", PAGES(549755813888, "[[0, 1024], [549755813376, 512]]"), 0},
        {"BLOB.GET box disk RANGE 549755813886 -1", "[<etag>, \"zz\"]", 0},
        {"BLOB.SETPROPS box disk SIZE 1024", "<etag>", 0},
        {"BLOB.SETPROPS box disk SIZE 549755813888", "<etag>", 0},
        {"BLOB.GETPAGES box disk", PAGES(549755813888, "[[0, 1024]]"), 0},
        {"BLOB.SETPROPS box disk SIZE 0", "<etag>", 0},
        {"BLOB.GETPAGES box disk", PAGES(0, "[]"), 0},
    };
    steps_play(steps);
    expect_text(field(stat_of("box", "disk"), "content-type"), "text/plain");
}

/* Old number, what is done, new number. */
TEST(sequence_numbers_move) {
    static const struct {
        const char *before, *action;
        long long after;
    } rows[] = {
        {"5", "MAX 7", 7},
        {"5", "MAX 5", 5},
        {"5", "MAX 3", 5},
        {"5", "UPDATE 7", 7},
        {"5", "UPDATE 3", 3},
        {"5", "UPDATE 0", 0},
        {"5", "INCREMENT", 6},
        {"0", "INCREMENT", 1},
        {"0", "MAX 9223372036854775807", INT64_MAX},
        {"9223372036854775806", "INCREMENT", INT64_MAX},
        {"7", "update 8", 8},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        expect_etag(call_line(primary, pool_print("BLOB.CREATEPAGE box disk 512 SEQUENCE %s PROPS 1 "
                                                  "content-language en",
                                                  rows[row].before)));
        const char *etag = reply_string(field(stat_of("box", "disk"), "etag"));
        const char *line = pool_print("BLOB.SETPROPS box disk SEQUENCE %s", rows[row].action);
        assert_true(strcmp(expect_etag(call_line(primary, line)), etag) > 0);
        expect_number(field(stat_of("box", "disk"), "sequence-number"), rows[row].after);
        expect_text(field(stat_of("box", "disk"), "content-language"), "en");
    }
}

/* The number of the blob is 5. */
TEST(ifsequence_compares) {
    static const struct {
        const char *condition;
        bool passes;
    } rows[] = {
        {"LE 4", false}, {"LE 5", true},  {"LE 6", true},   {"LT 4", false}, {"LT 5", false},
        {"LT 6", true},  {"EQ 4", false}, {"EQ 5", true},   {"EQ 6", false}, {"le 9223372036854775807", true},
        {"LT 0", false}, {"LE 0", false}, {"eq 05", false},
    };
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512 SEQUENCE 5"));
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        const char *answer = rows[row].passes ? "[<etag>, 5]" : "PRECONDITION SequenceNumberConditionNotMet";
        if (!strcmp(rows[row].condition, "eq 05")) answer = "INVALID InvalidHeaderValue";
        step_play(pool_print("BLOB.PUTPAGE box disk 0 512*x IFSEQUENCE %s", rows[row].condition), answer, 0);
        step_play(pool_print("BLOB.CLEARPAGE box disk 0 512 IFSEQUENCE %s", rows[row].condition), answer, 0);
    }
}

TEST(setprops_of_pages_leaves_the_properties) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 512 PROPS 2 content-type text/plain content-language en", "<etag>", 0},
        {"BLOB.SETPROPS box disk SIZE 1024 SEQUENCE UPDATE 4", "<etag>", 0},
        {"BLOB.SETPROPS box disk PROPS 1 cache-control x SIZE 1536 SEQUENCE INCREMENT", "<etag>", 0},
        {"BLOB.STAT box disk",
         "[\"blob-type\", \"page\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
         "\"content-length\", 1536, \"content-type\", \"application/octet-stream\", \"cache-control\", "
         "\"x\", "
         "\"sequence-number\", 5, \"snapshots\", 0, "
         "\"lease-state\", \"available\", \"lease-status\", \"unlocked\", \"meta\", []]",
         0},
        {"BLOB.SETPROPS box disk PROPS 0", "<etag>", 0},
    };
    steps_play(steps);
    expect_number(field(stat_of("box", "disk"), "content-length"), 1536);
    expect_number(field(stat_of("box", "disk"), "sequence-number"), 5);
}

TEST(pages_of_other_kinds_are_refused) {
    static const char *const on_pages[] = {"BLOB.PUTPAGE box %s 0 512*x",
                                           "BLOB.CLEARPAGE box %s 0 512",
                                           "BLOB.GETPAGES box %s",
                                           "BLOB.SETPROPS box %s SIZE 512",
                                           "BLOB.SETPROPS box %s SEQUENCE INCREMENT",
                                           "BLOB.CREATEPAGE box %s 512"};
    static const char *const on_others[] = {"BLOB.PUT box disk x",          "BLOB.PUTBLOCK box disk AAAA x",
                                            "BLOB.PUTBLOCKLIST box disk 0", "BLOB.GETBLOCKLIST box disk",
                                            "BLOB.APPEND box disk x",       "BLOB.CREATEAPPEND box disk"};
    put("box", "cat", "meow");
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    for (size_t row = 0; row < ARRAY_SIZE(on_pages); row++) {
        const char *blank = strchr(on_pages[row], '%');
        for (int other = 0; other < 2; other++) {
            step_play(pool_print("%.*s%s%s", (int)(blank - on_pages[row]), on_pages[row],
                                 other ? "log" : "cat", blank + 2),
                      "CONFLICT InvalidBlobType", 0);
        }
    }
    for (size_t row = 0; row < ARRAY_SIZE(on_others); row++)
        step_play(on_others[row], "CONFLICT InvalidBlobType", 0);
}

/* Sparse, and what is cleared is given back. */
TEST(only_pages_that_are_there_take_memory) {
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 8796093022208"));
    long long empty = memory_of(primary, "box");
    assert_true(empty < 2000);
    for (int i = 0; i < 16; i++)
        step_play(pool_print("BLOB.PUTPAGE box disk %lld 512*x", i * (1LL << 38)), "[<etag>, 0]", 0);
    long long sparse = memory_of(primary, "box");
    require(sparse - empty < 16LL * 2000, "16 pages take %lld bytes", sparse - empty);
    for (int i = 0; i < 4; i++)
        step_play(pool_print("BLOB.PUTPAGE box disk %d 1048576*y", i << 20), "[<etag>, 0]", 0);
    assert_true(memory_of(primary, "box") > 4 << 20);
    step_play("BLOB.CLEARPAGE box disk 0 4194304", "[<etag>, 0]", 0);
    require(memory_of(primary, "box") <= sparse, "clearing left %lld bytes", memory_of(primary, "box"));
    step_play("BLOB.CLEARPAGE box disk 0 8796093022208", "[<etag>, 0]", 0);
    assert_int_equal(memory_of(primary, "box"), empty);
    step_play("BLOB.PUTPAGE box disk 0 65536*x", "[<etag>, 0]", 0);
    step_play("BLOB.SETPROPS box disk SIZE 512", "<etag>", 0);
    assert_true(memory_of(primary, "box") < empty + 2000);
}

TEST(pages_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"BLOB.CREATEPAGE box disk 512", "blob.createpage box"},
        {"BLOB.CLEARPAGE box disk 0 512", "blob.clearpage box"},
        {"BLOB.SETPROPS box disk SIZE 1024", "blob.setprops box"},
    };
    expect_notifications(rows);
    traces_begin("box");
    step_play("BLOB.PUTPAGE box disk 0 512*x", "[<etag>, 0]", 0);
    assert_string_equal(traces_notifications(), "blob.putpage box");
    assert_true(watched_transaction_aborts());
}

/* A page that is written while somebody waits for news is news. */
TEST(waiting_readers_hear_of_pages) {
    struct client *reader = waiting("BLOB.GET box disk RANGE 0 3 BLOCK 0");
    const char *etag = expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    expect_shape(answer_of(reader), "[<etag>, \"\\x00\\x00\\x00\"]");
    reader = waiting(pool_print("BLOB.GET box disk RANGE 0 3 IFNONEMATCH %s BLOCK 0", etag));
    step_play("BLOB.PUTPAGE box disk 0 512*x", "[<etag>, 0]", 0);
    expect_shape(answer_of(reader), "[<etag>, \"xxx\"]");
}

/* More than one reply can hold: parts of it can be had. */
TEST(large_disks_are_read_in_parts) {
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 8796093022208"));
    step_play("BLOB.GET box disk", "INVALID InvalidRange", 0);
    step_play("BLOB.GET box disk RANGE 1000 -1", "INVALID InvalidRange", 0);
    redisReply *part = call(primary, "BLOB.GET box disk RANGE 123456789 1000000")->element[1];
    assert_int_equal(part->len, 1000000);
    for (size_t at = 0; at < part->len; at++) assert_int_equal(part->str[at], 0);
}
