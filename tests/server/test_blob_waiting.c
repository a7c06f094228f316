/* BLOB.GET with BLOCK: waiting for a blob to change, or to be there. */
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "traces.h"
#include "waiting.h"

static const char *etag;

static struct client *waiting_for_change(const char *more) {
    etag = reply_string(field(stat_of("box", "cat"), "etag"));
    return waiting(pool_print("BLOB.GET box cat IFNONEMATCH %s %s", etag, more));
}

static void expect_news(struct client *client, const char *content) {
    redisReply *reply = answer_of(client);
    require(strcmp(expect_etag(reply), etag) != 0, "the ETag is the old one");
    expect_text(reply->element[1], content);
}

BEFORE_EACH {
    lease_setup();
}

TEST(a_new_content_is_news) {
    struct client *client = waiting_for_change("BLOCK 0");
    put("box", "dog", "woof");
    expect_still_waiting(client);
    put("box", "cat", "purr");
    expect_news(client, "purr");
}

TEST(new_metadata_and_properties_are_news) {
    struct client *client = waiting_for_change("BLOCK 0");
    expect_etag(call(primary, "BLOB.SETMETA box cat META 1 a b"));
    expect_news(client, "meow");
    client = waiting_for_change("BLOCK 0");
    expect_etag(call(primary, "BLOB.SETPROPS box cat PROPS 0"));
    expect_news(client, "meow");
}

/* What changes no ETag is no news. */
TEST(leases_are_no_news) {
    struct client *client = waiting_for_change("BLOCK 0");
    acquire("box", "60", "BLOB cat ID " ID_A);
    lease_play("LEASE.RENEW box A", &on_blob);
    lease_play("LEASE.CHANGE box A B", &on_blob);
    expect_number(lease_play("LEASE.BREAK box", &on_blob), 60);
    time_passes(60000);
    expect_error(call(primary, "BLOB.PUT box cat x IFNONEMATCH *"), "CONFLICT BlobAlreadyExists");
    expect_etag(call(primary, "CONTAINER.SETMETA box META 0"));
    expect_still_waiting(client);
    put("box", "cat", "purr");
    expect_news(client, "purr");
}

TEST(the_end_of_a_blob_is_news) {
    struct client *client = waiting_for_change("BLOCK 0");
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    expect_error(answer_of(client), "NOTFOUND BlobNotFound");
}

TEST(a_blob_that_comes_to_be_is_news) {
    struct client *client = waiting("BLOB.GET box bird BLOCK 0");
    etag = "";
    put("box", "dog", "woof");
    expect_still_waiting(client);
    put("box", "bird", "tweet");
    expect_news(client, "tweet");
    expect_text(call(primary, "BLOB.GET box bird BLOCK 0")->element[1], "tweet");
}

/* Ranges and instants serve as in a plain read. */
TEST(a_waiting_get_answers_its_range_and_conditions) {
    struct client *part = waiting_for_change("RANGE 1 2 BLOCK 0");
    struct client *beyond = waiting_for_change("RANGE 100 2 BLOCK 0");
    struct client *dated =
        waiting(pool_print("BLOB.GET box cat IFMODIFIEDSINCE %lld BLOCK 0", server_time() + 100000));
    time_passes(10);
    put("box", "cat", "0123456");
    expect_news(part, "12");
    expect_error(answer_of(beyond), "INVALID InvalidRange");
    expect_still_waiting(dated);
    time_passes(200000);
    expect_still_waiting(dated);
    put("box", "cat", "later");
    expect_news(dated, "later");
}

TEST(the_lease_of_a_reader_is_looked_at_again) {
    acquire("box", "60", "BLOB cat ID " ID_A);
    struct client *holder = waiting_for_change("LEASE " ID_A " BLOCK 0");
    struct client *other = waiting_for_change("BLOCK 0");
    expect_error(call(primary, "BLOB.GET box cat IFNONEMATCH %s LEASE %s BLOCK 0", etag, ID_B),
                 "PRECONDITION LeaseIdMismatchWithBlobOperation");
    time_passes(60000);
    put("box", "cat", "purr");
    expect_error(answer_of(holder), "PRECONDITION LeaseLost");
    expect_news(other, "purr");
}

/* When the time is up there is no news, whatever was waited for. */
TEST(time_that_is_up_answers_null) {
    etag = reply_string(field(stat_of("box", "cat"), "etag"));
    long long begin = stopwatch();
    expect_null(call(primary, "BLOB.GET box cat IFNONEMATCH %s BLOCK 0.1", etag));
    expect_null(call(primary, "BLOB.GET box bird BLOCK 0.1"));
    require(stopwatch() - begin >= 198, "it was too soon: %lld ms", stopwatch() - begin);
    expect_null(call(primary, "BLOB.GET box cat IFNONEMATCH %s BLOCK 0.001", etag));
    /* What need not be waited for is answered at once. */
    expect_text(call(primary, "BLOB.GET box cat BLOCK 0")->element[1], "meow");
    expect_text(call(primary, "BLOB.GET box cat IFNONEMATCH 0x0000000000000001 BLOCK 0")->element[1], "meow");
    expect_error(call(primary, "BLOB.GET box cat IFMATCH 0x0000000000000001 BLOCK 0"),
                 "PRECONDITION ConditionNotMet");
    expect_error(call(primary, "BLOB.GET box cat IFNONEMATCH * BLOCK 0"), "INVALID UnsatisfiableCondition");
}

TEST(many_watch_one_blob) {
    enum { WATCHERS = 200 };
    static struct client *watchers[WATCHERS];
    etag = reply_string(field(stat_of("box", "cat"), "etag"));
    for (int i = 0; i < WATCHERS; i++) {
        watchers[i] = test_client(primary->server);
        send_line(watchers[i], pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", etag));
    }
    await_waiters(primary, WATCHERS);
    put("box", "cat", "purr");
    for (int i = 0; i < WATCHERS; i++) expect_news(watchers[i], "purr");
    assert_int_equal(waiters_at(primary), 0);
}

/* Readers and those who wait for the lease stand in lines of their own. */
TEST(readers_and_holders_do_not_keep_each_other) {
    acquire("box", "60", "BLOB cat ID " ID_A);
    struct client *reader = waiting_for_change("BLOCK 0");
    struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    expect_number(field(lease_of("box", &on_blob), "waiters"), 1);
    expect_etag(lease_play("BLOB.PUT box cat purr LEASE A", &on_blob));
    expect_news(reader, "purr");
    expect_still_waiting(waiter);
    reader = waiting_for_change("BLOCK 0");
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    assert_string_equal(lease_id(answer_of(waiter)), ID_B);
    expect_still_waiting(reader);
    waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0");
    expect_ok(lease_play("BLOB.DELETE box cat LEASE B", &on_blob));
    expect_error(answer_of(reader), "NOTFOUND BlobNotFound");
    expect_error(answer_of(waiter), "NOTFOUND BlobNotFound");
}

/* One who changes the blob for himself is told of it by his own answer. */
TEST(a_chain_of_readers_and_writers) {
    enum { HOPS = 200 };
    struct client *one = test_client(primary->server), *other = test_client(primary->server);
    const char *last = reply_string(field(stat_of("box", "cat"), "etag"));
    for (int hop = 0; hop < HOPS; hop++) {
        send_line(other, pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", last));
        last = expect_etag(call(one, "BLOB.PUT box cat %d", hop));
        redisReply *reply = answer_within(other, 5000);
        expect_text(reply->element[0], last);
        expect_text(reply->element[1], pool_print("%d", hop));
        struct client *swapped = one;
        one = other;
        other = swapped;
    }
}

TEST(keys_that_go_and_come) {
    redisReply *dump = call(primary, "DUMP box");
    struct client *change = waiting_for_change("BLOCK 0"), *bird = waiting("BLOB.GET box bird BLOCK 0");
    expect_number(call(primary, "DEL box"), 1);
    expect_still_waiting(change);
    expect_ok(call(primary, "SET box text"));
    expect_still_waiting(bird);
    expect_number(call(primary, "DEL box"), 1);
    expect_ok(call(primary, "RESTORE box 0 %b", dump->str, dump->len));
    expect_still_waiting(change);
    expect_still_waiting(bird);
    put("box", "bird", "tweet");
    expect_text(answer_of(bird)->element[1], "tweet");
    expect_number(call(primary, "DEL box"), 1);
    create("box");
    expect_error(answer_of(change), "NOTFOUND BlobNotFound");
    bird = waiting("BLOB.GET box bird BLOCK 0");
    expect_ok(call(primary, "RESTORE other 0 %b", dump->str, dump->len));
    expect_etag(call(primary, "BLOB.PUT other bird chirp"));
    expect_ok(call(primary, "RENAME other box"));
    expect_text(answer_of(bird)->element[1], "chirp");
}

/* In one go, so the news is there and gone before the readers are told of it. */
static void expect_gone_before_read(const char *removal) {
    call(primary, "DEL box");
    lease_setup();
    struct client *change = waiting_for_change("BLOCK 0"), *bird = waiting("BLOB.GET box bird BLOCK 0");
    send_call(primary, "BLOB.PUT box cat purr");
    send_call(primary, "BLOB.PUT box bird tweet");
    send_line(primary, removal);
    expect_etag(receive(primary));
    expect_etag(receive(primary));
    receive(primary);
    expect_null(answer_of(change));
    expect_null(answer_of(bird));
}

TEST(a_key_that_goes_before_its_news_is_read) {
    expect_gone_before_read("DEL box");
    expect_gone_before_read("SET box text");
    call(primary, "DEL box");
}

/* For one who waits for a blob to exist, its end is no news. */
TEST(a_blob_that_goes_before_its_news_is_read) {
    struct client *bird = waiting("BLOB.GET box bird BLOCK 0");
    send_call(primary, "BLOB.PUT box bird tweet");
    send_call(primary, "BLOB.DELETE box bird");
    expect_etag(receive(primary));
    expect_ok(receive(primary));
    expect_null(answer_of(bird));
}

TEST(readers_leave_in_every_way) {
    long long id;
    struct client *stays = waiting_for_change("BLOCK 0");
    struct client *client = waiting_known("BLOB.GET box bird BLOCK 0", &id);
    expect_number(call(primary, "CLIENT UNBLOCK %lld TIMEOUT", id), 1);
    expect_null(answer_of(client));
    client = waiting_known(pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", etag), &id);
    expect_number(call(primary, "CLIENT UNBLOCK %lld ERROR", id), 1);
    expect_error(answer_of(client), "UNBLOCKED");
    waiting_known("BLOB.GET box bird BLOCK 0", &id);
    expect_number(call(primary, "CLIENT KILL ID %lld", id), 1);
    await_waiters(primary, 1);
    put("box", "cat", "purr");
    expect_news(stays, "purr");
}

/* Waiting changes nothing, so a replica lets its own clients wait, and tells them what its primary did. */
TEST(readers_wait_at_replicas) {
    etag = reply_string(field(stat_of("box", "cat"), "etag"));
    await_replicas();
    struct client *change =
        waiting_at(replica->server, 0, pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", etag));
    struct client *bird = waiting_at(chained->server, 0, "BLOB.GET box bird BLOCK 0");
    struct client *brief = waiting_at(replica->server, 0, "BLOB.GET box bird BLOCK 0.05");
    expect_null(answer_within(brief, 5000));
    put("box", "dog", "woof");
    await_replicas();
    assert_int_equal(waiters_at(replica), 1);
    put("box", "cat", "purr");
    put("box", "bird", "tweet");
    redisReply *reply = answer_within(change, 5000);
    expect_text(reply->element[1], "purr");
    expect_text(answer_within(bird, 5000)->element[1], "tweet");
    change = waiting_at(replica->server, 0,
                        pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", expect_etag(reply)));
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    expect_error(answer_within(change, 5000), "NOTFOUND BlobNotFound");
}

/* The news come while the link is down, and then within a file that has everything. */
TEST(a_replica_that_is_filled_anew_tells_its_readers) {
    await_replicas();
    etag = reply_string(field(stat_of("box", "cat"), "etag"));
    struct client *change =
        waiting_at(replica->server, 0, pool_print("BLOB.GET box cat IFNONEMATCH %s BLOCK 0", etag));
    struct client *bird = waiting_at(replica->server, 0, "BLOB.GET box bird BLOCK 0");
    struct client *fish = waiting_at(replica->server, 0, "BLOB.GET box fish BLOCK 0");
    long long full = info_of(primary, "sync_full");
    send_call(primary, "CLIENT KILL TYPE replica");
    send_call(primary, "DEBUG CHANGE-REPL-ID");
    send_call(primary, "BLOB.PUT box cat purr");
    send_call(primary, "BLOB.PUT box bird tweet");
    expect_number(receive(primary), 1);
    expect_ok(receive(primary));
    expect_etag(receive(primary));
    expect_etag(receive(primary));
    await_replicas();
    assert_true(info_of(primary, "sync_full") > full);
    expect_text(answer_within(change, 1000)->element[1], "purr");
    expect_text(answer_within(bird, 1000)->element[1], "tweet");
    assert_int_equal(waiters_at(replica), 1);
    put("box", "fish", "blub");
    expect_text(answer_within(fish, 1000)->element[1], "blub");
}

TEST(a_promoted_replica_keeps_its_readers) {
    await_replicas();
    struct client *bird = waiting_at(replica->server, 0, "BLOB.GET box bird BLOCK 0");
    expect_ok(call(replica, "REPLICAOF NO ONE"));
    expect_etag(call(replica, "BLOB.PUT box bird tweet"));
    expect_text(answer_within(bird, 1000)->element[1], "tweet");
    follow(replica, primary);
    await_in_step(chained, replica);
}

/* Many changes in one transaction are told of once, as they are in the end. */
TEST(a_transaction_is_one_piece_of_news) {
    struct client *change = waiting_for_change("BLOCK 0"), *bird = waiting("BLOB.GET box bird BLOCK 0");
    expect_ok(call(primary, "MULTI"));
    call(primary, "BLOB.PUT box cat one");
    call(primary, "BLOB.PUT box bird tweet");
    call(primary, "BLOB.DELETE box bird");
    call(primary, "BLOB.PUT box cat two");
    expect_elements(call(primary, "EXEC"), 4);
    expect_news(change, "two");
    expect_still_waiting(bird);
}

TEST(readers_leave_no_trace) {
    etag = reply_string(field(stat_of("box", "cat"), "etag"));
    traces_begin("");
    for (int round = 0; round < 30; round++) {
        expect_null(call(primary, "BLOB.GET box cat IFNONEMATCH %s BLOCK 0.001", etag));
        expect_null(call(primary, "BLOB.GET box bird BLOCK 0.001"));
    }
    traces_require_none();
}
