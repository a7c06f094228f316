/* What others have got wrong before, by the number that each trap has in the specification. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "sources.h"
#include "steps.h"

TEST(trap_20_a_snapshot_needs_no_lease) {
    static const struct step steps[] = {
        {"LEASE.ACQUIRE box -1 BLOB cat ID A", NULL, 0},
        {"BLOB.SNAPSHOT box cat", "[<etag>, <etag>]", 's'},
        {"BLOB.SNAPSHOT box cat LEASE A", "[<etag>, <etag>]", 0},
        {"BLOB.DELETE box cat SNAPSHOT $s", "OK", 0},
    };
    lease_setup();
    steps_play(steps);
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A));
}

TEST(trap_21_a_finite_lease_covers_no_copy) {
    static const struct step steps[] = {
        {"BLOB.PUT box source x", NULL, 0},
        {"LEASE.ACQUIRE box 60 BLOB cat ID A", NULL, 0},
        {"BLOB.COPY box cat box source LEASE A", "PRECONDITION InfiniteLeaseDurationRequired", 0},
        {"LEASE.ACQUIRE box -1 BLOB cat ID A", NULL, 0},
        {"BLOB.COPY box cat box source LEASE A", "[<etag>, <etag>, \"success\"]", 0},
        {"LEASE.RELEASE box A BLOB cat", "OK", 0},
    };
    lease_setup();
    steps_play(steps);
}

TEST(trap_22_no_lease_operations_while_a_copy_goes_on) {
    lease_setup();
    pending_copy("cat");
    step_play("LEASE.ACQUIRE box 60 BLOB cat", "CONFLICT PendingCopyOperation", 0);
    step_play("LEASE.BREAK box BLOB cat", "CONFLICT PendingCopyOperation", 0);
}

TEST(trap_23_conditions_of_snapshots_and_sources_are_those_of_writes) {
    lease_setup();
    const char *etag = reply_string(field(stat_of("box", "cat"), "etag"));
    step_keep('e', etag);
    step_play("BLOB.SNAPSHOT box cat IFNONEMATCH $e", "PRECONDITION ConditionNotMet", 0);
    step_play("BLOB.SNAPSHOT box cat IFMODIFIEDSINCE 9000000000000", "PRECONDITION ConditionNotMet", 0);
    step_play("BLOB.SNAPSHOT box cat IFNONEMATCH *", "[<etag>, <etag>]", 0);
    step_play("BLOB.COPY box new box cat SOURCEIFNONEMATCH $e", "PRECONDITION SourceConditionNotMet", 0);
    step_play("BLOB.COPY box new box cat SOURCEIFMODIFIEDSINCE 9000000000000",
              "PRECONDITION SourceConditionNotMet", 0);
}

TEST(trap_31_putblock_leaves_the_etag) {
    lease_setup();
    redisReply *before = stat_of("box", "cat");
    time_passes(2000);
    expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA x"));
    assert_true(reply_same(before, stat_of("box", "cat")));
}

TEST(trap_33_staged_blocks_are_no_content) {
    create("box");
    expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA x"));
    step_play("BLOB.GET box cat", "NOTFOUND BlobNotFound", 0);
}

TEST(trap_34_staged_blocks_go_with_a_put_and_a_commit) {
    static const char *const writes[] = {"BLOB.PUT box cat x", "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA",
                                         "BLOB.PUTBLOCKLIST box cat 0"};
    create("box");
    for (size_t write = 0; write < ARRAY_SIZE(writes); write++) {
        expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA x"));
        expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAB y"));
        step_play(writes[write], "<etag>", 0);
        step_play("BLOB.PUTBLOCKLIST box cat 1 UNCOMMITTED AAAB", "INVALID InvalidBlockList", 0);
        expect_elements(field(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "uncommitted"), 0);
    }
}

TEST(trap_35_the_length_of_ids_is_that_of_the_staged_ones) {
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
    create("box");
    steps_play(steps);
}

TEST(trap_36_an_empty_list_is_a_list) {
    create("box");
    step_play("BLOB.PUTBLOCKLIST box cat 0", "<etag>", 0);
    step_play("BLOB.GET box cat", "[<etag>, \"\"]", 0);
}

TEST(trap_37_a_commit_replaces_metadata_and_properties) {
    static const struct step steps[] = {
        {"BLOB.PUT box cat x META 1 a b PROPS 1 content-language en", "<etag>", 0},
        {"BLOB.PUTBLOCKLIST box cat 0", "<etag>", 0},
        {"BLOB.GETMETA box cat", "[<etag>, []]", 0},
        {"BLOB.PUTBLOCKLIST box cat 0 META 1 c d", "<etag>", 0},
        {"BLOB.GETMETA box cat", "[<etag>, [\"c\", \"d\"]]", 0},
    };
    create("box");
    steps_play(steps);
    assert_null(reply_field_if_any(stat_of("box", "cat"), "content-language"));
}

/* Whichever of the three is written, the two others stay. */
TEST(trap_38_pages_of_blob_snapshot_and_copy_are_apart) {
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
    create("box");
    create("other");
    steps_play(steps);
}

TEST(trap_39_ranges_beyond_the_end) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 1024", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 512 1024*x", "INVALID InvalidPageRange", 0},
        {"BLOB.PUTPAGE box disk 1024 512*x", "INVALID InvalidPageRange", 0},
        {"BLOB.CLEARPAGE box disk 0 1536", "INVALID InvalidPageRange", 0},
        {"BLOB.PUTPAGE box disk 512 512*x", "[<etag>, 0]", 0},
    };
    create("box");
    steps_play(steps);
}

TEST(trap_40_metadata_of_a_snapshot_give_it_an_etag) {
    lease_setup();
    const char *etag = reply_string(field(stat_of("box", "cat"), "etag"));
    redisReply *taken = call(primary, "BLOB.SNAPSHOT box cat META 1 a b");
    assert_true(strcmp(reply_string(taken->element[1]), etag) > 0);
    expect_shape(call(primary, "BLOB.GETMETA box cat SNAPSHOT %s", expect_etag(taken)),
                 "[<etag>, [\"a\", \"b\"]]");
    expect_text(call(primary, "BLOB.GETMETA box cat")->element[0], etag);
}

TEST(trap_41_the_sequence_number_0_is_shown) {
    create("box");
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    expect_number(field(stat_of("box", "disk"), "sequence-number"), 0);
    redisReply *item = call(primary, "BLOB.LIST box")->element[1]->element[0];
    expect_number(field(item, "sequence-number"), 0);
}

TEST(trap_42_a_kind_is_for_life) {
    static const struct {
        const char *begin, *end;
    } creations[] = {{"BLOB.PUT", "x"}, {"BLOB.CREATEPAGE", "512"}, {"BLOB.CREATEAPPEND", ""}};
    create("box");
    for (int kind = 0; kind < 3; kind++)
        step_play(pool_print("%s box blob-%d %s", creations[kind].begin, kind, creations[kind].end), "<etag>",
                  0);
    for (int kind = 0; kind < 3; kind++) {
        for (int other = 0; other < 3; other++) {
            step_play(pool_print("%s box blob-%d %s", creations[other].begin, kind, creations[other].end),
                      kind == other ? "<etag>" : "CONFLICT InvalidBlobType", 0);
        }
    }
}

TEST(trap_43_a_new_container_is_empty) {
    lease_setup();
    const char *id = snapshot("box", "cat");
    expect_ok(call(primary, "BLOB.PUTBLOCK box dog AAAA x"));
    expect_ok(call(primary, "CONTAINER.DELETE box"));
    create("box");
    expect_shape(call(primary, "BLOB.LIST box INCLUDE 2 SNAPSHOTS UNCOMMITTED"), "[null, []]");
    put("box", "cat", "new");
    expect_error(call(primary, "BLOB.GET box cat SNAPSHOT %s", id), "NOTFOUND BlobNotFound");
    expect_error(call(primary, "BLOB.GETBLOCKLIST box dog ALL"), "NOTFOUND BlobNotFound");
}

TEST(trap_44_aborting_brings_nothing_back) {
    create("box");
    expect_etag(call(primary, "BLOB.PUT box cat old META 1 a b"));
    const char *id = pending_copy("cat");
    expect_ok(call(primary, "BLOB.ABORTCOPY box cat %s", id));
    step_play("BLOB.GET box cat", "[<etag>, \"\"]", 0);
    step_play("BLOB.GETMETA box cat", "[<etag>, [\"a\", \"b\"]]", 0);
}

TEST(trap_45_metadata_of_a_copy_replace_all) {
    create("box");
    expect_etag(call(primary, "BLOB.PUT box cat x META 2 a b c d"));
    step_play("BLOB.COPY box dog box cat META 1 c e", NULL, 0);
    step_play("BLOB.GETMETA box dog", "[<etag>, [\"c\", \"e\"]]", 0);
}

TEST(trap_46_one_property_clears_the_others) {
    create("box");
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512 PROPS 2 content-language en cache-control x"));
    expect_etag(call(primary, "BLOB.SETPROPS box disk PROPS 1 content-encoding gzip SIZE 1024"));
    redisReply *stat = stat_of("box", "disk");
    assert_null(reply_field_if_any(stat, "content-language"));
    assert_null(reply_field_if_any(stat, "cache-control"));
    expect_text(field(stat, "content-encoding"), "gzip");
}

TEST(trap_47_copy_properties_end_with_the_next_write) {
    static const struct {
        const char *command;
        bool ends;
    } rows[] = {
        {"BLOB.PUT box copy x", true},
        {"BLOB.PUTBLOCKLIST box copy 0", true},
        {"BLOB.SETPROPS box copy PROPS 0", true},
        {"BLOB.SETMETA box copy META 0", true},
        {"BLOB.PUTBLOCK box copy AAAA x", false},
        {"BLOB.SNAPSHOT box copy", false},
        {"LEASE.BREAK box BLOB copy", false},
    };
    lease_setup();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        step_play("BLOB.COPY box copy box cat", NULL, 0);
        if (!strncmp(rows[row].command, "LEASE", 5)) step_play("LEASE.ACQUIRE box -1 BLOB copy", NULL, 0);
        step_play(rows[row].command, NULL, 0);
        assert_int_equal(!reply_field_if_any(stat_of("box", "copy"), "copy-id"), rows[row].ends);
    }
}

TEST(trap_51_the_lease_comes_before_the_snapshots) {
    lease_setup();
    snapshot("box", "cat");
    acquire("box", "-1", "BLOB cat ID " ID_A);
    step_play("BLOB.DELETE box cat", "PRECONDITION LeaseIdMissing", 0);
    step_play("BLOB.DELETE box cat LEASE B", "PRECONDITION LeaseIdMismatchWithBlobOperation", 0);
    step_play("BLOB.DELETE box cat LEASE A", "CONFLICT SnapshotsPresent", 0);
}
