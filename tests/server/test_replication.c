/* What travels to replicas, and what a replica is worth when it takes over. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "stream.h"
#include "wire.h"

TEST(effects_alone_travel) {
    static const struct {
        const char *command;
        const char *stream;
    } steps[] = {
        {"CONTAINER.CREATE box ACCESS BLOB META 1 a b", "HOLDFAST.APPLY box"},
        {"CONTAINER.SETMETA box META 1 c d", "HOLDFAST.APPLY box"},
        {"CONTAINER.SETACL box POLICIES 1 id 0 - r", "HOLDFAST.APPLY box"},
        {"BLOB.PUT box cat meow", "HOLDFAST.APPLY box"},
        {"BLOB.PUT box cat purr IFMATCH *", "HOLDFAST.APPLY box"},
        {"BLOB.SETPROPS box cat PROPS 1 content-type text/plain", "HOLDFAST.APPLY box"},
        {"BLOB.SETMETA box cat META 1 a b", "HOLDFAST.APPLY box"},
        {"BLOB.GET box cat", ""},
        {"BLOB.GET box cat RANGE 0 1", ""},
        {"BLOB.STAT box cat", ""},
        {"BLOB.GETMETA box cat", ""},
        {"BLOB.LIST box", ""},
        {"CONTAINER.GET box", ""},
        {"CONTAINER.GETMETA box", ""},
        {"CONTAINER.GETACL box", ""},
        {"BLOB.DELETE box cat", "HOLDFAST.APPLY box"},
        {"BLOB.PUT box cat meow", "HOLDFAST.APPLY box"},
        {"BLOB.PUTBLOCK box parts AAAA x", "HOLDFAST.APPLY box"},
        {"BLOB.GETBLOCKLIST box parts ALL", ""},
        {"BLOB.PUTBLOCKLIST box parts 1 LATEST AAAA", "HOLDFAST.APPLY box"},
        {"BLOB.CREATEPAGE box disk 1024", "HOLDFAST.APPLY box"},
        {"BLOB.CLEARPAGE box disk 0 512", "HOLDFAST.APPLY box"},
        {"BLOB.SETPROPS box disk SIZE 512", "HOLDFAST.APPLY box"},
        {"BLOB.GETPAGES box disk", ""},
        {"BLOB.CREATEAPPEND box log", "HOLDFAST.APPLY box"},
        {"BLOB.APPEND box log x", "HOLDFAST.APPLY box"},
        {"BLOB.SNAPSHOT box log", "HOLDFAST.APPLY box"},
        {"BLOB.DELETE box log SNAPSHOTS ONLY", "HOLDFAST.APPLY box"},
        {"BLOB.DELETE box log SNAPSHOTS ONLY", ""},
        {"BLOB.COPY box twin box cat", "HOLDFAST.APPLY box"},
        {"CONTAINER.DELETE box", "HOLDFAST.APPLY box"},
    };
    struct stream *stream = stream_attach(primary->server);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        redisReply *reply = call_line(primary, steps[i].command);
        require(!reply_is_error(reply), "%s gave %s", steps[i].command, reply_text(reply));
        stream_expect(stream, primary, steps[i].stream);
    }
}

TEST(a_replica_passes_on_what_it_gets) {
    struct stream *first = stream_attach(primary->server);
    struct stream *second = stream_attach(replica->server);
    create("box");
    put("box", "cat", "meow");
    redisReply *sent = stream_commands(first, primary);
    assert_int_equal(sent->elements, 2);
    assert_true(reply_same(sent, stream_commands(second, primary)));
}

TEST(transactions_and_scripts_travel_as_one) {
    struct stream *stream = stream_attach(primary->server);
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONTAINER.CREATE box");
    call(primary, "BLOB.PUT box cat meow");
    call(primary, "BLOB.GET box cat");
    expect_elements(call(primary, "EXEC"), 3);
    stream_expect(stream, primary, "MULTI\nHOLDFAST.APPLY box\nHOLDFAST.APPLY box\nEXEC");
    call(primary, "EVAL %s 1 box",
         "redis.call('BLOB.PUT', KEYS[1], 'dog', 'woof') return redis.call('BLOB.DELETE', KEYS[1], 'cat')");
    stream_expect(stream, primary, "MULTI\nHOLDFAST.APPLY box\nHOLDFAST.APPLY box\nEXEC");
    expect_etag(call(primary, "EVAL %s 1 box", "return redis.call('BLOB.PUT', KEYS[1], 'cow', 'moo')"));
    stream_expect(stream, primary, "HOLDFAST.APPLY box");
}

TEST(replicas_answer_reads_and_refuse_writes) {
    create("box");
    put("box", "cat", "meow");
    await_replicas();
    redisReply *stat = stat_of("box", "cat");
    assert_true(reply_same(stat, call(replica, "BLOB.STAT box cat")));
    assert_true(reply_same(stat, call(chained, "BLOB.STAT box cat")));
    assert_true(reply_same(call(primary, "CONTAINER.GET box"), call(chained, "CONTAINER.GET box")));
    expect_error(call(replica, "BLOB.PUT box cat x"), "READONLY");
    expect_error(call(chained, "CONTAINER.DELETE box"), "READONLY");
    expect_error(call(replica, "HOLDFAST.APPLY box x"), "READONLY");
}

/* A client that listens at a replica hears of changes as at the primary. */
TEST(replicas_tell_their_own_clients) {
    create("box");
    put("box", "cat", "meow");
    await_replicas();
    struct wire *cache = wire_open_resp3(replica->server);
    expect_ok(wire_call(cache, "CLIENT TRACKING ON"));
    expect_etag(wire_call(cache, "BLOB.GET box cat"));
    struct wire *listener = wire_open(replica->server);
    wire_call(listener, "PSUBSCRIBE __keyevent@*");
    put("box", "cat", "purr");
    expect_shape(wire_receive(cache), "[\"invalidate\", [\"box\"]]");
    expect_text(expect_elements(wire_receive(listener), 4)->element[2], "__keyevent@0__:blob.put");
}

/* The replica's own limit on blobs is 64 bytes, on arguments a mebibyte: neither concerns what was decided.
 */
TEST(limits_of_a_replica_hold_nothing_back) {
    create("box");
    char *content = pool_take(3 << 20);
    expect_etag(call(primary, "BLOB.PUT box large %b", content, (size_t)3 << 20));
    await_replicas();
    expect_number(field(call(replica, "BLOB.STAT box large"), "content-length"), 3 << 20);
    expect_bytes(call(replica, "BLOB.GET box large RANGE 100 1000")->element[1], content, 1000);
}

TEST(a_broken_link_goes_on_where_it_was) {
    create("box");
    await_replicas();
    long long partial = info_of(primary, "sync_partial_ok");
    expect_number(call(primary, "CLIENT KILL TYPE replica"), 1);
    for (int i = 0; i < 100; i++) put("box", pool_print("blob-%d", i), "x");
    await_replicas();
    assert_true(info_of(primary, "sync_partial_ok") > partial);
    require_same(primary, replica, "after a partial resynchronisation");
}

/* The replica is on its own from here on, with a blob whose ETag is answered. */
static const char *promote(void) {
    create("box");
    const char *etag = put("box", "cat", "meow");
    await_replicas();
    expect_ok(call(replica, "REPLICAOF NO ONE"));
    return etag;
}

static void demote(void) {
    follow(replica, primary);
    await_in_step(chained, replica);
}

/* Leaves and comes back, so that everything is sent anew. */
static void resynchronise_fully(void) {
    long long full = info_of(primary, "sync_full");
    expect_ok(call(replica, "REPLICAOF NO ONE"));
    expect_number(call(replica, "DEL own"), 0);
    expect_ok(call(replica, "SET own x"));
    demote();
    assert_true(info_of(primary, "sync_full") > full);
}

static void fill(const char *container, int count) {
    expect_etag(call(primary, "CONTAINER.CREATE %s META 1 a b ACCESS BLOB", container));
    for (int i = 0; i < count; i++) {
        send_call(primary, "BLOB.PUT %s blob-%d %s META 1 n %d PROPS 1 content-type text/%d", container, i,
                  pool_print("%0*d", i + 1, i), i, i);
    }
    for (int i = 0; i < count; i++) expect_etag(receive(primary));
}

TEST(a_full_synchronisation_brings_everything) {
    fill("box", 300);
    resynchronise_fully();
    require_same(primary, replica, "after a full resynchronisation");
}

TEST(a_diskless_synchronisation_brings_everything) {
    configure(primary, "repl-diskless-sync", "yes");
    configure(primary, "repl-diskless-sync-delay", "0");
    configure(replica, "repl-diskless-load", "swapdb");
    fill("box", 300);
    resynchronise_fully();
    require_same(primary, replica, "after a diskless resynchronisation");
}

/* The replica's clock is a day behind, and still what it mints is greater than all that went before. */
TEST(a_promoted_replica_mints_greater_etags) {
    const char *last = promote();
    const char *next = expect_etag(call(replica, "BLOB.PUT box cat purr IFMATCH %s", last));
    assert_true(strcmp(next, last) > 0);
    const char *created = expect_etag(call(replica, "CONTAINER.CREATE other"));
    assert_true(strcmp(created, next) > 0);
    demote();
}

/* Both mint while neither knows of the other: what the new one mints must be greater than all of the old one's. */
TEST(a_primary_that_was_cut_off_is_outranked) {
    promote();
    const char *by_old = NULL;
    for (int i = 0; i < 1000; i++) by_old = put("box", "cat", "old");
    const char *by_new = expect_etag(call(replica, "BLOB.PUT box cat new"));
    assert_true(strcmp(by_new, by_old) > 0);
    expect_error(call(replica, "BLOB.PUT box cat x IFMATCH %s", by_old), "PRECONDITION ConditionNotMet");
    /* The old one comes back as a replica, forgets what it did alone, and can be promoted again. */
    expect_ok(call(primary, "REPLICAOF 127.0.0.1 %d", replica->server->port));
    await_in_step(primary, replica);
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "new");
    expect_ok(call(primary, "REPLICAOF NO ONE"));
    const char *again = put("box", "cat", "again");
    assert_true(strcmp(again, by_new) > 0);
    demote();
}

TEST(the_middle_of_a_chain_takes_over) {
    const char *last = promote();
    const char *next = expect_etag(call(replica, "BLOB.PUT box cat purr"));
    assert_true(strcmp(next, last) > 0);
    await_in_step(chained, replica);
    require_same(replica, chained, "after the promotion");
    expect_text(call(chained, "BLOB.GET box cat")->element[0], next);
    demote();
}

/* Moved from one server to another while it lives, versions and all. */
TEST(moving_to_another_server_keeps_versions) {
    const char *etag = promote();
    expect_ok(call(replica, "FLUSHALL"));
    expect_ok(call(primary, "MIGRATE 127.0.0.1 %d box 0 5000 COPY", replica->server->port));
    expect_text(call(replica, "BLOB.GET box cat")->element[0], etag);
    const char *next = expect_etag(call(replica, "BLOB.PUT box cat purr IFMATCH %s", etag));
    assert_true(strcmp(next, etag) > 0);
    demote();
}
