/* Queues as the storage service's users know them: what a message goes through from a put to its end. Receipts are in
 * test_queue_receipts.c, what the storage service does not have in test_queues.c. Where an instant matters the clock
 * stands still: what is so a millisecond before, at it, and behind it is told apart. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "messages.h"
#include "one_moment.h"
#include "pool.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"

enum { LARGEST = 65536 };

static redisReply *peeked(void) {
    return first_of(call(primary, "QUEUE.PEEK jobs"));
}

static char *large_text(size_t length) {
    char *text = pool_take(length);
    memset(text, '\xe2', length);
    return text;
}

/* --- 1 to 3: queues ---------------------------------------------------------------------------------------- */

BEFORE_EACH {
    queue_setup("");
}

TEST(creating_a_queue_again) {
    expect_ok(call(primary, "QUEUE.DROP jobs"));
    expect_ok(call(primary, "QUEUE.CREATE jobs META 2 a 1 Name x"));
    traces_begin("");
    expect_shape(call(primary, "QUEUE.CREATE jobs META 2 a 1 Name x"), "EXISTS");
    expect_shape(call(primary, "QUEUE.CREATE jobs META 2 nAME x A 1"), "EXISTS");
    expect_refused(
        "QUEUE.CREATE jobs; QUEUE.CREATE jobs META 2 a 1 Name y; QUEUE.CREATE jobs META 2 a 1 Name X; "
        "QUEUE.CREATE jobs META 1 a 1; QUEUE.CREATE jobs META 2 a 1 Name x MAXDELIVERIES 3",
        "CONFLICT QueueAlreadyExists");
    traces_require_none();
    expect_shape(call(primary, "QUEUE.GETMETA jobs"), "[\"a\", \"1\", \"Name\", \"x\"]");
}

/* Names are those of keys, whatever the service would say. */
TEST(names_of_queues) {
    const char *names[] = {"ab", pool_print("%064d", 1), "Abc", "a--b", "-ab", "ab-", "jobs:{eu}:\xff\n"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        expect_ok(call(primary, "QUEUE.CREATE %s", names[i]));
        parcel_of(call(primary, "QUEUE.PUT %s text", names[i]));
        expect_texts(call(primary, "QUEUE.GET %s", names[i]), "text");
    }
}

/* --- 4 to 9: what is put ----------------------------------------------------------------------------------- */

TEST(a_delayed_message_shows_at_its_instant) {
    redisReply *replies =
        at_one_moment("", "QUEUE.PUT jobs text VISIBILITY 5; +4999; QUEUE.GET jobs; QUEUE.PEEK jobs; +1; "
                          "QUEUE.PEEK jobs; QUEUE.GET jobs");
    expect_texts(replies->element[1], "");
    expect_texts(replies->element[2], "");
    expect_texts(replies->element[3], "text");
    expect_texts(replies->element[4], "text");
}

TEST(ranges_of_visibility) {
    struct parcel parcel = put_job("text", "VISIBILITY 0");
    const char *whole = pool_print("QUEUE.UPDATE jobs %s %s", parcel.id, parcel.receipt);
    const char *refused[] = {"QUEUE.PUT jobs x VISIBILITY -1",      "QUEUE.PUT jobs x VISIBILITY 604801",
                             pool_print("%s VISIBILITY -1", whole), pool_print("%s VISIBILITY 604801", whole),
                             "QUEUE.GET jobs VISIBILITY -1",        "QUEUE.GET jobs VISIBILITY 0",
                             "QUEUE.GET jobs VISIBILITY 604801",    NULL};
    traces_begin("");
    expect_each_error(primary, refused, OUT_OF_RANGE);
    traces_require_none();
    update(&parcel, "VISIBILITY 604800");
    expect_depth(0, 1);
    update(&parcel, "VISIBILITY 0");
    get_job("text", "VISIBILITY 604800");
    /* The default time to live is not held against it, and ends at the instant at which it would show. */
    redisReply *put = call(primary, "QUEUE.PUT jobs never VISIBILITY 604800");
    expect_number(field(put, "visible-at"), field(put, "expires")->integer);
    time_passes(604800000);
    assert_string_equal(got_jobs(""), "");
}

TEST(counts_of_messages) {
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 3 a b c"), 3);
    traces_begin("");
    expect_refused("QUEUE.GET jobs COUNT 0; QUEUE.GET jobs COUNT 33; QUEUE.GET jobs COUNT -1; "
                   "QUEUE.PEEK jobs COUNT 0; QUEUE.PEEK jobs COUNT 33",
                   OUT_OF_RANGE);
    expect_texts(call(primary, "QUEUE.PEEK jobs COUNT 32"), "a b c");
    expect_texts(call(primary, "QUEUE.PEEK jobs COUNT 2"), "a b");
    expect_texts(call(primary, "QUEUE.PEEK jobs"), "a");
    traces_require_none();
    assert_string_equal(got_jobs("COUNT 5"), "a b c");
    assert_string_equal(got_jobs("COUNT 32"), "");
}

TEST(sizes_of_texts) {
    char *text = large_text(LARGEST + 1), *with_zero = large_text(LARGEST);
    with_zero[5] = '\0';
    expect_error(call(primary, "QUEUE.PUT jobs %b", text, (size_t)LARGEST + 1), TOO_LARGE);
    expect_error(call(primary, "QUEUE.PUT jobs"), "ERR wrong number of arguments");
    expect_depth(0, 0);
    parcel_of(call(primary, "QUEUE.PUT jobs %b", with_zero, (size_t)LARGEST));
    parcel_of(call(primary, "QUEUE.PUT jobs %b", "", (size_t)0));
    static const char letter[] = {'\xc3', '\xa4'};
    /* Bytes count, not characters: 32,769 of two bytes each are too many. */
    for (int place = 0; place < LARGEST; place += 2) memcpy(text + place, letter, sizeof(letter));
    parcel_of(call(primary, "QUEUE.PUT jobs %b", text, (size_t)LARGEST));
    expect_error(call(primary, "QUEUE.PUT jobs %b", text, (size_t)LARGEST + 1), TOO_LARGE);
    redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs COUNT 3"), 3);
    expect_bytes(field(got->element[0], "message"), with_zero, LARGEST);
    expect_bytes(field(got->element[1], "message"), "", 0);
    expect_bytes(field(got->element[2], "message"), text, LARGEST);
}

/* --- 10 to 16: windows and receipts ------------------------------------------------------------------------ */

TEST(getting_hides) {
    redisReply *replies = at_one_moment(
        "QUEUE.PUT jobs text", "QUEUE.GET jobs; QUEUE.GET jobs; +29999; QUEUE.GET jobs; +1; QUEUE.GET jobs");
    redisReply *one = first_of(replies->element[0]), *two = first_of(replies->element[3]);
    expect_texts(replies->element[1], "");
    expect_texts(replies->element[2], "");
    expect_number(field(one, "dequeue-count"), 1);
    assert_true(field(one, "visible-at")->integer >= field(one, "inserted")->integer + 30000);
    expect_number(field(two, "dequeue-count"), 2);
    expect_number(field(two, "visible-at"), field(one, "visible-at")->integer + 30000);
    assert_string_equal(parcel_of(one).id, parcel_of(two).id);
    assert_string_not_equal(parcel_of(one).receipt, parcel_of(two).receipt);
}

TEST(peeking_at_messages) {
    put_job("taken", "");
    struct parcel taken = get_job("taken", ""), put = put_job("one", "");
    put_job("later", "VISIBILITY 10");
    traces_begin("");
    expect_shape(call(primary, "QUEUE.PEEK jobs COUNT 32"),
                 pool_print("[[\"id\", \"%s\", \"dequeue-count\", 0, \"inserted\", <ms>, \"expires\", <ms>, "
                            "\"message\", \"one\"]]",
                            put.id));
    expect_number(field(peeked(), "dequeue-count"), 0);
    traces_require_none();
    expect_number(field(first_of(call(primary, "QUEUE.GET jobs")), "dequeue-count"), 1);
    expect_ok(act_on("DELETE", taken, ""));
}

TEST(getting_and_deleting) {
    struct parcel put = put_job("text", ""), parcel = get_job("text", "");
    assert_string_equal(parcel.id, put.id);
    assert_string_not_equal(parcel.receipt, put.receipt);
    expect_ok(act_on("DELETE", parcel, ""));
    expect_error(act_on("DELETE", parcel, ""), GONE);
    expect_depth(0, 0);
}

/* --- 17 to 21: updates ------------------------------------------------------------------------------------- */

TEST(what_an_update_changes) {
    redisReply *put = call(primary, "QUEUE.PUT jobs text TTL 100");
    struct parcel parcel = get_job("text", "");
    static const struct {
        const char *rest, *text;
    } updates[] = {{"VISIBILITY 0", "text"},
                   {"VISIBILITY 0 MESSAGE longer-than-before", "longer-than-before"},
                   {"VISIBILITY 0", "longer-than-before"},
                   {"VISIBILITY 0 MESSAGE ''", ""}};
    for (size_t i = 0; i < ARRAY_SIZE(updates); i++) {
        update(&parcel, updates[i].rest);
        redisReply *seen = peeked();
        expect_text(field(seen, "message"), updates[i].text);
        expect_number(field(seen, "dequeue-count"), 1);
        expect_number(field(seen, "inserted"), field(put, "inserted")->integer);
        expect_number(field(seen, "expires"), field(put, "expires")->integer);
    }
}

TEST(updating_to_be_visible) {
    put_job("text", "");
    struct parcel parcel = get_job("text", "");
    update(&parcel, "VISIBILITY 0");
    expect_depth(1, 0);
    update(&parcel, "VISIBILITY 0");
    struct parcel next = get_job("text", "");
    expect_error(act_on("DELETE", parcel, ""), GONE);
    expect_ok(act_on("DELETE", next, ""));
}

TEST(failed_updates) {
    put_job("text", "");
    struct parcel parcel = get_job("text", "");
    traces_begin("");
    redisReply *reply = call(primary, "QUEUE.UPDATE jobs %s %s VISIBILITY 0 MESSAGE %b", parcel.id,
                             parcel.receipt, large_text(LARGEST + 1), (size_t)LARGEST + 1);
    expect_error(reply, TOO_LARGE);
    expect_error(act_on("UPDATE", parcel, "VISIBILITY 604801"), OUT_OF_RANGE);
    expect_error(act_on("UPDATE", parcel, "VISIBILITY x MESSAGE y"), BAD_VALUE);
    expect_error(act_on("UPDATE", parcel, ""), "ERR syntax error: VISIBILITY is missing");
    traces_require_none();
    expect_ok(act_on("DELETE", parcel, ""));
}

TEST(the_receipt_of_a_put) {
    struct parcel one = put_job("one", "VISIBILITY 600"), two = put_job("two", "");
    update(&one, "VISIBILITY 5");
    time_passes(5000);
    expect_texts(call(primary, "QUEUE.PEEK jobs COUNT 2"), "two one");
    expect_number(field(peeked(), "dequeue-count"), 0);
    expect_ok(act_on("DELETE", one, ""));
    expect_ok(act_on("DELETE", two, ""));
}

TEST(an_update_hides) {
    struct parcel parcel = put_job("text", "");
    update(&parcel, "VISIBILITY 60");
    assert_string_equal(got_jobs(""), "");
    expect_elements(call(primary, "QUEUE.PEEK jobs"), 0);
    time_passes(60000);
    expect_number(field(first_of(call(primary, "QUEUE.GET jobs")), "dequeue-count"), 1);
}

/* --- 23 to 26: lives and order ----------------------------------------------------------------------------- */

TEST(messages_expire) {
    struct parcel visible = put_job("visible", "TTL 10"), hidden = put_job("hidden", "TTL 10 VISIBILITY 9");
    struct parcel kept = put_job("kept", "TTL 1000 VISIBILITY 999");
    time_passes(10000);
    expect_depth(0, 1);
    struct parcel expired[] = {visible, hidden};
    for (int i = 0; i < 2; i++) {
        expect_error(act_on("UPDATE", expired[i], "VISIBILITY 0"), GONE);
        expect_error(act_on("RELEASE", expired[i], ""), GONE);
        expect_error(act_on("DELETE", expired[i], ""), GONE);
    }
    expect_elements(call(primary, "QUEUE.PEEK jobs COUNT 32"), 0);
    assert_string_equal(got_jobs("COUNT 32"), "");
    expect_ok(act_on("DELETE", kept, ""));
    /* At its very instant it is gone already, and one that would show then never shows. */
    redisReply *replies = at_one_moment(
        "", "QUEUE.PUT jobs text TTL 10; +9999; QUEUE.PEEK jobs; QUEUE.STAT jobs; +1; QUEUE.PEEK "
            "jobs; QUEUE.GET jobs; QUEUE.STAT jobs");
    expect_texts(replies->element[1], "text");
    expect_number(field(replies->element[2], "messages"), 1);
    expect_texts(replies->element[3], "");
    expect_texts(replies->element[4], "");
    expect_number(field(replies->element[5], "messages"), 0);
}

TEST(a_window_longer_than_the_life) {
    put_job("text", "TTL 10");
    redisReply *got = first_of(call(primary, "QUEUE.GET jobs VISIBILITY 60"));
    assert_true(field(got, "visible-at")->integer > field(got, "expires")->integer);
    expect_depth(0, 1);
    time_passes(10000);
    expect_error(act_on("DELETE", parcel_of(got), ""), GONE);
    time_passes(60000);
    assert_string_equal(got_jobs(""), "");
}

TEST(an_update_does_not_lengthen_the_life) {
    struct parcel parcel = put_job("text", "TTL 10");
    update(&parcel, "VISIBILITY 60");
    time_passes(5000);
    update(&parcel, "VISIBILITY 8");
    time_passes(5000);
    expect_error(act_on("UPDATE", parcel, "VISIBILITY 0"), GONE);
    expect_depth(0, 0);
}

TEST(order_of_messages) {
    put_job("a", "VISIBILITY 10");
    put_job("b", "");
    put_job("c", "");
    assert_string_equal(got_jobs("VISIBILITY 12"), "b");
    assert_string_equal(got_jobs("VISIBILITY 5"), "c");
    time_passes(12000);
    /* By the instants at which they came back: after 5, 10 and 12 seconds. */
    assert_string_equal(got_jobs("COUNT 3"), "c a b");
    /* Those with the same instant come in order of arrival. */
    time_passes(30000);
    assert_string_equal(got_jobs("COUNT 3"), "a b c");
}

/* --- 27 to 33: together ------------------------------------------------------------------------------------ */

TEST(two_consumers_at_once) {
    enum { MESSAGES = 100 };
    int seen[MESSAGES] = {0};
    for (int i = 0; i < MESSAGES; i++) put_job(pool_print("%d", i), "");
    struct client *clients[] = {test_client(primary->server), test_client(primary->server)};
    for (int round = 0; round < MESSAGES; round++) {
        send_line(clients[0], "QUEUE.GET jobs");
        send_line(clients[1], "QUEUE.GET jobs");
    }
    for (int answer = 0; answer < 2 * MESSAGES; answer++) {
        redisReply *got = receive(clients[answer % 2]);
        if (got->elements) seen[atoi(field(got->element[0], "message")->str)]++;
    }
    for (int i = 0; i < MESSAGES; i++) assert_int_equal(seen[i], 1);
    expect_depth(0, MESSAGES);
}

TEST(a_worker_dies) {
    put_job("text", "");
    struct client *worker = client_open(primary->server);
    expect_texts(call(worker, "QUEUE.GET jobs VISIBILITY 10"), "text");
    client_close(worker);
    assert_string_equal(got_jobs(""), "");
    time_passes(10000);
    redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs COUNT 32"), 1)->element[0];
    expect_number(field(got, "dequeue-count"), 2);
}

TEST(clearing_a_queue) {
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 3 a b c"), 3);
    struct parcel parcel = get_job("a", "");
    put_job("later", "VISIBILITY 10");
    expect_number(call(primary, "QUEUE.CLEAR jobs"), 4);
    expect_error(act_on("DELETE", parcel, ""), GONE);
    time_passes(30000);
    expect_depth(0, 0);
    traces_begin("");
    expect_number(call(primary, "QUEUE.CLEAR jobs"), 0);
    expect_number(call(primary, "QUEUE.CLEAR jobs DEAD"), 0);
    traces_require_none();
    put_job("next", "");
    assert_string_equal(got_jobs("COUNT 32"), "next");
}

TEST(the_count_of_messages) {
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 5 a b c d e"), 5);
    struct parcel parcel = get_job("a", "");
    get_job("b", "");
    expect_depth(3, 2);
    expect_ok(act_on("DELETE", parcel, ""));
    expect_depth(3, 1);
}

TEST(metadata_are_not_merged) {
    queue_setup("META 1 z 0");
    struct client *clients[] = {test_client(primary->server), test_client(primary->server)};
    for (int round = 0; round < 50; round++) {
        send_line(clients[0], "QUEUE.SETMETA jobs META 2 a 1 b 1");
        send_line(clients[1], "QUEUE.SETMETA jobs META 2 b 2 c 2");
        expect_ok(receive(clients[0]));
        expect_ok(receive(clients[1]));
        const char *now = reply_text(call(primary, "QUEUE.GETMETA jobs"));
        static const char *const either[] = {"[\"a\", \"1\", \"b\", \"1\"]", "[\"b\", \"2\", \"c\", \"2\"]",
                                             NULL};
        require(text_is_one_of(now, either), "metadata are %s", now);
    }
    expect_ok(call(clients[0], "QUEUE.SETMETA jobs META 1 last 1"));
    expect_shape(call(clients[1], "QUEUE.GETMETA jobs"), "[\"last\", \"1\"]");
}

TEST(policies_of_queues) {
    expect_ok(call(primary, "QUEUE.SETACL jobs POLICIES 2 one 0 99 raup two - - u"));
    traces_begin("");
    expect_error(call(primary, "QUEUE.SETACL jobs POLICIES 1 one 0 99 w"), "INVALID InvalidXmlNodeValue");
    expect_error(
        call(primary, "QUEUE.SETACL jobs POLICIES 6 a - - r b - - r c - - r d - - r e - - r f - - r"),
        "INVALID InvalidXmlDocument");
    traces_require_none();
    expect_shape(call(primary, "QUEUE.GETACL jobs"),
                 "[[\"id\", \"one\", \"start\", 0, \"expiry\", 99, \"permissions\", \"raup\"], "
                 "[\"id\", \"two\", \"permissions\", \"u\"]]");
    expect_ok(call(primary, "QUEUE.SETACL jobs POLICIES 1 three - - raup"));
    expect_shape(call(primary, "QUEUE.GETACL jobs"), "[[\"id\", \"three\", \"permissions\", \"raup\"]]");
    expect_ok(call(primary, "QUEUE.SETACL jobs"));
    expect_elements(call(primary, "QUEUE.GETACL jobs"), 0);
}

/* --- 34 to 36: batches, files and transactions ------------------------------------------------------------- */

TEST(one_window_and_many_receipts) {
    enum { MAX = 32 };
    for (int i = 0; i < MAX; i++) put_job(pool_print("%d", i), "");
    redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs COUNT 32"), MAX);
    for (int i = 1; i < MAX; i++) {
        const char *receipt = parcel_of(got->element[i]).receipt;
        expect_number(field(got->element[i], "visible-at"), field(got->element[0], "visible-at")->integer);
        for (int other = 0; other < i; other++)
            assert_string_not_equal(receipt, parcel_of(got->element[other]).receipt);
    }
}

TEST(reloading_and_replicas) {
    struct parcel put = put_job("put", "VISIBILITY 100");
    put_job("taken", "");
    struct parcel taken = get_job("taken", "VISIBILITY 5");
    expect_ok(call(primary, "DEBUG RELOAD"));
    expect_depth(0, 2);
    time_passes(5000);
    await_replicas();
    struct client *all[] = {primary, replica, chained};
    for (int i = 0; i < 3; i++) {
        redisReply *seen = first_of(call(all[i], "QUEUE.PEEK jobs"));
        expect_text(field(seen, "message"), "taken");
        expect_number(field(seen, "dequeue-count"), 1);
        assert_true(reply_same(seen, peeked()));
    }
    expect_ok(act_on("DELETE", put, ""));
    expect_ok(act_on("DELETE", taken, ""));
}

TEST(commands_of_one_moment) {
    redisReply *replies =
        at_one_moment("", "QUEUE.PUT jobs now VISIBILITY 0; QUEUE.PUT jobs later VISIBILITY 0.001; QUEUE.GET "
                          "jobs COUNT 32 VISIBILITY 1; +1; QUEUE.GET jobs COUNT 32 VISIBILITY 1; +999; "
                          "QUEUE.PEEK jobs COUNT 32; +1; QUEUE.PEEK jobs COUNT 32");
    expect_texts(replies->element[2], "now");
    expect_texts(replies->element[3], "later");
    expect_texts(replies->element[4], "now");
    expect_texts(replies->element[5], "now later");
    static const char script[] = "redis.call('QUEUE.PUT', KEYS[1], 'script') "
                                 "redis.call('QUEUE.PUT', KEYS[1], 'late', 'VISIBILITY', '1') "
                                 "return redis.call('QUEUE.GET', KEYS[1], 'COUNT', '32')";
    expect_number(call(primary, "QUEUE.CLEAR jobs"), 2);
    expect_texts(call(primary, "EVAL %s 1 jobs", script), "script");
}
