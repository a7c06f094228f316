/* A copy from another server that is going on, and of which nothing has come yet: the source is silent. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "sources.h"
#include "steps.h"
#include "traces.h"

/* A blob of each kind with a snapshot, and a copy going on to it; and a free one to copy from. */
static const struct kind {
    const char *name;
    const char *create;
    const char *writes[12];
} kinds[] = {
    {"block",
     "BLOB.PUT box target meow META 1 a b",
     {"BLOB.PUT box target x", "BLOB.PUTBLOCK box target AAAA x", "BLOB.PUTBLOCKLIST box target 0",
      "BLOB.SETPROPS box target PROPS 0", "BLOB.SETMETA box target META 0", "BLOB.SNAPSHOT box target",
      "BLOB.SNAPSHOT box target META 1 c d", "BLOB.COPY box target box free",
      "BLOB.COPY box target src blob FROM 127.0.0.1 1", "BLOB.DELETE box target SNAPSHOTS ONLY"}},
    {"page",
     "BLOB.CREATEPAGE box target 1024 SEQUENCE 5",
     {"BLOB.CREATEPAGE box target 512", "BLOB.PUTPAGE box target 0 512*x", "BLOB.CLEARPAGE box target 0 512",
      "BLOB.SETPROPS box target SIZE 512", "BLOB.SETPROPS box target SEQUENCE INCREMENT",
      "BLOB.COPY box target box target", "BLOB.SNAPSHOT box target"}},
    {"append",
     "BLOB.CREATEAPPEND box target",
     {"BLOB.CREATEAPPEND box target", "BLOB.APPEND box target x", "BLOB.SETMETA box target META 0",
      "BLOB.SNAPSHOT box target"}},
};

static const char *const lease_commands[] = {
    "LEASE.ACQUIRE box 60 BLOB target",     "LEASE.ACQUIRE box -1 BLOB target ID A",
    "LEASE.RENEW box A BLOB target",        "LEASE.CHANGE box A B BLOB target",
    "LEASE.RELEASE box A BLOB target",      "LEASE.BREAK box BLOB target",
    "LEASE.BREAK box PERIOD 0 BLOB target",
};

/* Answers the copy's id. */
static const char *begin(const struct kind *kind) {
    call(primary, "DEL box");
    create("box");
    put("box", "free", "x");
    expect_etag(call_line(primary, kind->create));
    step_keep('s', snapshot("box", "target"));
    const char *id = pending_copy("target");
    step_keep('c', id);
    return id;
}

TEST(writes_to_a_pending_copy_are_refused) {
    for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        begin(&kinds[kind]);
        for (const char *const *write = kinds[kind].writes; *write; write++) {
            step_play(*write, "CONFLICT PendingCopyOperation", 0);
            step_play(pool_print("%s LEASE A", *write), "CONFLICT PendingCopyOperation", 0);
            if (strstr(*write, "BLOB.PUTBLOCK ")) continue;
            step_play(pool_print("%s IFMATCH 0x0000000000000001", *write), "CONFLICT PendingCopyOperation",
                      0);
        }
    }
}

TEST(lease_operations_on_a_pending_copy_are_refused) {
    begin(&kinds[0]);
    for (size_t i = 0; i < ARRAY_SIZE(lease_commands); i++)
        step_play(lease_commands[i], "CONFLICT PendingCopyOperation", 0);
    step_play("LEASE.GET box BLOB target",
              "[\"state\", \"available\", \"status\", \"unlocked\", \"waiters\", 0]", 0);
    step_play("LEASE.ACQUIRE box 60 BLOB target BLOCK 0.01", "CONFLICT PendingCopyOperation", 0);
}

TEST(reads_of_a_pending_copy_go_on) {
    static const struct step steps[] = {
        {"BLOB.GET box target", "[<etag>, \"meow\"]", 0},
        {"BLOB.GET box target RANGE 1 2", "[<etag>, \"eo\"]", 0},
        {"BLOB.GETMETA box target", "[<etag>, [\"a\", \"b\"]]", 0},
        {"BLOB.GET box target SNAPSHOT $s", "[<etag>, \"meow\"]", 0},
        {"BLOB.GETBLOCKLIST box target ALL",
         "[\"etag\", <etag>, \"content-length\", 4, \"committed\", [], \"uncommitted\", []]", 0},
        {"BLOB.DELETE box target SNAPSHOT $s", "OK", 0},
        {"BLOB.COPY box other box target", "[<etag>, <etag>, \"success\"]", 0},
        {"BLOB.GET box other", "[<etag>, \"meow\"]", 0},
    };
    begin(&kinds[0]);
    redisReply *stat = stat_of("box", "target");
    expect_text(field(stat, "blob-type"), "block");
    expect_number(field(stat, "content-length"), 4);
    expect_text(field(stat, "copy-progress"), "0/0");
    assert_null(reply_field_if_any(stat, "copy-completed"));
    assert_null(reply_field_if_any(stat, "copy-description"));
    steps_play(steps);
    redisReply *page = call(primary, "BLOB.LIST box PREFIX target INCLUDE 1 COPY");
    expect_text(field(page->element[1]->element[0], "copy-status"), "pending");
    page = call(primary, "BLOB.LIST box PREFIX target");
    assert_null(reply_field_if_any(page->element[1]->element[0], "copy-status"));
    expect_text(field(stat_of("box", "other"), "copy-status"), "success");
}

TEST(an_aborted_copy_leaves_no_bytes) {
    for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        begin(&kinds[kind]);
        redisReply *before = stat_of("box", "target");
        step_play("BLOB.ABORTCOPY box target 0x0000000000000001", "CONFLICT CopyIdMismatch", 0);
        step_play("BLOB.ABORTCOPY box target x", "INVALID InvalidQueryParameterValue", 0);
        step_play("BLOB.ABORTCOPY box target $c LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0);
        step_play("BLOB.ABORTCOPY box target $c", "OK", 0);
        redisReply *after = stat_of("box", "target");
        expect_text(field(after, "copy-status"), "aborted");
        expect_text(field(after, "copy-id"), step_kept('c'));
        expect_text(field(after, "copy-progress"), "0/0");
        assert_true(field(after, "copy-completed")->integer > 0);
        expect_number(field(after, "content-length"), 0);
        expect_text(field(after, "blob-type"), kinds[kind].name);
        if (!strcmp(kinds[kind].name, "page")) expect_number(field(after, "sequence-number"), 5);
        assert_true(reply_same(field(after, "meta"), field(before, "meta")));
        assert_true(reply_same(field(after, "created"), field(before, "created")));
        assert_true(strcmp(reply_string(field(after, "etag")), reply_string(field(before, "etag"))) > 0);
        expect_number(field(after, "snapshots"), 1);
        expect_number(field(call(primary, "CONTAINER.GET box"), "bytes"), 1);
        step_play("BLOB.GET box target", "[<etag>, \"\"]", 0);
        step_play("BLOB.ABORTCOPY box target $c", "CONFLICT NoPendingCopyOperation", 0);
        step_play(kinds[kind].writes[0], NULL, 0);
        assert_null(reply_field_if_any(stat_of("box", "target"), "copy-id"));
    }
}

/* The empty pages that aborting leaves begin anew: neither with those of before nor with those of
 * another end can they be compared. */
TEST(aborted_page_blobs_cannot_be_compared_with_earlier_snapshots) {
    static const struct step steps[] = {
        {"BLOB.ABORTCOPY box target $c", "OK", 0},
        {"BLOB.GETPAGES box target SINCE $s", "CONFLICT BlobOverwritten", 0},
        {"BLOB.SNAPSHOT box target", "[<etag>, <etag>]", 'a'},
        {"BLOB.GETPAGES box target SINCE $a",
         "[\"etag\", <etag>, \"content-length\", 0, \"pages\", [], \"cleared\", []]", 0},
    };
    begin(&kinds[1]);
    steps_play(steps);
    step_keep('c', pending_copy("target"));
    step_play("BLOB.ABORTCOPY box target $c", "OK", 0);
    step_play("BLOB.GETPAGES box target SINCE $a", "CONFLICT BlobOverwritten", 0);
}

/* An infinite lease may stand on the target: aborting needs its id, and does not end it. */
TEST(aborting_a_copy_needs_the_lease) {
    time_passes(0);
    create("box");
    put("box", "target", "meow");
    acquire("box", "-1", "BLOB target ID " ID_A);
    step_keep('c', pending_copy_with("target", "LEASE " ID_A));
    step_play("BLOB.PUT box target x LEASE A", "CONFLICT PendingCopyOperation", 0);
    step_play("BLOB.ABORTCOPY box target $c", "PRECONDITION LeaseIdMissing", 0);
    step_play("BLOB.ABORTCOPY box target 0x0000000000000001", "PRECONDITION LeaseIdMissing", 0);
    step_play("BLOB.ABORTCOPY box target $c LEASE B", "PRECONDITION LeaseIdMismatchWithBlobOperation", 0);
    step_play("BLOB.ABORTCOPY box target 0x0000000000000001 LEASE A", "CONFLICT CopyIdMismatch", 0);
    step_play("BLOB.ABORTCOPY box target $c LEASE A", "OK", 0);
    expect_text(field(stat_of("box", "target"), "lease-state"), "leased");
}

/* A client that may delete the blob may end the copy; conditions and leases count as ever, snapshots protect it as ever. */
TEST(deleting_the_target_aborts_its_copy) {
    static const struct step steps[] = {
        {"BLOB.DELETE box target IFMATCH 0x0000000000000001", "PRECONDITION ConditionNotMet", 0},
        {"BLOB.DELETE box target LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.DELETE box target", "CONFLICT SnapshotsPresent", 0},
        {"BLOB.DELETE box target SNAPSHOTS INCLUDE", "OK", 0},
        {"BLOB.ABORTCOPY box target $c", "NOTFOUND BlobNotFound", 0},
        {"BLOB.PUT box target new", "<etag>", 0},
    };
    for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        begin(&kinds[kind]);
        steps_play(steps);
        await_copies_pending(0);
        assert_null(reply_field_if_any(stat_of("box", "target"), "copy-id"));
    }
}

TEST(aborting_a_copy_is_notified_and_aborts_watchers) {
    const char *id = begin(&kinds[0]);
    expect_notification(pool_print("BLOB.ABORTCOPY box target %s", id), "blob.abortcopy box");
}
