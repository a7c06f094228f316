/* Consumers that wait: who gets which message, and when; and the moments at which nothing must be lost. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "queues.h"
#include "text.h"
#include "waiting.h"

enum { LATE_MS = 20, ATTEMPTS = 8 };

static struct client *consumer(const char *rest) {
    return waiting(pool_print("QUEUE.GET jobs %s BLOCK 0", rest));
}

static const char *texts_of(const redisReply *reply) {
    struct text texts = EMPTY_TEXT;
    require(reply_is_aggregate(reply), "no messages: %s", reply_text(reply));
    for (size_t i = 0; i < reply->elements; i++)
        text_print(&texts, "%s%s", i ? " " : "", field(reply->element[i], "message")->str);
    return texts.bytes;
}

static struct parcel received(struct client *client, const char *text) {
    redisReply *reply = expect_elements(answer_of(client), 1);
    expect_text(field(reply->element[0], "message"), text);
    return parcel_of(reply->element[0]);
}

BEFORE_EACH {
    queue_setup("");
}

TEST(a_put_serves_who_waits) {
    struct client *client = consumer("VISIBILITY 5");
    put_job("text", "");
    struct parcel parcel = received(client, "text");
    expect_depth(0, 1);
    expect_ok(act_on("DELETE", parcel, ""));
}

TEST(consumers_are_served_in_order) {
    enum { CONSUMERS = 12 };
    struct client *clients[CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++) clients[i] = consumer("");
    for (int i = 0; i < CONSUMERS; i++) {
        put_job(pool_print("%d", i), "");
        received(clients[i], pool_print("%d", i));
        if (i + 1 < CONSUMERS) expect_still_waiting(clients[i + 1]);
    }
}

/* As many as there are messages, each with as many as it wants, in turn. */
TEST(a_batch_wakes_as_many_as_it_can_serve) {
    struct client *one = consumer("COUNT 2"), *two = consumer("COUNT 3"), *three = consumer(""),
                  *four = consumer("");
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 6 a b c d e f"), 6);
    assert_string_equal(texts_of(answer_of(one)), "a b");
    assert_string_equal(texts_of(answer_of(two)), "c d e");
    assert_string_equal(texts_of(answer_of(three)), "f");
    expect_still_waiting(four);
}

TEST(hundreds_are_served_by_one_batch) {
    enum { CONSUMERS = 250 };
    struct client *clients[CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++) clients[i] = consumer("");
    struct words many = words_of_line(pool_print("QUEUE.PUTMANY jobs %d", CONSUMERS));
    for (int i = 0; i < CONSUMERS; i++) words_add_number(&many, i);
    expect_elements(call_words(primary, &many), CONSUMERS);
    for (int i = 0; i < CONSUMERS; i++)
        assert_string_equal(texts_of(answer_within(clients[i], 5000)), pool_print("%d", i));
}

TEST(a_get_does_not_overtake_waiting_consumers) {
    struct client *first = consumer("");
    expect_ok(call(primary, "MULTI"));
    call(primary, "QUEUE.PUT jobs text");
    expect_elements(call(primary, "EXEC"), 1);
    expect_elements(call(primary, "QUEUE.GET jobs"), 0);
    assert_string_equal(texts_of(answer_within(first, 5000)), "text");
}

/* Each way in which a message comes to be visible. */
TEST(every_way_a_message_becomes_visible_serves_a_waiter) {
    queue_setup("MAXDELIVERIES 3");
    put_job("text", "VISIBILITY 10");
    struct client *client = consumer("VISIBILITY 10");
    time_passes(5000);
    expect_still_waiting(client);
    time_passes(5000);
    struct parcel parcel = parcel_of(answer_within(client, 1000)->element[0]);
    client = consumer("VISIBILITY 10");
    expect_ok(act_on("RELEASE", parcel, ""));
    received(client, "text");
    client = consumer("VISIBILITY 10");
    time_passes(10000);
    parcel = parcel_of(answer_within(client, 1000)->element[0]);
    client = consumer("VISIBILITY 10");
    expect_ok(act_on("RELEASE", parcel, ""));
    expect_still_waiting(client);
    expect_number(call(primary, "QUEUE.REDRIVE jobs"), 1);
    parcel = received(client, "text");
    client = consumer("VISIBILITY 10");
    redisReply *update = act_on("UPDATE", parcel, "VISIBILITY 0");
    assert_false(reply_is_error(update));
    received(client, "text");
}

TEST(the_next_of_a_group_serves) {
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 2 a b GROUP g"), 2);
    struct parcel parcel = get_job("a", "");
    struct client *client = consumer("");
    expect_still_waiting(client);
    expect_ok(act_on("DELETE", parcel, ""));
    received(client, "b");
}

/* The first of the group expires, and nobody but time removes it. */
TEST(the_next_of_a_group_serves_when_the_first_expires) {
    put_job("a", "TTL 10 GROUP g");
    put_job("b", "TTL 1000 GROUP g");
    get_job("a", "VISIBILITY 100");
    struct client *client = consumer("");
    time_passes(5000);
    expect_still_waiting(client);
    time_passes(5000);
    assert_string_equal(texts_of(answer_within(client, 5000)), "b");
}

static long long lateness_of(const char *rest, long long ms) {
    long long before = stopwatch();
    put_job("text", rest);
    long long after = stopwatch();
    struct client *client = waiting("QUEUE.GET jobs BLOCK 5");
    redisReply *reply = expect_elements(answer_within(client, 5000), 1);
    long long answered = stopwatch();
    require(answered - before >= ms - 2, "delivered after %lld ms", answered - before);
    expect_ok(act_on("DELETE", parcel_of(reply->element[0]), ""));
    return answered - after - ms;
}

TEST(time_serves_to_the_millisecond) {
    long long best = LATE_MS;
    for (int attempt = 0; attempt < ATTEMPTS && best >= LATE_MS; attempt++) {
        long long lateness = lateness_of("VISIBILITY 0.1", 100);
        if (lateness < best) best = lateness;
    }
    require(best < LATE_MS, "always late");
}

TEST(a_get_whose_time_is_up_answers_an_empty_list) {
    struct client *client = waiting("QUEUE.GET jobs BLOCK 0.05");
    expect_elements(answer_within(client, 5000), 0);
    long long id;
    client = waiting_known("QUEUE.GET jobs BLOCK 0", &id);
    expect_number(call(primary, "CLIENT UNBLOCK %lld", id), 1);
    expect_elements(answer_of(client), 0);
    client = waiting_known("QUEUE.GET jobs BLOCK 0", &id);
    expect_number(call(primary, "CLIENT UNBLOCK %lld ERROR", id), 1);
    expect_error(answer_of(client), "UNBLOCKED");
    put_job("text", "");
    get_job("text", "");
}

/* Who has gone gets nothing, and the message goes to the next one. */
TEST(a_client_that_leaves_takes_no_message_along) {
    struct client *gone = client_open(primary->server);
    send_line(gone, "QUEUE.GET jobs BLOCK 0");
    await_waiters(primary, 1);
    struct client *next = consumer("");
    client_close(gone);
    await_waiters(primary, 1);
    put_job("text", "");
    received(next, "text");
}

TEST(a_queue_that_goes_leaves_its_line_waiting) {
    static const char *const ways[] = {"DEL jobs",        "UNLINK jobs",       "FLUSHALL",
                                       "QUEUE.DROP jobs", "RENAME jobs other", "SET jobs text"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        call(primary, "DEL jobs other");
        queue_setup("");
        struct client *client = consumer("");
        require(!reply_is_error(call_line(primary, ways[way])), "%s fails", ways[way]);
        expect_still_waiting(client);
        call(primary, "DEL jobs");
        queue_setup("");
        expect_still_waiting(client);
        put_job("text", "");
        received(client, "text");
    }
}

TEST(a_queue_that_goes_answers_when_time_is_up) {
    struct client *client = waiting("QUEUE.GET jobs BLOCK 1");
    expect_number(call(primary, "DEL jobs"), 1);
    expect_error(answer_within(client, 5000), "NOTFOUND QueueNotFound");
}

TEST(a_queue_that_takes_the_name_serves) {
    struct client *client = consumer("");
    expect_ok(call(primary, "QUEUE.CREATE other"));
    call(primary, "QUEUE.PUT other text");
    expect_ok(call(primary, "RENAME other jobs"));
    received(client, "text");
    client = consumer("");
    expect_ok(call(primary, "SELECT 5"));
    expect_ok(call(primary, "QUEUE.CREATE jobs"));
    call(primary, "QUEUE.PUT jobs elsewhere");
    expect_ok(call(primary, "SELECT 0"));
    expect_still_waiting(client);
    expect_ok(call(primary, "SWAPDB 0 5"));
    assert_string_equal(texts_of(answer_within(client, 5000)), "elsewhere");
}

TEST(a_pause_holds_back_what_time_serves) {
    put_job("text", "VISIBILITY 5");
    struct client *client = consumer("");
    expect_ok(call(primary, "CLIENT PAUSE 60000 WRITE"));
    time_passes(5000);
    usleep(150000);
    expect_still_waiting(client);
    expect_ok(call(primary, "CLIENT UNPAUSE"));
    assert_string_equal(texts_of(answer_within(client, 5000)), "text");
}

/* Two consumers and many messages: every message goes to one of them. */
TEST(each_message_goes_to_one_waiting_consumer) {
    enum { MESSAGES = 300, CONSUMERS = 5 };
    struct client *clients[CONSUMERS];
    static int seen[MESSAGES];
    memset(seen, 0, sizeof(seen));
    for (int i = 0; i < CONSUMERS; i++) clients[i] = consumer("VISIBILITY 1000");
    for (int message = 0, turn = 0; message < MESSAGES; message++, turn = (turn + 1) % CONSUMERS) {
        put_job(pool_print("%d", message), "");
        seen[atoi(texts_of(answer_within(clients[turn], 5000)))]++;
        send_line(clients[turn], "QUEUE.GET jobs VISIBILITY 1000 BLOCK 0");
        await_waiters(primary, CONSUMERS);
    }
    for (int message = 0; message < MESSAGES; message++) assert_int_equal(seen[message], 1);
    expect_depth(0, MESSAGES);
}
