/* Block blobs in parts: staging, committing, listing. Conditions, leases and limits have files of their own. */
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "stream.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"

#define COMMITTED(length, list) "[\"etag\", <etag>, \"content-length\", " #length ", \"committed\", " list "]"
#define STAGED(list)            "[\"uncommitted\", " list "]"

BEFORE_EACH {
    create("box");
}

TEST(blocks_become_a_blob) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAB one", "OK", 0},
        {"BLOB.PUTBLOCK box cat AAAA two!", "OK", 0},
        {"BLOB.GETBLOCKLIST box cat UNCOMMITTED", STAGED("[[\"AAAA\", 4], [\"AAAB\", 3]]"), 0},
        {"BLOB.PUTBLOCKLIST box cat 2 LATEST AAAB LATEST AAAA", "<etag>", 0},
        {"BLOB.GET box cat", "[<etag>, \"onetwo!\"]", 0},
        {"BLOB.GETBLOCKLIST box cat", COMMITTED(7, "[[\"AAAB\", 3], [\"AAAA\", 4]]"), 0},
        {"BLOB.GETBLOCKLIST box cat COMMITTED", COMMITTED(7, "[[\"AAAB\", 3], [\"AAAA\", 4]]"), 0},
        {"BLOB.GETBLOCKLIST box cat ALL",
         "[\"etag\", <etag>, \"content-length\", 7, \"committed\", [[\"AAAB\", 3], [\"AAAA\", 4]], "
         "\"uncommitted\", []]",
         0},
        {"BLOB.GETBLOCKLIST box cat UNCOMMITTED",
         "[\"etag\", <etag>, \"content-length\", 7, \"uncommitted\", []]", 0},
    };
    steps_play(steps);
    expect_text(field(stat_of("box", "cat"), "blob-type"), "block");
    expect_number(field(stat_of("box", "cat"), "content-length"), 7);
}

TEST(a_commit_reorders_repeats_and_drops) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA 1a", "OK", 0},
        {"BLOB.PUTBLOCK box cat AAAB 2b", "OK", 0},
        {"BLOB.PUTBLOCK box cat AAAC 3c", "OK", 0},
        {"BLOB.PUTBLOCKLIST box cat 3 UNCOMMITTED AAAA UNCOMMITTED AAAB UNCOMMITTED AAAC", "<etag>", 0},
        {"BLOB.PUTBLOCKLIST box cat 4 COMMITTED AAAC COMMITTED AAAA COMMITTED AAAC COMMITTED AAAA", "<etag>",
         0},
        {"BLOB.GET box cat", "[<etag>, \"3c1a3c1a\"]", 0},
        {"BLOB.GETBLOCKLIST box cat",
         COMMITTED(8, "[[\"AAAC\", 2], [\"AAAA\", 2], [\"AAAC\", 2], [\"AAAA\", 2]]"), 0},
        {"BLOB.PUTBLOCKLIST box cat 1 COMMITTED AAAB", "INVALID InvalidBlockList", 0},
        {"BLOB.PUTBLOCK box cat AAAD 4d", "OK", 0},
        {"BLOB.PUTBLOCKLIST box cat 3 LATEST AAAD LATEST AAAC LATEST AAAD", "<etag>", 0},
        {"BLOB.GET box cat", "[<etag>, \"4d3c4d\"]", 0},
        {"BLOB.GET box cat RANGE 1 4", "[<etag>, \"d3c4\"]", 0},
    };
    steps_play(steps);
}

/* Where each word looks, with AAAA committed as "old" and staged as "new", AAAB only committed, AAAC only staged. */
TEST(words_choose_where_to_look) {
    static const struct {
        const char *word;
        const char *both, *committed, *staged;
    } rows[] = {
        {"COMMITTED", "old", "b", NULL},
        {"UNCOMMITTED", "new", NULL, "c"},
        {"LATEST", "new", "b", "c"},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        const char *contents[] = {rows[row].both, rows[row].committed, rows[row].staged};
        static const char *const ids[] = {"AAAA", "AAAB", "AAAC"};
        for (int id = 0; id < 3; id++) {
            expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA old"));
            expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAB b"));
            expect_etag(call(primary, "BLOB.PUTBLOCKLIST box cat 2 LATEST AAAA LATEST AAAB"));
            expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA new"));
            expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAC c"));
            step_play(pool_print("BLOB.PUTBLOCKLIST box cat 1 %s %s", rows[row].word, ids[id]),
                      contents[id] ? "<etag>" : "INVALID InvalidBlockList", 0);
            if (contents[id]) assert_string_equal(content_of("box", "cat", ""), contents[id]);
        }
    }
}

/* One id is one block of a blob; the same word may repeat it. */
TEST(a_block_id_may_not_name_two_different_blocks) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA old", "OK", 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "<etag>", 0},
        {"BLOB.PUTBLOCK box cat AAAA new", "OK", 0},
        {"BLOB.PUTBLOCKLIST box cat 2 COMMITTED AAAA UNCOMMITTED AAAA", "INVALID InvalidBlockList", 0},
        {"BLOB.PUTBLOCKLIST box cat 2 COMMITTED AAAA LATEST AAAA", "INVALID InvalidBlockList", 0},
        {"BLOB.PUTBLOCKLIST box cat 2 LATEST AAAA UNCOMMITTED AAAA", "INVALID InvalidBlockList", 0},
        {"BLOB.PUTBLOCKLIST box cat 2 UNCOMMITTED AAAA UNCOMMITTED AAAA", "<etag>", 0},
        {"BLOB.GET box cat", "[<etag>, \"newnew\"]", 0},
    };
    steps_play(steps);
}

TEST(a_staged_block_is_replaced_by_its_id) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA first", "OK", 0},
        {"BLOB.PUTBLOCK box cat AAAA 5000*x", "OK", 0},
        {"BLOB.PUTBLOCK box cat AAAA last!!", "OK", 0},
        {"BLOB.GETBLOCKLIST box cat ALL", "[\"committed\", [], \"uncommitted\", [[\"AAAA\", 6]]]", 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "<etag>", 0},
        {"BLOB.GET box cat", "[<etag>, \"last!!\"]", 0},
    };
    steps_play(steps);
}

TEST(staged_blocks_go_with_a_put_and_a_commit) {
    static const char *const writes[] = {"BLOB.PUT box cat x", "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA",
                                         "BLOB.PUTBLOCKLIST box cat 0"};
    for (size_t write = 0; write < ARRAY_SIZE(writes); write++) {
        expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA x"));
        expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAB y"));
        step_play(writes[write], "<etag>", 0);
        step_play("BLOB.PUTBLOCKLIST box cat 1 UNCOMMITTED AAAB", "INVALID InvalidBlockList", 0);
        expect_elements(field(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "uncommitted"), 0);
    }
}

TEST(the_length_of_ids_is_that_of_the_staged_ones) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA one", "OK", 0},
        {"BLOB.PUTBLOCK box cat AA== x", "INVALID InvalidBlobOrBlock", 0},
        {"BLOB.PUTBLOCK box cat AAAAAAAA x", "INVALID InvalidBlobOrBlock", 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "<etag>", 0},
        {"BLOB.PUTBLOCK box cat AA== two", "OK", 0},
        {"BLOB.PUTBLOCK box cat AAAA x", "INVALID InvalidBlobOrBlock", 0},
        {"BLOB.PUTBLOCKLIST box cat 2 COMMITTED AAAA UNCOMMITTED AA==", "<etag>", 0},
        {"BLOB.GET box cat", "[<etag>, \"onetwo\"]", 0},
        {"BLOB.PUTBLOCK box dog AAAAAAAA another-name", "OK", 0},
    };
    steps_play(steps);
}

/* A name with staged blocks alone: who sees it, and who does not. */
TEST(uncommitted_names_are_seen_by_few) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat AAAA one", "OK", 0},
        {"BLOB.GET box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GET box cat RANGE 0 1", "NOTFOUND BlobNotFound", 0},
        {"BLOB.STAT box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GETMETA box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.SETMETA box cat META 0", "NOTFOUND BlobNotFound", 0},
        {"BLOB.SETPROPS box cat PROPS 0", "NOTFOUND BlobNotFound", 0},
        {"BLOB.SNAPSHOT box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GETPAGES box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.PUTPAGE box cat 0 512*x", "NOTFOUND BlobNotFound", 0},
        {"BLOB.APPEND box cat x", "NOTFOUND BlobNotFound", 0},
        {"BLOB.COPY box dog box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.ABORTCOPY box cat 0x0000000000000001", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GETBLOCKLIST box cat SNAPSHOT 0x0000000000000001", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GETBLOCKLIST box cat ALL", "[\"committed\", [], \"uncommitted\", [[\"AAAA\", 3]]]", 0},
        {"BLOB.GETBLOCKLIST box cat", "[\"committed\", []]", 0},
        {"BLOB.LIST box", "[null, []]", 0},
        {"BLOB.LIST box INCLUDE 3 SNAPSHOTS META COPY", "[null, []]", 0},
        {"BLOB.LIST box INCLUDE 2 UNCOMMITTED META",
         "[null, [[\"name\", \"cat\", \"blob-type\", \"block\", \"content-length\", 0, \"lease-state\", "
         "\"available\", \"lease-status\", \"unlocked\"]]]",
         0},
        {"LEASE.ACQUIRE box 60 BLOB cat ID A", NULL, 0},
        {"BLOB.DELETE box cat", "PRECONDITION LeaseIdMissing", 0},
        {"BLOB.PUTBLOCK box cat AAAB two", "PRECONDITION LeaseIdMissing", 0},
        {"BLOB.PUTBLOCK box cat AAAB two LEASE A", "OK", 0},
        {"BLOB.DELETE box cat LEASE A", "OK", 0},
        {"BLOB.DELETE box cat", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GETBLOCKLIST box cat ALL", "NOTFOUND BlobNotFound", 0},
    };
    steps_play(steps);
    expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), 0);
}

/* A condition speaks of a blob, and there is none: for creating writes that is a condition that is not met. */
TEST(conditions_do_not_see_uncommitted_names) {
    static const char *const commands[] = {"BLOB.DELETE box cat",
                                           "BLOB.DELETE box cat SNAPSHOTS INCLUDE",
                                           "BLOB.DELETE box cat LEASE A",
                                           "BLOB.DELETE box cat LEASE B",
                                           "LEASE.ACQUIRE box 60 BLOB cat ID A",
                                           "LEASE.ACQUIRE box 60 BLOB cat",
                                           "LEASE.RENEW box A BLOB cat",
                                           "LEASE.CHANGE box A B BLOB cat",
                                           "LEASE.RELEASE box A BLOB cat",
                                           "LEASE.BREAK box BLOB cat"};
    static const char *const conditions[] = {"IFMATCH *",
                                             "IFMATCH 0x0000000000000001",
                                             "IFNONEMATCH *",
                                             "IFNONEMATCH 0x0000000000000001",
                                             "IFMATCH x",
                                             "IFMODIFIEDSINCE 0",
                                             "IFUNMODIFIEDSINCE 9000000000000"};
    step_play("BLOB.PUTBLOCK box cat AAAA one", "OK", 0);
    for (int leased = 0; leased < 2; leased++) {
        if (leased) step_play("LEASE.ACQUIRE box 60 BLOB cat ID A", NULL, 0);
        for (size_t command = 0; command < ARRAY_SIZE(commands); command++)
            for (size_t condition = 0; condition < ARRAY_SIZE(conditions); condition++)
                step_play(pool_print("%s %s", commands[command], conditions[condition]),
                          "NOTFOUND BlobNotFound", 0);
    }
    step_play("BLOB.PUT box cat x IFMATCH * LEASE A", "PRECONDITION ConditionNotMet", 0);
    step_play("BLOB.PUT box cat x IFNONEMATCH * LEASE A", NULL, 0);
    step_play("BLOB.DELETE box cat IFMATCH * LEASE A", "OK", 0);
}

/* Of any kind: what only waits to become a block blob is in nobody's way. */
TEST(an_uncommitted_name_may_become_any_kind_of_blob) {
    static const struct {
        const char *command, *kind;
    } rows[] = {{"BLOB.PUT box cat x", "block"},
                {"BLOB.CREATEPAGE box cat 512", "page"},
                {"BLOB.CREATEAPPEND box cat", "append"},
                {"BLOB.COPY box cat box page", "page"},
                {"BLOB.COPY box cat box append", "append"},
                {"BLOB.PUTBLOCKLIST box cat 0", "block"}};
    expect_etag(call(primary, "BLOB.CREATEPAGE box page 512"));
    expect_etag(call(primary, "BLOB.CREATEAPPEND box append"));
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        bool is_copy = text_begins(rows[row].command, "BLOB.COPY");
        expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA one"));
        step_play(pool_print("%s IFMATCH *", rows[row].command),
                  is_copy ? "PRECONDITION TargetConditionNotMet" : "PRECONDITION ConditionNotMet", 0);
        step_play(pool_print("%s IFNONEMATCH *", rows[row].command), NULL, 0);
        expect_text(field(stat_of("box", "cat"), "blob-type"), rows[row].kind);
        expect_ok(call(primary, "BLOB.DELETE box cat"));
        expect_error(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "NOTFOUND BlobNotFound");
    }
}

TEST(an_empty_list_makes_an_empty_blob) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCKLIST box new 0", "<etag>", 0},
        {"BLOB.GET box new", "[<etag>, \"\"]", 0},
        {"BLOB.GETBLOCKLIST box new", COMMITTED(0, "[]"), 0},
        {"BLOB.PUT box cat meow META 1 a b", "<etag>", 0},
        {"BLOB.PUTBLOCK box cat AAAA x", "OK", 0},
        {"BLOB.PUTBLOCKLIST box cat 0 META 1 c d", "<etag>", 0},
        {"BLOB.GET box cat", "[<etag>, \"\"]", 0},
        {"BLOB.GETMETA box cat", "[<etag>, [\"c\", \"d\"]]", 0},
        {"BLOB.GETBLOCKLIST box cat ALL",
         "[\"etag\", <etag>, \"content-length\", 0, \"committed\", [], \"uncommitted\", []]", 0},
    };
    steps_play(steps);
    redisReply *stat = stat_of("box", "new");
    expect_number(field(stat, "created"), field(stat, "last-modified")->integer);
}

/* A content that came whole has no blocks, so none of it can be chosen. */
TEST(a_put_blob_has_no_blocks) {
    static const struct step steps[] = {
        {"BLOB.PUT box cat meow", "<etag>", 0},
        {"BLOB.GETBLOCKLIST box cat", COMMITTED(4, "[]"), 0},
        {"BLOB.PUTBLOCKLIST box cat 1 COMMITTED AAAA", "INVALID InvalidBlockList", 0},
        {"BLOB.PUTBLOCK box cat AAAA x", "OK", 0},
        {"BLOB.GET box cat", "[<etag>, \"meow\"]", 0},
        {"BLOB.PUTBLOCKLIST box cat 2 LATEST AAAA LATEST AAAB", "INVALID InvalidBlockList", 0},
        {"BLOB.GET box cat", "[<etag>, \"meow\"]", 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "<etag>", 0},
        {"BLOB.GET box cat", "[<etag>, \"x\"]", 0},
    };
    steps_play(steps);
}

TEST(large_blocks_are_read_across_their_borders) {
    enum { LENGTH = 70001, BLOCKS = 20 };
    static const char letters[] = "abcdefghijklmnopqrst";
    struct words words = words_of_line("BLOB.PUTBLOCKLIST box cat 20");
    for (int block = 0; block < BLOCKS; block++) {
        const char *id = pool_print("AAA%c", 'A' + block);
        stage("box", "cat", id, LENGTH, letters[block]);
        words_add_line(&words, pool_print("LATEST %s", id));
    }
    expect_etag(call_words(primary, &words));
    expect_number(field(stat_of("box", "cat"), "content-length"), (long long)LENGTH * BLOCKS);
    for (int block = 1; block < BLOCKS; block++) {
        const char *range = pool_print("RANGE %d 4", block * LENGTH - 2);
        assert_string_equal(
            content_of("box", "cat", range),
            pool_print("%c%c%c%c", letters[block - 1], letters[block - 1], letters[block], letters[block]));
    }
    redisReply *whole = call(primary, "BLOB.GET box cat")->element[1];
    for (size_t at = 0; at < whole->len; at++)
        require(whole->str[at] == letters[at / LENGTH], "byte %zu is %c", at, whole->str[at]);
}

/* What is staged counts for nothing until it is committed, and goes with the container. */
TEST(staged_blocks_are_no_blobs) {
    stage("box", "cat", "AAAA", 100000, 'x');
    put("box", "dog", "woof");
    redisReply *container = call(primary, "CONTAINER.GET box");
    expect_number(field(container, "blobs"), 1);
    expect_number(field(container, "bytes"), 4);
    assert_true(memory_of(primary, "box") > 100000);
    assert_int_equal(info_of(primary, "holdfast_blobs"), 1);
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    assert_true(memory_of(primary, "box") < 10000);
    stage("box", "cat", "AAAA", 100, 'x');
    expect_ok(call(primary, "CONTAINER.DELETE box"));
    create("box");
    expect_error(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "NOTFOUND BlobNotFound");
}

TEST(blocks_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"BLOB.PUTBLOCK box cat AAAA x", "blob.putblock box"},
        {"BLOB.PUTBLOCK box cat AAAA y", "blob.putblock box"},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "blob.putblocklist box"},
        {"BLOB.PUTBLOCKLIST box cat 1 COMMITTED AAAA", "blob.putblocklist box"},
    };
    expect_notifications(rows);
}

/* Who waits for a blob waits for its content, not for the parts of one to come. */
TEST(waiting_readers_are_served_by_the_commit) {
    struct client *reader = waiting("BLOB.GET box cat BLOCK 0");
    expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA meow"));
    expect_still_waiting(reader);
    const char *etag = expect_etag(call(primary, "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA"));
    expect_shape(answer_of(reader), "[<etag>, \"meow\"]");
    reader = waiting(pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", etag));
    expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA purr"));
    expect_still_waiting(reader);
    expect_etag(call(primary, "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA"));
    expect_shape(answer_of(reader), "[<etag>, \"purr\"]");
}

/* Effects only, and not a byte of the blocks again when they are committed. */
TEST(a_commit_travels_without_content) {
    enum { LENGTH = 100000 };
    struct stream *stream = stream_attach(primary->server);
    stage("box", "cat", "AAAA", LENGTH, 'x');
    redisReply *effects = expect_elements(stream_commands(stream, primary), 1);
    expect_elements(effects->element[0], 4);
    assert_int_equal(effects->element[0]->element[3]->len, LENGTH);
    expect_etag(call(primary, "BLOB.PUTBLOCKLIST box cat 2 LATEST AAAA LATEST AAAA"));
    effects = expect_elements(stream_commands(stream, primary), 1);
    expect_elements(effects->element[0], 3);
    assert_true(effects->element[0]->element[2]->len < 200);
}
