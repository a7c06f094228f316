/* BLOB.COPY and BLOB.ABORTCOPY: within a container, between containers, from a snapshot, onto itself; two sets of
 * conditions; the lease of the target; what is shared, and what becomes of the copy properties. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "steps.h"
#include "stream.h"
#include "traces.h"
#include "waiting.h"

#define COPIED "[<etag>, <etag>, \"success\"]"

static void stage_copies(void) {
    time_passes(0);
    create("box");
    create("other");
    put("box", "cat", "meow");
}

BEFORE_EACH {
    stage_copies();
}

TEST(a_copy_has_the_content_and_properties_of_its_source) {
    static const struct step steps[] = {
        {"BLOB.PUT box cat meow META 1 a b PROPS 2 content-type text/plain content-language en", "<etag>", 0},
        {"BLOB.COPY box twin box cat", COPIED, 0},
        {"BLOB.GET box twin", "[<etag>, \"meow\"]", 0},
        {"BLOB.STAT box twin",
         "[\"blob-type\", \"block\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
         "\"content-length\", 4, \"content-type\", \"text/plain\", \"content-language\", \"en\", "
         "\"copy-id\", "
         "<etag>, "
         "\"copy-status\", \"success\", \"copy-source\", \"box/cat\", \"copy-progress\", \"4/4\", "
         "\"copy-completed\", <ms>, \"snapshots\", 0, \"lease-state\", \"available\", \"lease-status\", "
         "\"unlocked\", \"meta\", [\"a\", \"b\"]]",
         0},
        {"BLOB.COPY other far box cat", COPIED, 0},
        {"BLOB.GET other far", "[<etag>, \"meow\"]", 0},
        {"BLOB.GETMETA other far", "[<etag>, [\"a\", \"b\"]]", 0},
        {"BLOB.PUT box cat purr", "<etag>", 0},
        {"BLOB.GET box twin", "[<etag>, \"meow\"]", 0},
        {"BLOB.GET other far", "[<etag>, \"meow\"]", 0},
        {"BLOB.DELETE box cat", "OK", 0},
        {"BLOB.GET other far", "[<etag>, \"meow\"]", 0},
    };
    steps_play(steps);
    expect_text(field(stat_of("other", "far"), "copy-source"), "box/cat");
}

TEST(ids_and_stamps_of_a_copy) {
    const char *source = reply_string(field(stat_of("box", "cat"), "etag"));
    time_passes(5000);
    redisReply *reply = expect_elements(call(primary, "BLOB.COPY other twin box cat"), 3);
    redisReply *stat = stat_of("other", "twin");
    expect_text(field(stat, "etag"), reply_string(reply->element[0]));
    expect_text(field(stat, "copy-id"), reply_string(reply->element[1]));
    assert_true(strcmp(reply_string(reply->element[0]), source) > 0);
    long long modified = field(stat, "last-modified")->integer;
    expect_number(field(stat, "created"), modified);
    expect_number(field(stat, "copy-completed"), modified);
    assert_true(modified >= instant_of("box", "cat") + 5000);
    redisReply *again = expect_elements(call(primary, "BLOB.COPY other twin box cat"), 3);
    assert_true(strcmp(reply_string(again->element[1]), reply_string(reply->element[1])) > 0);
    expect_text(field(stat_of("box", "cat"), "etag"), source);
}

/* None: those of the source. Any, also none by count: only those. */
TEST(metadata_of_a_copy) {
    static const struct {
        const char *clause, *meta;
    } rows[] = {{"", "[<etag>, [\"a\", \"b\", \"c\", \"d\"]]"},
                {"META 1 e f", "[<etag>, [\"e\", \"f\"]]"},
                {"META 0", "[<etag>, []]"}};
    expect_etag(call(primary, "BLOB.SETMETA box cat META 2 a b c d"));
    expect_etag(call(primary, "BLOB.PUT box twin x META 1 old old PROPS 1 content-language fr"));
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        step_play(pool_print("BLOB.COPY box twin box cat %s", rows[row].clause), COPIED, 0);
        step_play("BLOB.GETMETA box twin", rows[row].meta, 0);
        assert_null(reply_field_if_any(stat_of("box", "twin"), "content-language"));
    }
    step_play("BLOB.COPY box twin box cat META 1 1bad x", "INVALID InvalidMetadata", 0);
}

TEST(copies_of_every_kind) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box parts AAAA one", "OK", 0},
        {"BLOB.PUTBLOCK box parts AAAB two", "OK", 0},
        {"BLOB.PUTBLOCKLIST box parts 3 LATEST AAAB LATEST AAAA LATEST AAAB", "<etag>", 0},
        {"BLOB.PUTBLOCK box parts AAAC not-copied", "OK", 0},
        {"BLOB.COPY other parts box parts", COPIED, 0},
        {"BLOB.GETBLOCKLIST other parts ALL",
         "[\"etag\", <etag>, \"content-length\", 9, \"committed\", [[\"AAAB\", 3], [\"AAAA\", 3], [\"AAAB\", "
         "3]], "
         "\"uncommitted\", []]",
         0},
        {"BLOB.PUTBLOCKLIST other parts 1 COMMITTED AAAA", "<etag>", 0},
        {"BLOB.GET other parts", "[<etag>, \"one\"]", 0},
        {"BLOB.CREATEPAGE box disk 1024 SEQUENCE 7", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 512 512*x", "[<etag>, 7]", 0},
        {"BLOB.COPY other disk box disk", COPIED, 0},
        {"BLOB.GETPAGES other disk", "[\"etag\", <etag>, \"content-length\", 1024, \"pages\", [[512, 512]]]",
         0},
        {"BLOB.CLEARPAGE other disk 512 512 IFSEQUENCE EQ 7", "[<etag>, 7]", 0},
        {"BLOB.GETPAGES box disk", "[\"etag\", <etag>, \"content-length\", 1024, \"pages\", [[512, 512]]]",
         0},
        {"BLOB.CREATEAPPEND box log", "<etag>", 0},
        {"BLOB.APPEND box log one", "[<etag>, 0, 1]", 0},
        {"BLOB.COPY other log box log", COPIED, 0},
        {"BLOB.APPEND other log two", "[<etag>, 3, 2]", 0},
        {"BLOB.GET other log", "[<etag>, \"onetwo\"]", 0},
        {"BLOB.GET box log", "[<etag>, \"one\"]", 0},
    };
    steps_play(steps);
}

/* A target that exists keeps its kind, its snapshots and its lease, and loses its staged blocks. */
TEST(the_target_of_a_copy_keeps_its_snapshots_and_lease) {
    static const char *const kinds[] = {"cat", "disk", "log"};
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
    for (int one = 0; one < 3; one++) {
        for (int other = 0; other < 3; other++) {
            step_play(pool_print("BLOB.COPY box %s box %s", kinds[one], kinds[other]),
                      one == other ? COPIED : "CONFLICT InvalidBlobType", 0);
        }
    }
    put("box", "target", "old");
    const char *id = snapshot("box", "target");
    stage("box", "target", "AAAA", 3, 'x');
    acquire("box", "-1", "BLOB target ID " ID_A);
    expect_elements(call(primary, "BLOB.COPY box target box cat LEASE %s", ID_A), 3);
    expect_shape(call(primary, "BLOB.GET box target SNAPSHOT %s", id), "[<etag>, \"old\"]");
    expect_text(field(stat_of("box", "target"), "lease-state"), "leased");
    expect_number(field(stat_of("box", "target"), "snapshots"), 1);
    expect_elements(field(call(primary, "BLOB.GETBLOCKLIST box target ALL"), "uncommitted"), 0);
}

TEST(a_copy_onto_itself_drops_what_is_staged) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box new AAAA one", "OK", 0},
        {"BLOB.PUTBLOCKLIST box new 1 LATEST AAAA META 1 a b", "<etag>", 'e'},
        {"BLOB.PUTBLOCK box new AAAB two", "OK", 0},
        {"BLOB.COPY box new box new IFMATCH $e SOURCEIFMATCH $e", COPIED, 0},
        {"BLOB.GET box new IFNONEMATCH $e", "[<etag>, \"one\"]", 0},
        {"BLOB.GETMETA box new", "[<etag>, [\"a\", \"b\"]]", 0},
        {"BLOB.GETBLOCKLIST box new ALL",
         "[\"etag\", <etag>, \"content-length\", 3, \"committed\", [[\"AAAA\", 3]], \"uncommitted\", []]", 0},
        {"BLOB.COPY box new box new META 1 c d", COPIED, 0},
        {"BLOB.GETMETA box new", "[<etag>, [\"c\", \"d\"]]", 0},
        {"BLOB.CREATEPAGE box disk 512 SEQUENCE 3", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 0 512*x", NULL, 0},
        {"BLOB.COPY box disk box disk", COPIED, 0},
        {"BLOB.GETPAGES box disk", "[\"etag\", <etag>, \"content-length\", 512, \"pages\", [[0, 512]]]", 0},
        {"BLOB.PUTPAGE box disk 0 512*x IFSEQUENCE EQ 3", "[<etag>, 3]", 0},
    };
    steps_play(steps);
}

TEST(promotion_of_a_snapshot) {
    static const struct step steps[] = {
        {"BLOB.SETMETA box cat META 1 a b", "<etag>", 0},
        {"BLOB.SNAPSHOT box cat", NULL, 's'},
        {"BLOB.SNAPSHOT box cat META 1 c d", NULL, 't'},
        {"BLOB.PUT box cat other META 0", "<etag>", 0},
        {"BLOB.COPY box cat box cat SNAPSHOT $s", COPIED, 0},
        {"BLOB.GET box cat", "[<etag>, \"meow\"]", 0},
        {"BLOB.GETMETA box cat", "[<etag>, [\"a\", \"b\"]]", 0},
        {"BLOB.COPY other far box cat SNAPSHOT $t", COPIED, 0},
        {"BLOB.GETMETA other far", "[<etag>, [\"c\", \"d\"]]", 0},
        {"BLOB.GET box cat SNAPSHOT $s", "[<etag>, \"meow\"]", 0},
        {"BLOB.COPY box cat box cat SNAPSHOT 0x0000000000000001", "NOTFOUND BlobNotFound", 0},
        {"BLOB.COPY box cat box cat SNAPSHOT 0x0000000000000000", "NOTFOUND BlobNotFound", 0},
        {"BLOB.COPY box cat box cat SNAPSHOT x", "INVALID InvalidQueryParameterValue", 0},
        {"BLOB.COPY box cat box cat SNAPSHOT $s SOURCEIFMODIFIEDSINCE 9000000000000",
         "PRECONDITION SourceConditionNotMet", 0},
    };
    steps_play(steps);
    const char *source = reply_string(field(stat_of("other", "far"), "copy-source"));
    assert_string_equal(source, pool_print("box/cat?snapshot=%s", step_kept('t')));
    expect_number(field(stat_of("box", "cat"), "snapshots"), 2);
}

/* --- Conditions: $s is the source's ETag, $t the target's, 1 an instant before both, 9... one after --- */

TEST(two_sets_of_conditions) {
    static const char target[] = "PRECONDITION TargetConditionNotMet",
                      source[] = "PRECONDITION SourceConditionNotMet",
                      many[] = "INVALID MultipleConditionHeadersNotSupported";
    static const struct {
        const char *clauses, *answer;
    } rows[] = {
        {"IFMATCH $t", COPIED},
        {"IFMATCH *", COPIED},
        {"IFMATCH $s", target},
        {"IFNONEMATCH $t", target},
        {"IFNONEMATCH $s", COPIED},
        {"IFNONEMATCH *", "CONFLICT BlobAlreadyExists"},
        {"IFMODIFIEDSINCE 1", COPIED},
        {"IFMODIFIEDSINCE 9000000000000", target},
        {"IFUNMODIFIEDSINCE 1", target},
        {"IFUNMODIFIEDSINCE 9000000000000", COPIED},
        {"SOURCEIFMATCH $s", COPIED},
        {"SOURCEIFMATCH *", COPIED},
        {"SOURCEIFMATCH $t", source},
        {"SOURCEIFMATCH nonsense", source},
        {"SOURCEIFNONEMATCH $s", source},
        {"SOURCEIFNONEMATCH $t", COPIED},
        {"SOURCEIFMODIFIEDSINCE 1", COPIED},
        {"SOURCEIFMODIFIEDSINCE 9000000000000", source},
        {"SOURCEIFUNMODIFIEDSINCE 1", source},
        {"SOURCEIFUNMODIFIEDSINCE 9000000000000", COPIED},
        {"IFMATCH $s SOURCEIFMATCH $t", target},
        {"IFMATCH $t SOURCEIFMATCH $t", source},
        {"IFMATCH $t SOURCEIFMATCH $s", COPIED},
        {"IFNONEMATCH * SOURCEIFMATCH $t", "CONFLICT BlobAlreadyExists"},
        {"IFMATCH $t IFNONEMATCH $s", many},
        {"SOURCEIFMATCH $s SOURCEIFNONEMATCH $t", many},
        {"SOURCEIFMODIFIEDSINCE 1 SOURCEIFUNMODIFIEDSINCE 9000000000000", many},
        {"IFMATCH $t IFUNMODIFIEDSINCE 9000000000000 SOURCEIFMATCH $s SOURCEIFUNMODIFIEDSINCE 1", COPIED},
        {"SOURCEIFMODIFIEDSINCE x", "INVALID InvalidHeaderValue"},
        {"SOURCEIFUNMODIFIEDSINCE -1", "INVALID InvalidHeaderValue"},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        step_keep('t', put("other", "dog", "woof"));
        step_keep('s', put("box", "cat", "meow"));
        step_play(pool_print("BLOB.COPY other dog box cat %s", rows[row].clauses), rows[row].answer, 0);
        assert_string_equal(content_of("other", "dog", ""),
                            !strcmp(rows[row].answer, COPIED) ? "meow" : "woof");
    }
    step_play("BLOB.COPY other none box cat IFMATCH *", target, 0);
    step_play("BLOB.COPY other none box cat IFUNMODIFIEDSINCE 1 SOURCEIFMATCH *", COPIED, 0);
    step_play("BLOB.COPY other more box cat IFNONEMATCH *", COPIED, 0);
}

/* The message tells what is there, so that the caller can decide again. */
TEST(refused_conditions_tell_the_etag) {
    const char *target = put("other", "dog", "woof");
    const char *source = reply_string(field(stat_of("box", "cat"), "etag"));
    redisReply *reply = call(primary, "BLOB.COPY other dog box cat IFMATCH 0x0000000000000001");
    assert_non_null(strstr(reply->str, target));
    reply = call(primary, "BLOB.COPY other dog box cat SOURCEIFMATCH 0x0000000000000001");
    assert_non_null(strstr(reply->str, source));
}

/* --- The lease of the target, state by state --- */

TEST(the_lease_of_the_target) {
    /* clang-format off */
    static const char *const gate[LEASE_STATES][3] = {
        /*                   no id      A           B */
        [NEVER_LEASED]    = {"ok",      "ABSENT",   "ABSENT"},
        [AVAILABLE_AGAIN] = {"ok",      "LOST",     "ABSENT"},
        [LEASED_INFINITE] = {"MISSING", "ok",       "WRONG"},
        [LEASED_FINITE]   = {"MISSING", "INFINITE", "WRONG"},
        [BREAKING]        = {"MISSING", "kind",     "WRONG"},
        [BROKEN]          = {"ok",      "LOST",     "ABSENT"},
        [EXPIRED]         = {"ok",      "LOST",     "ABSENT"},
    };
    /* clang-format on */
    static const char *const ids[] = {"", "LEASE A", "LEASE B"};
    for (size_t i = 0; i < lease_ways_count; i++) {
        const struct lease_way *way = &lease_ways[i];
        if (!lease_way_fits(way, &on_blob)) continue;
        for (int id = 0; id < 3; id++) {
            lease_reach(way, &on_blob);
            put("box", "source", "new");
            const char *cell = gate[way->state][id];
            if (!strcmp(cell, "kind")) cell = strstr(way->steps[0], " -1 ") ? "ok" : "INFINITE";
            const char *refusal = lease_refusal(cell, &on_blob);
            if (!strcmp(cell, "INFINITE")) refusal = "PRECONDITION InfiniteLeaseDurationRequired";
            step_play(pool_print("BLOB.COPY box cat box source %s", ids[id]), refusal ? refusal : COPIED, 0);
            if (refusal || id == 1) continue;
            expect_state("box", &on_blob, "available");
        }
    }
}

/* A lease of the source does not matter, and none comes along. */
TEST(the_lease_of_the_source) {
    static const struct step steps[] = {
        {"LEASE.ACQUIRE box 60 BLOB cat ID A", NULL, 0},
        {"BLOB.COPY other twin box cat", COPIED, 0},
        {"BLOB.COPY other new box cat LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"LEASE.RELEASE box A BLOB cat", "OK", 0},
        {"BLOB.GET other twin LEASE A", "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
    };
    steps_play(steps);
    expect_text(field(stat_of("other", "twin"), "lease-state"), "available");
}

TEST(missing_sources_are_refused) {
    static const struct step steps[] = {
        {"BLOB.COPY box new box none", "NOTFOUND BlobNotFound", 0},
        {"BLOB.COPY box new none cat", "NOTFOUND ContainerNotFound", 0},
        {"BLOB.COPY none new box cat", "NOTFOUND ContainerNotFound", 0},
        {"BLOB.COPY none new none cat", "NOTFOUND ContainerNotFound", 0},
        {"SET text x", "OK", 0},
        {"BLOB.COPY box new text cat", "WRONGTYPE", 0},
        {"BLOB.COPY text new box cat", "WRONGTYPE", 0},
        {"BLOB.COPY box new box ''", "INVALID OutOfRangeInput", 0},
        {"BLOB.COPY box '' box cat", "INVALID OutOfRangeInput", 0},
        {"BLOB.PUTBLOCK box parts AAAA x", "OK", 0},
        {"BLOB.COPY box new box parts", "NOTFOUND BlobNotFound", 0},
    };
    steps_play(steps);
}

TEST(finished_copies_cannot_be_aborted) {
    static const struct step steps[] = {
        {"BLOB.ABORTCOPY box cat 0x0000000000000001", "CONFLICT NoPendingCopyOperation", 0},
        {"BLOB.ABORTCOPY box cat nonsense", "INVALID InvalidQueryParameterValue", 0},
        {"BLOB.ABORTCOPY box none 0x0000000000000001", "NOTFOUND BlobNotFound", 0},
        {"BLOB.ABORTCOPY none cat 0x0000000000000001", "NOTFOUND ContainerNotFound", 0},
        {"LEASE.ACQUIRE box -1 BLOB cat ID A", NULL, 0},
        {"BLOB.ABORTCOPY box cat 0x0000000000000001", "PRECONDITION LeaseIdMissing", 0},
        {"BLOB.ABORTCOPY box cat 0x0000000000000001 LEASE B", "PRECONDITION LeaseIdMismatchWithBlobOperation",
         0},
        {"BLOB.ABORTCOPY box cat 0x0000000000000001 LEASE A", "CONFLICT NoPendingCopyOperation", 0},
    };
    redisReply *reply = call(primary, "BLOB.COPY box cat box cat");
    step_keep('c', reply_string(reply->element[1]));
    step_play("BLOB.ABORTCOPY box cat $c", "CONFLICT NoPendingCopyOperation", 0);
    steps_play(steps);
}

/* --- What is shared --- */

enum { LARGE = 1 << 20 };

TEST(copies_share_their_bytes) {
    step_play("BLOB.PUT box large 1048576*x", "<etag>", 0);
    long long before = memory_of(primary, "box");
    for (int copy = 0; copy < 10; copy++)
        step_play(pool_print("BLOB.COPY box twin-%d box large", copy), COPIED, 0);
    long long more = memory_of(primary, "box") - before;
    require(more < 10000, "ten copies in one container take %lld bytes", more);
    expect_ok(call(primary, "BLOB.DELETE box large"));
    assert_true(memory_of(primary, "box") > LARGE);
    for (int copy = 0; copy < 10; copy++) expect_ok(call(primary, "BLOB.DELETE box twin-%d", copy));
    assert_true(memory_of(primary, "box") < 10000);
}

/* What a copy shares it shares in files, too: in parts, whole, appended, in pages. */
TEST(contents_shared_by_copies_are_shared_after_a_reload) {
    static const char *const sources[][3] = {
        {"BLOB.PUT box large 1048576*x"},
        {"BLOB.CREATEAPPEND box large", "BLOB.APPEND box large 524288*x", "BLOB.APPEND box large 524288*y"},
        {"BLOB.PUTBLOCK box large AAAA 524288*x", "BLOB.PUTBLOCK box large AAAB 524288*y",
         "BLOB.PUTBLOCKLIST box large 2 LATEST AAAA LATEST AAAB"},
        {"BLOB.CREATEPAGE box large 1048576", "BLOB.PUTPAGE box large 0 1048576*x"},
    };
    for (size_t source = 0; source < ARRAY_SIZE(sources); source++) {
        call(primary, "DEL box other");
        stage_copies();
        for (int step = 0; step < 3 && sources[source][step]; step++)
            step_play(sources[source][step], NULL, 0);
        step_play("BLOB.COPY box twin box large", COPIED, 0);
        require(memory_of(primary, "box") < LARGE * 3 / 2, "%s is held twice", sources[source][0]);
        expect_ok(call(primary, "DEBUG RELOAD"));
        require(memory_of(primary, "box") < LARGE * 3 / 2, "%s is held twice after a reload",
                sources[source][0]);
        await_replicas();
        require(memory_of(replica, "box") < LARGE * 3 / 2, "%s is held twice on a replica",
                sources[source][0]);
    }
}

/* Each of two keys tells of the bytes, and one may go without the other. */
TEST(copies_outlive_the_container_of_their_source) {
    step_play("BLOB.PUT box large 1048576*x", "<etag>", 0);
    step_play("BLOB.COPY other twin box large", COPIED, 0);
    assert_true(memory_of(primary, "other") > LARGE);
    expect_number(call(primary, "UNLINK box"), 1);
    redisReply *content = call(primary, "BLOB.GET other twin")->element[1];
    assert_int_equal(content->len, LARGE);
    for (size_t at = 0; at < content->len; at++) assert_int_equal(content->str[at], 'x');
}

/* On a replica, and in a file that is loaded, the other key's content is found by its name. */
TEST(copies_travel_as_names) {
    step_play("BLOB.PUT box large 1048576*x", "<etag>", 0);
    struct stream *stream = stream_attach(primary->server);
    step_play("BLOB.COPY other twin box large", COPIED, 0);
    step_play("BLOB.COPY box twin box large", COPIED, 0);
    redisReply *effects = expect_elements(stream_commands(stream, primary), 2);
    expect_elements(effects->element[0], 4);
    expect_text(effects->element[0]->element[3], "box");
    expect_elements(effects->element[1], 3);
    for (int effect = 0; effect < 2; effect++) assert_true(effects->element[effect]->element[2]->len < 200);
    await_replicas();
    require_same(primary, replica, "after a copy");
    redisReply *there = call(replica, "BLOB.GET other twin RANGE 1048570 6");
    expect_text(there->element[1], "xxxxxx");
}

/* Where clients may send effects, one that names another key as its source reads nothing for who may not read it. */
TEST(effects_read_no_key_that_their_sender_may_not) {
    put("box", "secret", "secret");
    struct stream *stream = stream_attach(primary->server);
    step_play("BLOB.COPY other loot box secret", COPIED, 0);
    redisReply *effect = expect_elements(stream_commands(stream, primary), 1)->element[0];
    struct words words = {0};
    for (size_t i = 0; i < effect->elements; i++)
        words_add_bytes(&words, effect->element[i]->str, effect->element[i]->len);
    expect_ok(call(primary, "BLOB.DELETE other loot"));
    expect_misfits();
    configure(primary, "holdfast.accept-effects", "yes");
    struct client *thief = test_client(primary->server);
    expect_ok(call(primary, "ACL SETUSER limited reset on nopass ~other +@all"));
    expect_ok(call(thief, "AUTH limited x"));
    expect_error(call_words(thief, &words), "ERR the effect does not fit the state of its key");
    expect_error(call(primary, "BLOB.GET other loot"), "NOTFOUND BlobNotFound");
    expect_ok(call(primary, "ACL SETUSER limited %s", "%R~box"));
    call_words(thief, &words);
    assert_string_equal(content_of("other", "loot", ""), "secret");
    expect_number(call(primary, "ACL DELUSER limited"), 1);
}

TEST(copies_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"BLOB.COPY box twin box cat", "blob.copy box"},
        {"BLOB.COPY box cat other dog", "blob.copy box"},
    };
    put("other", "dog", "woof");
    expect_notifications(rows);
    struct client *reader = waiting("BLOB.GET other new BLOCK 0");
    step_play("BLOB.COPY other new box cat", COPIED, 0);
    expect_shape(answer_of(reader), "[<etag>, \"woof\"]");
}

TEST(copies_over_slots_of_a_cluster) {
    struct client *client = cluster_of_one("");
    expect_etag(call(client, "CONTAINER.CREATE {box}:1"));
    expect_etag(call(client, "CONTAINER.CREATE {box}:2"));
    expect_etag(call(client, "CONTAINER.CREATE far"));
    expect_etag(call(client, "BLOB.PUT {box}:1 cat meow"));
    expect_error(call(client, "BLOB.COPY far cat {box}:1 cat"), "CROSSSLOT");
    expect_error(call(client, "BLOB.COPY {box}:1 cat far cat"), "CROSSSLOT");
    expect_elements(call(client, "BLOB.COPY {box}:2 cat {box}:1 cat"), 3);
    expect_text(call(client, "BLOB.GET {box}:2 cat")->element[1], "meow");
    expect_elements(call(client, "BLOB.COPY {box}:1 twin {box}:1 cat"), 3);
    expect_error(call(client, "BLOB.GET far cat"), "NOTFOUND BlobNotFound");
}
