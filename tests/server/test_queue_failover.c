/* Consumers that wait while the roles of servers change: a replica is promoted after its primary has ended, or
 * while it lives. Who waited at the old one is let go; who waits at the new one is served; messages, windows
 * and receipts are as they were. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "messages.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "waiting.h"

static const char line_up[] = "QUEUE.GET jobs VISIBILITY 100 BLOCK 0";

/* The old primary and its replica, which is to be the new one. */
static struct client *first, *second;

/* What is known of the messages when the roles change. */
static struct parcel delayed, taken, updated, behind;

static redisReply *by(struct client *client, const char *verb, struct parcel parcel, const char *rest) {
    return call_line(client, pool_print("QUEUE.%s jobs %s %s %s", verb, parcel.id, parcel.receipt, rest));
}

static struct parcel put_by(struct client *client, const char *rest) {
    return parcel_of(call_line(client, pool_print("QUEUE.PUT jobs %s", rest)));
}

static struct parcel get_by(struct client *client, const char *text) {
    redisReply *got = call(client, "QUEUE.GET jobs VISIBILITY 100");
    expect_texts(got, text);
    return parcel_of(got->element[0]);
}

/* Nothing is visible in the end, so that consumers wait. */
BEFORE_EACH {
    pair_start(&first, &second, "");
    expect_ok(call(first, "QUEUE.CREATE jobs MAXDELIVERIES 2 META 1 a b"));
    put_by(first, "taken");
    taken = get_by(first, "taken");
    put_by(first, "updated GROUP g");
    struct parcel before = get_by(first, "updated");
    behind = put_by(first, "behind GROUP g");
    redisReply *reply = by(first, "UPDATE", before, "VISIBILITY 200 MESSAGE other");
    updated = (struct parcel){before.id, reply_string(field(reply, "receipt"))};
    delayed = put_by(first, "put VISIBILITY 300 DEDUP once WITHIN 86400");
    await_in_step(second, first);
}

static void promote(void) {
    expect_ok(call(second, "REPLICAOF NO ONE"));
}

/* All that was known of them is so at the new primary. */
static void expect_as_before(void) {
    redisReply *stat = call(second, "QUEUE.STAT jobs");
    expect_number(field(stat, "messages"), 4);
    expect_number(field(stat, "visible"), 0);
    expect_number(field(stat, "max-deliveries"), 2);
    redisReply *again = call(second, "QUEUE.PUT jobs more DEDUP once");
    assert_string_equal(parcel_of(again).id, delayed.id);
    expect_number(field(again, "duplicate"), 1);
    expect_error(by(second, "DELETE", (struct parcel){taken.id, delayed.receipt}, ""), GONE);
    expect_error(by(second, "DELETE", (struct parcel){updated.id, behind.receipt}, ""), GONE);
    assert_false(reply_is_error(by(second, "UPDATE", taken, "VISIBILITY 100")));
    expect_error(by(second, "DELETE", taken, ""), GONE);
    expect_ok(by(second, "DELETE", delayed, ""));
    expect_ok(by(second, "DELETE", updated, ""));
}

/* And what it is served with is good for something. */
static void expect_served(struct client *consumer, const char *text) {
    redisReply *got = answer_within(consumer, 5000);
    expect_texts(got, text);
    expect_ok(by(second, "DELETE", parcel_of(got->element[0]), ""));
}

/* Told, or cut off by the end of the server: either way it waits no longer. */
static void expect_let_go(struct client *consumer) {
    void *reply = NULL;
    bool told = redisGetReply(consumer->context, &reply) == REDIS_OK && reply;
    if (told) pool_keep(reply, freeReplyObject);
    if (told) expect_error(reply, "UNBLOCKED");
}

TEST(a_replica_is_promoted_when_its_primary_has_stopped) {
    struct client *old[] = {waiting_at(first->server, 0, line_up), waiting_at(first->server, 0, line_up)};
    const char *digest = digest_of(first);
    server_stop(first->server);
    for (int i = 0; i < 2; i++) expect_let_go(old[i]);
    promote();
    assert_string_equal(digest_of(second), digest);
    struct client *one = waiting_at(second->server, 0, line_up),
                  *two = waiting_at(second->server, 0, line_up);
    expect_as_before();
    /* What stood behind in its group shows now. */
    expect_served(one, "behind");
    expect_still_waiting(two);
    put_by(second, "next");
    expect_served(two, "next");
}

TEST(a_replica_is_promoted_when_its_primary_was_killed) {
    struct client *old = waiting_at(first->server, 0, line_up);
    server_kill(first->server);
    expect_let_go(old);
    promote();
    struct client *one = waiting_at(second->server, 0, line_up);
    put_by(second, "next");
    expect_served(one, "next");
    expect_as_before();
    /* The old one comes back without anything, and follows. */
    server_restart(first->server);
    first = test_client(first->server);
    follow(first, second);
    require_same(first, second, "after the old primary came back");
}

/* Nobody waits at a replica; and it serves nobody while it is one, whatever shows there. */
TEST(consumers_cannot_wait_at_a_replica) {
    expect_error(call_line(second, line_up), "READONLY");
    assert_int_equal(waiters_at(second), 0);
    promote();
    struct client *one = waiting_at(second->server, 0, line_up);
    put_by(second, "next");
    expect_served(one, "next");
}

TEST(a_primary_that_follows_lets_its_consumers_go) {
    enum { CONSUMERS = 20 };
    struct client *old[CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++) old[i] = waiting_at(first->server, 0, line_up);
    promote();
    expect_ok(call(first, "REPLICAOF 127.0.0.1 %d", second->server->port));
    for (int i = 0; i < CONSUMERS; i++) expect_error(answer_within(old[i], 5000), "UNBLOCKED");
    assert_int_equal(waiters_at(first), 0);
    await_in_step(first, second);
    struct client *one = waiting_at(second->server, 0, line_up);
    put_by(second, "next");
    expect_served(one, "next");
    await_in_step(first, second);
    require_same(first, second, "after the change of roles");
    expect_error(call_line(first, line_up), "READONLY");
    expect_as_before();
}

TEST(a_failover_hands_the_queue_over) {
    struct client *old = waiting_at(first->server, 0, line_up);
    expect_ok(call(first, "FAILOVER TIMEOUT 10000"));
    expect_error(answer_within(old, 10000), "UNBLOCKED");
    await_in_step(first, second);
    struct client *one = waiting_at(second->server, 0, line_up),
                  *two = waiting_at(second->server, 0, line_up);
    expect_as_before();
    expect_served(one, "behind");
    put_by(second, "next");
    expect_served(two, "next");
    await_in_step(first, second);
    require_same(first, second, "after the failover");
}

/* A window that began at the old primary ends at the new one, by itself and for those who wait; the last one leads to
 * the dead letters there. */
TEST(windows_end_at_the_new_primary) {
    put_by(first, "brief");
    expect_texts(call(first, "QUEUE.GET jobs VISIBILITY 1"), "brief");
    await_in_step(second, first);
    server_kill(first->server);
    promote();
    struct client *one = test_client(second->server);
    send_line(one, "QUEUE.GET jobs VISIBILITY 1 BLOCK 0");
    redisReply *got = answer_within(one, 5000);
    expect_texts(got, "brief");
    expect_number(field(got->element[0], "dequeue-count"), 2);
    struct client *two = waiting_at(second->server, 0, "QUEUE.GET jobs BLOCK 1.5");
    expect_elements(answer_within(two, 5000), 0);
    expect_texts(call(second, "QUEUE.DEAD jobs"), "brief");
    expect_error(by(second, "DELETE", parcel_of(got->element[0]), ""), GONE);
}

/* Promoted in the middle of a stream of puts: of what was put before, everything is there, and goes to one alone. */
TEST(promoted_under_load) {
    enum { MESSAGES = 2000, CONSUMERS = 8 };
    static int seen[MESSAGES];
    struct client *consumers[CONSUMERS];
    memset(seen, 0, sizeof(seen));
    for (int number = 0; number < MESSAGES; number++) send_call(first, "QUEUE.PUT jobs %d", number);
    for (int number = 0; number < MESSAGES; number++) parcel_of(receive(first));
    await_in_step(second, first);
    server_kill(first->server);
    promote();
    for (int i = 0; i < CONSUMERS; i++) {
        consumers[i] = test_client(second->server);
        send_line(consumers[i], line_up);
    }
    for (int number = 0; number < MESSAGES; number++) {
        struct client *consumer = consumers[number % CONSUMERS];
        redisReply *got = expect_elements(answer_within(consumer, 5000), 1);
        int text = atoi(field(got->element[0], "message")->str);
        require(text >= 0 && text < MESSAGES && !seen[text]++, "message %d was delivered twice", text);
        expect_ok(by(consumer, "DELETE", parcel_of(got->element[0]), ""));
        send_line(consumer, line_up);
    }
    await_waiters(second, CONSUMERS);
    expect_as_before();
}

/* Many are freed behind the scenes, on whichever server they were. */
TEST(a_cleared_queue_leaves_memory_on_replicas) {
    enum { MESSAGES = 4000, BYTES = 2000 };
    char *text = pool_take(BYTES + 1);
    memset(text, 'x', BYTES);
    text[BYTES] = '\0';
    queue_setup("");
    call_many(primary, MESSAGES, pool_print("QUEUE.PUT jobs %s", text));
    await_in_step(replica, primary);
    long long full = info_of(replica, "used_memory");
    expect_number(call(primary, "QUEUE.CLEAR jobs"), MESSAGES);
    await_in_step(replica, primary);
    AWAIT(info_of(replica, "used_memory") <= full - MESSAGES * BYTES / 2);
}
