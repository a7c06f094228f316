/* Snapshots: how a blob was. Taking, reading, listing and deleting them, and what they share. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "steps.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"

TEST(a_snapshot_keeps_how_the_blob_was) {
    static const struct step steps[] = {
        {"BLOB.PUT box cat meow META 1 a b PROPS 1 content-type text/plain", "<etag>", 'e'},
        {"BLOB.SNAPSHOT box cat", "[<etag>, <etag>]", 's'},
        {"BLOB.GET box cat SNAPSHOT $s IFMATCH $e", "[<etag>, \"meow\"]", 0},
        {"BLOB.GET box cat IFMATCH $e", "[<etag>, \"meow\"]", 0},
        {"BLOB.PUT box cat purr", "<etag>", 0},
        {"BLOB.GET box cat SNAPSHOT $s", "[<etag>, \"meow\"]", 'x'},
        {"BLOB.GET box cat RANGE 1 2 SNAPSHOT $s", "[<etag>, \"eo\"]", 0},
        {"BLOB.GETMETA box cat SNAPSHOT $s", "[<etag>, [\"a\", \"b\"]]", 0},
        {"BLOB.GETMETA box cat", "[<etag>, []]", 0},
        {"BLOB.STAT box cat SNAPSHOT $s",
         "[\"blob-type\", \"block\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
         "\"content-length\", 4, \"content-type\", \"text/plain\", \"meta\", [\"a\", \"b\"]]",
         0},
        {"BLOB.GET box cat SNAPSHOT $s IFNONEMATCH $e", "null", 0},
        {"BLOB.GET box cat SNAPSHOT $s IFNONEMATCH $e BLOCK 0", "null", 0},
        {"BLOB.GET box cat SNAPSHOT 0x0000000000000001 BLOCK 0", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GET box none SNAPSHOT $s BLOCK 0", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GET box cat SNAPSHOT $", "INVALID InvalidQueryParameterValue", 0},
    };
    create("box");
    steps_play(steps);
    assert_string_equal(step_kept('x'), step_kept('e'));
    expect_number(field(stat_of("box", "cat"), "snapshots"), 1);
}

/* Ids grow with every other version; the ETag stays unless there are metadata. */
TEST(ids_and_etags_of_snapshots) {
    create("box");
    put("box", "cat", "meow");
    const char *etag = expect_etag(call(primary, "BLOB.SETMETA box cat META 1 a b"));
    long long modified = instant_of("box", "cat");
    time_passes(5000);
    redisReply *plain = call(primary, "BLOB.SNAPSHOT box cat");
    redisReply *dressed = call(primary, "BLOB.SNAPSHOT box cat META 1 c d");
    redisReply *bare = call(primary, "BLOB.SNAPSHOT box cat META 0");
    const char *first = expect_etag(plain), *second = expect_etag(dressed), *third = expect_etag(bare);
    assert_true(strcmp(first, etag) > 0 && strcmp(second, first) > 0 && strcmp(third, second) > 0);
    expect_text(plain->element[1], etag);
    assert_true(strcmp(reply_string(dressed->element[1]), first) > 0);
    assert_true(strcmp(reply_string(bare->element[1]), reply_string(dressed->element[1])) > 0);
    step_keep('1', first);
    step_keep('2', second);
    step_keep('3', third);
    step_play("BLOB.GETMETA box cat SNAPSHOT $1", "[<etag>, [\"a\", \"b\"]]", 0);
    step_play("BLOB.GETMETA box cat SNAPSHOT $2", "[<etag>, [\"c\", \"d\"]]", 0);
    step_play("BLOB.GETMETA box cat SNAPSHOT $3", "[<etag>, []]", 0);
    redisReply *stat = call(primary, "BLOB.STAT box cat SNAPSHOT %s", second);
    expect_text(field(stat, "etag"), reply_string(dressed->element[1]));
    assert_true(field(stat, "last-modified")->integer >= modified + 5000);
    expect_number(field(call(primary, "BLOB.STAT box cat SNAPSHOT %s", first), "last-modified"), modified);
    expect_text(field(stat_of("box", "cat"), "etag"), etag);
    assert_int_equal(instant_of("box", "cat"), modified);
}

TEST(conditions_of_a_snapshot_are_those_of_a_write) {
    create("box");
    step_keep('e', put("box", "cat", "meow"));
    step_play("BLOB.SNAPSHOT box cat IFNONEMATCH $e", "PRECONDITION ConditionNotMet", 0);
    step_play("BLOB.SNAPSHOT box cat IFMODIFIEDSINCE 9000000000000", "PRECONDITION ConditionNotMet", 0);
    step_play("BLOB.SNAPSHOT box cat IFNONEMATCH *", "[<etag>, <etag>]", 0);
}

/* Everything but the content, too, stays with the snapshot. */
TEST(snapshots_of_other_kinds) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 1024 SEQUENCE 4", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 0 512*a", "[<etag>, 4]", 0},
        {"BLOB.SNAPSHOT box disk", NULL, 'd'},
        {"BLOB.SETPROPS box disk SIZE 512 SEQUENCE INCREMENT", "<etag>", 0},
        {"BLOB.CLEARPAGE box disk 0 512", "[<etag>, 5]", 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $d",
         "[\"etag\", <etag>, \"content-length\", 1024, \"pages\", [[0, 512]]]", 0},
        {"BLOB.GET box disk SNAPSHOT $d RANGE 510 4", "[<etag>, \"aa\\x00\\x00\"]", 0},
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.APPEND box log one", "[<etag>, 0, 1]", 0},
        {"BLOB.SNAPSHOT box log", NULL, 'l'},
        {"BLOB.APPEND box log two", "[<etag>, 3, 2]", 0},
        {"BLOB.GET box log SNAPSHOT $l", "[<etag>, \"one\"]", 0},
        {"BLOB.PUTBLOCK box cat AAAA old", "OK", 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", "<etag>", 0},
        {"BLOB.PUTBLOCK box cat AAAB new", "OK", 0},
        {"BLOB.SNAPSHOT box cat", NULL, 'c'},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAB", "<etag>", 0},
        {"BLOB.GETBLOCKLIST box cat ALL SNAPSHOT $c",
         "[\"etag\", <etag>, \"content-length\", 3, \"committed\", [[\"AAAA\", 3]], \"uncommitted\", []]", 0},
        {"BLOB.GETBLOCKLIST box disk SNAPSHOT $d", "CONFLICT InvalidBlobType", 0},
        {"BLOB.GETPAGES box cat SNAPSHOT $c", "CONFLICT InvalidBlobType", 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $c", "NOTFOUND BlobNotFound", 0},
    };
    create("box");
    steps_play(steps);
    redisReply *stat = call(primary, "BLOB.STAT box disk SNAPSHOT %s", step_kept('d'));
    expect_number(field(stat, "sequence-number"), 4);
    expect_number(field(call(primary, "BLOB.STAT box log SNAPSHOT %s", step_kept('l')), "block-count"), 1);
}

/* What each word of DELETE leaves: of a base with two snapshots. */
TEST(deleting_with_snapshots) {
    static const struct {
        const char *command, *answer;
        bool base, older, newer;
    } rows[] = {
        {"BLOB.DELETE box cat", "CONFLICT SnapshotsPresent", true, true, true},
        {"BLOB.DELETE box cat SNAPSHOTS INCLUDE", "OK", false, false, false},
        {"BLOB.DELETE box cat snapshots only", "OK", true, false, false},
        {"BLOB.DELETE box cat SNAPSHOT $a", "OK", true, false, true},
        {"BLOB.DELETE box cat SNAPSHOT $b", "OK", true, true, false},
        {"BLOB.DELETE box cat SNAPSHOT $a SNAPSHOTS ONLY", "INVALID InvalidHeaderValue", true, true, true},
        {"BLOB.DELETE box cat SNAPSHOTS INCLUDE SNAPSHOT $a", "INVALID InvalidHeaderValue", true, true, true},
        {"BLOB.DELETE box cat SNAPSHOT 0x0000000000000000", "NOTFOUND BlobNotFound", true, true, true},
        {"BLOB.DELETE box cat SNAPSHOT x", "INVALID InvalidQueryParameterValue", true, true, true},
        {"BLOB.DELETE box none SNAPSHOT $a", "NOTFOUND BlobNotFound", true, true, true},
        {"BLOB.DELETE box none SNAPSHOTS INCLUDE", "NOTFOUND BlobNotFound", true, true, true},
        {"BLOB.DELETE box cat SNAPSHOT $a IFMATCH 0x0000000000000001", "PRECONDITION ConditionNotMet", true,
         true, true},
        {"BLOB.DELETE box cat SNAPSHOTS ONLY IFMATCH 0x0000000000000001", "PRECONDITION ConditionNotMet",
         true, true, true},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        call(primary, "DEL box");
        create("box");
        put("box", "cat", "old");
        step_keep('a', snapshot("box", "cat"));
        put("box", "cat", "new");
        step_keep('b', snapshot("box", "cat"));
        put("box", "cat", "base");
        step_play(rows[row].command, rows[row].answer, 0);
        step_play("BLOB.GET box cat", rows[row].base ? "[<etag>, \"base\"]" : "NOTFOUND BlobNotFound", 0);
        step_play("BLOB.GET box cat SNAPSHOT $a",
                  rows[row].older ? "[<etag>, \"old\"]" : "NOTFOUND BlobNotFound", 0);
        step_play("BLOB.GET box cat SNAPSHOT $b",
                  rows[row].newer ? "[<etag>, \"new\"]" : "NOTFOUND BlobNotFound", 0);
        if (!rows[row].base) continue;
        expect_number(field(stat_of("box", "cat"), "snapshots"), rows[row].older + rows[row].newer);
        expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), 1);
        expect_number(field(call(primary, "CONTAINER.GET box"), "bytes"), 4);
    }
}

TEST(deleting_no_snapshots_changes_nothing) {
    create("box");
    put("box", "cat", "meow");
    traces_begin("");
    expect_ok(call(primary, "BLOB.DELETE box cat SNAPSHOTS ONLY"));
    traces_require_none();
    expect_ok(call(primary, "BLOB.DELETE box cat SNAPSHOTS INCLUDE"));
    expect_error(call(primary, "BLOB.GET box cat"), "NOTFOUND BlobNotFound");
}

/* As any write does, whether there are snapshots or not. */
TEST(deleting_all_snapshots_ends_what_is_left_of_a_lease) {
    static const struct noticed rows[] = {
        {"BLOB.DELETE box cat SNAPSHOTS ONLY", "lease.expired box"},
        {"BLOB.SNAPSHOT box dog", "blob.snapshot box"},
        {"BLOB.DELETE box dog SNAPSHOTS ONLY", "lease.expired box, blob.delete box"},
    };
    create("box");
    put("box", "cat", "meow");
    put("box", "dog", "woof");
    acquire("box", "15", "BLOB cat ID " ID_A);
    acquire("box", "15", "BLOB dog ID " ID_A);
    time_passes(16000);
    expect_notifications(rows);
    expect_text(field(stat_of("box", "cat"), "lease-state"), "available");
    expect_text(field(stat_of("box", "dog"), "lease-state"), "available");
}

/* The base's lease guards the base and all snapshots together, but neither taking nor deleting a single one. */
TEST(snapshots_under_leases) {
    static const struct step steps[] = {
        {"LEASE.ACQUIRE box 60 BLOB cat ID A", NULL, 0},
        {"BLOB.SNAPSHOT box cat", NULL, 'a'},
        {"BLOB.SNAPSHOT box cat LEASE A", NULL, 'b'},
        {"BLOB.SNAPSHOT box cat LEASE B", "PRECONDITION LeaseIdMismatchWithBlobOperation", 0},
        {"BLOB.DELETE box cat", "PRECONDITION LeaseIdMissing", 0},
        {"BLOB.DELETE box cat SNAPSHOTS ONLY", "PRECONDITION LeaseIdMissing", 0},
        {"BLOB.DELETE box cat SNAPSHOTS INCLUDE", "PRECONDITION LeaseIdMissing", 0},
        {"BLOB.DELETE box cat LEASE B", "PRECONDITION LeaseIdMismatchWithBlobOperation", 0},
        {"BLOB.DELETE box cat LEASE A", "CONFLICT SnapshotsPresent", 0},
        {"BLOB.DELETE box cat LEASE A IFMATCH 0x0000000000000001", "PRECONDITION ConditionNotMet", 0},
        {"BLOB.DELETE box cat SNAPSHOT $a LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.GET box cat SNAPSHOT $a LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.STAT box cat SNAPSHOT $a LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.GETMETA box cat SNAPSHOT $a LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.GETBLOCKLIST box cat SNAPSHOT $a LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.DELETE box cat SNAPSHOT $a", "OK", 0},
        {"BLOB.DELETE box cat SNAPSHOTS ONLY LEASE A", "OK", 0},
        {"BLOB.GET box cat SNAPSHOT $b", "NOTFOUND BlobNotFound", 0},
        {"BLOB.DELETE box cat LEASE A", "OK", 0},
    };
    lease_setup();
    steps_play(steps);
}

/* --- Listing --- */

static const char *listed(const char *rest) {
    struct text names = EMPTY_TEXT;
    redisReply *page = expect_elements(call_line(primary, pool_print("BLOB.LIST box %s", rest)), 2);
    for (size_t i = 0; i < page->element[1]->elements; i++) {
        const redisReply *item = page->element[1]->element[i];
        const redisReply *id = reply_field_if_any(item, "snapshot");
        text_print(&names, "%s%s%s", i ? " " : "", reply_string(field(item, "name")),
                   id ? reply_string(id) : "");
    }
    return names.bytes;
}

static void take_some(const char **ids) {
    create("box");
    put("box", "a", "1");
    put("box", "cat", "22");
    ids[0] = snapshot("box", "cat");
    put("box", "cat", "333");
    ids[1] = snapshot("box", "cat");
    put("box", "cat", "4444");
    put("box", "dog", "1");
    ids[2] = snapshot("box", "dog");
}

TEST(snapshots_are_listed_before_their_base) {
    const char *ids[3];
    take_some(ids);
    assert_string_equal(listed(""), "a cat dog");
    const char *all = pool_print("a cat%s cat%s cat dog%s dog", ids[0], ids[1], ids[2]);
    assert_string_equal(listed("INCLUDE 1 SNAPSHOTS"), all);
    assert_string_equal(listed("INCLUDE 3 SNAPSHOTS META UNCOMMITTED"), all);
    assert_string_equal(listed("PREFIX c INCLUDE 1 SNAPSHOTS"),
                        pool_print("cat%s cat%s cat", ids[0], ids[1]));
    expect_error(call(primary, "BLOB.LIST box INCLUDE 1 SNAPSHOTS DELIMITER /"),
                 "INVALID InvalidQueryParameterValue");
    expect_shape(call(primary, "BLOB.LIST box PREFIX dog INCLUDE 2 SNAPSHOTS META"),
                 "[null, [[\"name\", \"dog\", \"snapshot\", <etag>, \"blob-type\", \"block\", "
                 "\"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, \"content-length\", 1, "
                 "\"content-type\", \"application/octet-stream\", \"meta\", []], [\"name\", \"dog\", "
                 "\"blob-type\", \"block\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", "
                 "<ms>, \"content-length\", 1, \"content-type\", \"application/octet-stream\", "
                 "\"lease-state\", \"available\", \"lease-status\", \"unlocked\", \"meta\", []]]]");
}

/* Whatever the size of the pages, together they are the whole, in its order and without repetition. */
TEST(pages_of_a_listing_may_end_between_snapshots) {
    const char *ids[3];
    take_some(ids);
    const char *all = listed("INCLUDE 1 SNAPSHOTS");
    for (int size = 1; size <= 7; size++) {
        struct text paged = EMPTY_TEXT;
        const redisReply *marker = NULL;
        for (int page = 0; page < 10; page++) {
            struct words words =
                words_of_line(pool_print("BLOB.LIST box COUNT %d INCLUDE 1 SNAPSHOTS", size));
            if (marker) {
                words_add(&words, "MARKER");
                words_add_bytes(&words, marker->str, marker->len);
            }
            redisReply *reply = expect_elements(call_words(primary, &words), 2);
            for (size_t i = 0; i < reply->element[1]->elements; i++) {
                const redisReply *item = reply->element[1]->element[i];
                const redisReply *id = reply_field_if_any(item, "snapshot");
                text_print(&paged, "%s%s%s", paged.length ? " " : "", reply_string(field(item, "name")),
                           id ? reply_string(id) : "");
            }
            marker = reply->element[0];
            if (reply_is_null(marker)) break;
        }
        assert_string_equal(paged.bytes, all);
    }
}

/* --- Memory --- */

TEST(a_snapshot_takes_its_record_alone) {
    enum { RECORD_MAX = 1024, THREE_MAX = 3072 };
    static const struct {
        const char *create, *fill, *change;
    } kinds[] = {
        {"BLOB.PUT box cat x", "BLOB.PUT box cat 10485760*x", "BLOB.SETMETA box cat META 0"},
        {"BLOB.PUTBLOCK box cat AAAA 10485760*x", "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA",
         "BLOB.SETMETA box cat META 0"},
        {"BLOB.CREATEAPPEND box cat", "BLOB.APPEND box cat 10485760*x", "BLOB.SETMETA box cat META 0"},
        {"BLOB.CREATEPAGE box cat 10485760", "BLOB.PUTPAGE box cat 0 4194304*x",
         "BLOB.PUTPAGE box cat 4194304 4194304*x"},
    };
    for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        call(primary, "DEL box");
        create("box");
        step_play(kinds[kind].create, NULL, 0);
        step_play(kinds[kind].fill, NULL, 0);
        step_play(kinds[kind].change, NULL, 0);
        expect_ok(call(primary, "DEBUG RELOAD")); /* what is loaded may be held a little otherwise */
        long long before = memory_of(primary, "box");
        snapshot("box", "cat");
        long long more = memory_of(primary, "box") - before;
        require(more > 0 && more < RECORD_MAX, "%s: a snapshot takes %lld bytes", kinds[kind].fill, more);
        snapshot("box", "cat");
        snapshot("box", "cat");
        expect_ok(call(primary, "DEBUG RELOAD"));
        more = memory_of(primary, "box") - before;
        require(more < THREE_MAX, "%s: three take %lld bytes after a reload", kinds[kind].fill, more);
        await_replicas();
        more = memory_of(replica, "box") - before;
        require(more < THREE_MAX, "%s: three take %lld bytes on a replica", kinds[kind].fill, more);
        expect_ok(call(primary, "BLOB.DELETE box cat SNAPSHOTS ONLY"));
        require(memory_of(primary, "box") <= before, "%s: deleted snapshots leave something",
                kinds[kind].fill);
    }
}

TEST(info_counts_snapshots) {
    const char *ids[3];
    take_some(ids);
    assert_int_equal(info_of(primary, "holdfast_blob_snapshots"), 3);
    assert_int_equal(info_of(primary, "holdfast_blobs"), 3);
    expect_ok(call(primary, "DEBUG RELOAD"));
    assert_int_equal(info_of(primary, "holdfast_blob_snapshots"), 3);
    expect_ok(call(primary, "BLOB.DELETE box cat SNAPSHOT %s", ids[0]));
    assert_int_equal(info_of(primary, "holdfast_blob_snapshots"), 2);
    expect_ok(call(primary, "BLOB.DELETE box dog SNAPSHOTS INCLUDE"));
    assert_int_equal(info_of(primary, "holdfast_blob_snapshots"), 1);
    expect_number(call(primary, "DEL box"), 1);
    assert_int_equal(info_of(primary, "holdfast_blob_snapshots"), 0);
}

TEST(snapshots_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"BLOB.SNAPSHOT box cat", "blob.snapshot box"},
        {"BLOB.SNAPSHOT box cat META 1 a b", "blob.snapshot box"},
        {"BLOB.DELETE box cat SNAPSHOTS ONLY", "blob.delete box"},
        {"BLOB.DELETE box cat SNAPSHOTS INCLUDE", "blob.delete box"},
    };
    create("box");
    put("box", "cat", "meow");
    expect_notifications(rows);
}

/* A snapshot changes nothing for who waits for another ETag. */
TEST(waiting_readers_are_not_woken_for_nothing) {
    create("box");
    const char *etag = put("box", "cat", "meow");
    struct client *reader = waiting(pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", etag));
    snapshot("box", "cat");
    expect_still_waiting(reader);
    expect_ok(call(primary, "BLOB.DELETE box cat SNAPSHOTS ONLY"));
    expect_still_waiting(reader);
    put("box", "cat", "purr");
    expect_shape(answer_of(reader), "[<etag>, \"purr\"]");
}
