/* Queues: what every command does, answers and refuses, and what messages go through as time passes. */
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "messages.h"
#include "pool.h"
#include "traces.h"
#include "wire.h"

#define FOREVER_MS 253402300799000LL

static long long number_of(const redisReply *map, const char *name) {
    return field(map, name)->integer;
}

/* --- Queues as a whole --- */

BEFORE_EACH {
    queue_setup("");
}

TEST(metadata_are_replaced_as_a_whole) {
    queue_setup("META 2 a 1 b 2");
    expect_ok(call(primary, "QUEUE.SETMETA jobs META 1 c 3"));
    expect_shape(call(primary, "QUEUE.GETMETA jobs"), "[\"c\", \"3\"]");
    expect_error(call(primary, "QUEUE.SETMETA jobs META 1 1c 3"), "INVALID InvalidMetadata");
    expect_ok(call(primary, "QUEUE.SETMETA jobs META 0"));
    expect_elements(call(primary, "QUEUE.GETMETA jobs"), 0);
}

TEST(a_dropped_queue_is_gone_and_its_name_is_free) {
    queue_setup("META 1 a b");
    struct parcel parcel = put_job("text", "");
    expect_ok(call(primary, "QUEUE.DROP jobs"));
    static const char *const commands[] = {"QUEUE.DROP jobs", "QUEUE.PUT jobs x", "QUEUE.GET jobs BLOCK 1",
                                           NULL};
    expect_each_error(primary, commands, "NOTFOUND QueueNotFound");
    expect_error(act_on("DELETE", parcel, ""), "NOTFOUND QueueNotFound");
    queue_setup("");
    expect_depth(0, 0);
    expect_elements(call(primary, "QUEUE.GETMETA jobs"), 0);
    expect_error(act_on("DELETE", parcel, ""), "NOTFOUND MessageNotFound");
}

/* --- To put --- */

TEST(a_put_answers_what_it_has_made) {
    long long now = server_time();
    redisReply *put = call(primary, "QUEUE.PUT jobs text");
    long long inserted = number_of(put, "inserted");
    assert_true(inserted >= now && inserted < now + 10000);
    expect_number(field(put, "expires"), inserted + 604800000);
    expect_number(field(put, "visible-at"), inserted);
    assert_int_equal(strlen(parcel_of(put).id), 36);
    assert_int_equal(strlen(parcel_of(put).receipt), 32);
    put = call(primary, "QUEUE.PUT jobs text TTL -1 VISIBILITY 604800");
    expect_number(field(put, "expires"), FOREVER_MS);
    expect_number(field(put, "visible-at"), number_of(put, "inserted") + 604800000);
    put = call(primary, "QUEUE.PUT jobs text TTL 1.5 VISIBILITY 1.499");
    expect_number(field(put, "expires"), number_of(put, "inserted") + 1500);
    put = call(primary, "QUEUE.PUT jobs text TTL 1000000000");
    expect_number(field(put, "expires"), number_of(put, "inserted") + 1000000000000LL);
    expect_number(field(call(primary, "QUEUE.PUT jobs text TTL 253402300000"), "expires"), FOREVER_MS);
    expect_number(field(call(primary, "QUEUE.PUT jobs text TTL 1000000000000"), "expires"), FOREVER_MS);
    expect_number(field(call(primary, "QUEUE.PUT jobs text TTL 1000000000000000"), "expires"), FOREVER_MS);
    expect_number(field(call(primary, "QUEUE.PUT jobs text TTL 10000000000000000"), "expires"), FOREVER_MS);
    expect_number(field(call(primary, "QUEUE.PUT jobs text TTL 99999999999999999999"), "expires"),
                  FOREVER_MS);
    expect_number(field(call(primary, "QUEUE.STAT jobs"), "messages"), 9);
}

/* Each line breaks more than one rule; the one that the storage service looks at first counts. */
TEST(faults_of_queue_commands_are_answered_in_order) {
    static const struct {
        const char *line;
        const char *error;
    } lines[] = {
        {"QUEUE.PUT none x TTL 0", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none x TTL -2", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none x TTL 0.999", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none x TTL x", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none x TTL 10 VISIBILITY 10", "INVALID InvalidQueryParameterValue TTL must be greater"},
        {"QUEUE.PUT none x TTL 10 VISIBILITY 11", "INVALID InvalidQueryParameterValue TTL must be greater"},
        {"QUEUE.PUT none x TTL 0 VISIBILITY -1", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.PUT none x VISIBILITY 604800.001", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.PUT none x VISIBILITY -5", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.PUT none x VISIBILITY x", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none 4444 VISIBILITY -1", "INVALID RequestBodyTooLarge"},
        {"QUEUE.PUTMANY none 2 x 4444 VISIBILITY -1", "INVALID RequestBodyTooLarge"},
        {"QUEUE.PUT none x DEDUP ''", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none x GROUP ''", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none x DEDUP a WITHIN 0", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.PUT none x WITHIN 5", "ERR syntax error near 'WITHIN'"},
        {"QUEUE.PUT none x within 5 TTL 60", "ERR syntax error near 'within'"},
        {"QUEUE.PUT none x", "NOTFOUND QueueNotFound"},
        {"QUEUE.GET none COUNT 0 VISIBILITY 0", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.GET none COUNT x VISIBILITY 0", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.GET none COUNT x", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.GET none COUNT 33", "INVALID OutOfRangeQueryParameterValue COUNT is 1..32"},
        {"QUEUE.GET none COUNT 33 VISIBILITY x", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.GET none COUNT 0 VISIBILITY x BLOCK -1", "INVALID InvalidHeaderValue"},
        {"QUEUE.PUT none x TTL x WITHIN 0 DEDUP a", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.PUT none x TTL 0.5 WITHIN 0 DEDUP a", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.PUT none x TTL 0.5 WITHIN 5", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.GET none COUNT 32", "NOTFOUND QueueNotFound"},
        {"QUEUE.GET none VISIBILITY 0.999", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.PEEK none COUNT 33", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.UPDATE none id x VISIBILITY -1 MESSAGE 4444", "INVALID RequestBodyTooLarge"},
        {"QUEUE.UPDATE none id x VISIBILITY -1", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.UPDATE none id '' VISIBILITY -1", "INVALID MissingRequiredQueryParameter"},
        {"QUEUE.UPDATE none id " RECEIPT_NONE " VISIBILITY 604801", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.UPDATE none id " RECEIPT_NONE " VISIBILITY 0", "NOTFOUND QueueNotFound"},
        {"QUEUE.UPDATE jobs id " RECEIPT_NONE, "ERR syntax error: VISIBILITY is missing"},
        {"QUEUE.UPDATE jobs id " RECEIPT_NONE " VISIBILITY 0", "NOTFOUND MessageNotFound"},
        {"QUEUE.DELETE none id x", "INVALID InvalidQueryParameterValue"},
        {"QUEUE.DELETE none id " ID_NONE, "INVALID InvalidQueryParameterValue"},
        {"QUEUE.REDRIVE jobs COUNT 1 IDS 1 a", "ERR syntax error near 'IDS'"},
        {"QUEUE.REDRIVE jobs ids 2 a b count 1", "ERR syntax error near 'ids'"},
        {"QUEUE.DEAD jobs COUNT 1001", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.CONFIGURE jobs MAXDELIVERIES -1", "INVALID OutOfRangeQueryParameterValue"},
        {"QUEUE.CONFIGURE jobs MAXDELIVERIES -1 ONCE ''", "INVALID InvalidInput"},
        {"QUEUE.CREATE jobs MAXDELIVERIES x ONCE ''", "INVALID InvalidInput"},
    };
    queue_setup("");
    configure(primary, "holdfast.queue-max-message-bytes", "3");
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        redisReply *reply = call_line(primary, lines[i].line);
        require(reply_is_error(reply) && text_begins(reply->str, lines[i].error), "%s gave %s", lines[i].line,
                reply_text(reply));
    }
    traces_require_none();
}

/* --- Time --- */

/* Nobody comes, and yet their memory is given back. */
TEST(expired_messages_leave_memory_by_themselves) {
    enum { MESSAGES = 2000 };
    long long empty = call(primary, "MEMORY USAGE jobs")->integer;
    call_many(primary, MESSAGES, "QUEUE.PUT jobs text TTL 10");
    assert_true(call(primary, "MEMORY USAGE jobs")->integer > MESSAGES * 100LL);
    long long expiries = info_of(primary, "holdfast_queue_expiries");
    time_passes(20000);
    await_info(primary, "holdfast_queue_expiries", expiries + MESSAGES);
    assert_true(call(primary, "MEMORY USAGE jobs")->integer < empty + 2000);
}

/* --- Beyond the service --- */

TEST(the_last_window_makes_a_dead_letter) {
    queue_setup("MAXDELIVERIES 2");
    put_job("text", "");
    get_job("text", "VISIBILITY 5");
    time_passes(5000);
    struct parcel parcel = get_job("text", "VISIBILITY 5");
    expect_elements(call(primary, "QUEUE.DEAD jobs"), 0);
    time_passes(5000);
    expect_elements(call(primary, "QUEUE.GET jobs"), 0);
    redisReply *dead = expect_elements(call(primary, "QUEUE.DEAD jobs"), 1)->element[0];
    expect_number(field(dead, "dequeue-count"), 2);
    expect_text(field(dead, "message"), "text");
    assert_true(number_of(dead, "died") >= number_of(dead, "inserted") + 10000);
    expect_error(act_on("DELETE", parcel, ""), "NOTFOUND MessageNotFound");
    redisReply *stat = call(primary, "QUEUE.STAT jobs");
    expect_number(field(stat, "messages"), 0);
    expect_number(field(stat, "dead"), 1);
    expect_number(call(primary, "QUEUE.REDRIVE jobs"), 1);
    redisReply *again = first_of(call(primary, "QUEUE.GET jobs"));
    expect_number(field(again, "dequeue-count"), 1);
    assert_string_equal(parcel_of(again).id, parcel.id);
}

TEST(the_last_release_makes_a_dead_letter) {
    expect_ok(call(primary, "QUEUE.CONFIGURE jobs MAXDELIVERIES 2"));
    put_job("text", "");
    struct parcel parcel = get_job("text", "");
    expect_ok(act_on("RELEASE", parcel, "VISIBILITY 3 REASON busy"));
    expect_error(act_on("DELETE", parcel, ""), "NOTFOUND MessageNotFound");
    expect_depth(0, 1);
    time_passes(3000);
    parcel = get_job("text", "");
    expect_ok(act_on("RELEASE", parcel, "VISIBILITY 3"));
    redisReply *dead = expect_elements(call(primary, "QUEUE.DEAD jobs"), 1)->element[0];
    expect_text(field(dead, "reason"), "busy");
    time_passes(700000000);
    expect_elements(call(primary, "QUEUE.DEAD jobs"), 1);
    expect_number(call(primary, "QUEUE.REDRIVE jobs IDS 3 %s %s nonsense", parcel.id, parcel.id), 1);
    expect_depth(1, 0);
    expect_number(call(primary, "QUEUE.CLEAR jobs DEAD"), 0);
}

/* More of them than a command settles in passing. */
TEST(each_of_many_that_have_just_died_can_be_put_back) {
    enum { MANY = 3000, AT_ONCE = 30 };
    struct parcel last;
    queue_setup("MAXDELIVERIES 1");
    for (int i = 0; i < MANY; i++) put_job("text", "");
    expect_ok(call(primary, "MULTI"));
    for (int i = 0; i < MANY / AT_ONCE; i++) call(primary, "QUEUE.GET jobs COUNT %d VISIBILITY 1", AT_ONCE);
    redisReply *all = expect_elements(call(primary, "EXEC"), MANY / AT_ONCE);
    last = parcel_of(all->element[MANY / AT_ONCE - 1]->element[AT_ONCE - 1]);
    time_passes(1000);
    expect_number(call(primary, "QUEUE.REDRIVE jobs IDS 1 %s", last.id), 1);
    expect_depth(1, 0);
    expect_number(field(call(primary, "QUEUE.STAT jobs"), "dead"), MANY - 1);
}

/* Whether fewer of them have just died than are left, more, or all. */
TEST(dead_letters_are_cleared_apart) {
    for (int taken = 1; taken <= 3; taken++) {
        queue_setup("MAXDELIVERIES 1");
        expect_elements(call(primary, "QUEUE.PUTMANY jobs 3 a b c"), 3);
        expect_elements(call(primary, "QUEUE.GET jobs COUNT %d VISIBILITY 1", taken), (size_t)taken);
        time_passes(1000);
        expect_number(call(primary, "QUEUE.CLEAR jobs"), 3 - taken);
        expect_depth(0, 0);
        expect_elements(call(primary, "QUEUE.DEAD jobs COUNT 32"), (size_t)taken);
        put_job("later", "");
        assert_string_equal(got_jobs("COUNT 3"), "later");
        expect_number(call(primary, "QUEUE.CLEAR jobs DEAD"), taken);
        expect_elements(call(primary, "QUEUE.DEAD jobs"), 0);
        expect_ok(call(primary, "QUEUE.DROP jobs"));
    }
}

TEST(duplicates_are_answered_as_the_first) {
    redisReply *put = call(primary, "QUEUE.PUT jobs text DEDUP a WITHIN 10");
    struct parcel parcel = get_job("text", "");
    expect_ok(act_on("DELETE", parcel, ""));
    traces_begin("");
    redisReply *again = call(primary, "QUEUE.PUT jobs other DEDUP a WITHIN 1000");
    traces_require_none();
    expect_number(field(again, "duplicate"), 1);
    assert_string_equal(parcel_of(again).id, parcel.id);
    assert_string_equal(parcel_of(again).receipt, parcel_of(put).receipt);
    expect_number(field(again, "visible-at"), number_of(put, "visible-at"));
    put_job("b", "DEDUP b");
    time_passes(10000);
    redisReply *later = call(primary, "QUEUE.PUT jobs later DEDUP a");
    assert_string_not_equal(parcel_of(later).id, parcel.id);
    expect_depth(2, 0);
}

/* A transaction that is refused has put nothing, not even a duplicate. */
TEST(duplicates_are_counted_when_they_count) {
    long long before = info_of(primary, "holdfast_queue_duplicates");
    put_job("a", "DEDUP a");
    expect_error(call_line(primary,
                           "HOLDFAST.ATOMIC 2 5 QUEUE.PUT jobs a DEDUP a 4 QUEUE.DELETE jobs " ID_NONE
                           " " RECEIPT_NONE),
                 "NOTFOUND");
    assert_int_equal(info_of(primary, "holdfast_queue_duplicates"), before);
    expect_elements(call_line(primary, "HOLDFAST.ATOMIC 1 5 QUEUE.PUT jobs a DEDUP a"), 1);
    call_line(primary, "QUEUE.PUT jobs a DEDUP a");
    call_line(primary, "QUEUE.PUT jobs a DEDUP a ONCE token");
    assert_int_equal(info_of(primary, "holdfast_queue_duplicates"), before + 3);
}

TEST(groups_come_one_by_one) {
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 3 a1 a2 a3 GROUP a"), 3);
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 2 b1 b2 GROUP b"), 2);
    put_job("c", "");
    expect_depth(3, 3);
    redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs COUNT 10"), 3);
    expect_text(field(got->element[0], "message"), "a1");
    expect_text(field(got->element[1], "message"), "b1");
    expect_text(field(got->element[2], "message"), "c");
    expect_ok(act_on("DELETE", parcel_of(got->element[0]), ""));
    struct parcel parcel = get_job("a2", "");
    expect_ok(act_on("RELEASE", parcel, ""));
    get_job("a2", "");
    expect_elements(call(primary, "QUEUE.GET jobs"), 0);
}

/* They are more than one search reads, and more than one command removes. */
static void expect_alive_behind_expired(const char *more) {
    struct words many = words_of_line("QUEUE.PUTMANY jobs 1000");
    for (int i = 0; i < 1000; i++) words_add_number(&many, i);
    words_add_line(&many, more);
    for (int i = 0; i < 30; i++) expect_elements(call_words(primary, &many), 1000);
    put_job("expired", "TTL 11 GROUP g");
    put_job("alive", "GROUP g");
    time_passes(11000);
    get_job("alive", "");
    expect_number(call(primary, "DEL jobs"), 1);
}

TEST(many_expired_messages_hide_none_that_stands_behind_them) {
    expect_alive_behind_expired("TTL 10 GROUP g");
    queue_setup("");
    expect_alive_behind_expired("TTL 10");
}

TEST(batches_answer_for_each) {
    redisReply *put = expect_elements(call(primary, "QUEUE.PUTMANY jobs 3 a b c TTL 50 VISIBILITY 5"), 3);
    struct parcel a = parcel_of(put->element[0]), b = parcel_of(put->element[1]);
    redisReply *deleted =
        expect_elements(call(primary, "QUEUE.DELETEMANY jobs 5 %s %s %s %s %s %s %s %s %s %s", a.id,
                             a.receipt, b.id, a.receipt, a.id, a.receipt, b.id, "x", b.id, b.receipt),
                        5);
    expect_ok(deleted->element[0]);
    expect_error(deleted->element[1], "NOTFOUND MessageNotFound");
    expect_error(deleted->element[2], "NOTFOUND MessageNotFound");
    expect_error(deleted->element[3],
                 "INVALID InvalidQueryParameterValue a receipt has 32 hexadecimal digits");
    expect_ok(deleted->element[4]);
    expect_depth(0, 1);
    struct words many = words_of_line("QUEUE.PUTMANY jobs 1000");
    for (int i = 0; i < 1000; i++) words_add_number(&many, i);
    expect_elements(call_words(primary, &many), 1000);
    words_replace(&many, 2, "1001");
    words_add(&many, "x");
    expect_error(call_words(primary, &many), "INVALID OutOfRangeQueryParameterValue");
    configure(primary, "holdfast.queue-max-count", "1000");
    expect_elements(call(primary, "QUEUE.GET jobs COUNT 1000"), 1000);
}

/* --- Ways to the commands --- */

TEST(transactions_and_scripts_take_messages) {
    expect_ok(call(primary, "MULTI"));
    call(primary, "QUEUE.PUT jobs one");
    call(primary, "QUEUE.GET jobs BLOCK 10");
    call(primary, "QUEUE.GET jobs BLOCK 10");
    redisReply *replies = expect_elements(call(primary, "EXEC"), 3);
    expect_elements(replies->element[1], 1);
    expect_elements(replies->element[2], 0);
    expect_number(call(primary, "EVAL %s 1 jobs",
                       "redis.call('QUEUE.PUT', KEYS[1], 'two') "
                       "return #redis.call('QUEUE.GET', KEYS[1], 'BLOCK', '10')"),
                  1);
}

TEST(resp3_has_maps) {
    queue_setup("META 1 a b MAXDELIVERIES 3");
    struct wire *wire = wire_open_resp3(primary->server);
    redisReply *put = wire_call(wire, "QUEUE.PUT jobs text");
    expect_shape(put,
                 pool_print("{\"id\": \"%s\", \"receipt\": \"%s\", \"inserted\": <ms>, \"expires\": <ms>, "
                            "\"visible-at\": <ms>}",
                            parcel_of(put).id, parcel_of(put).receipt));
    expect_shape(wire_call(wire, "QUEUE.GETMETA jobs"), "{\"a\": \"b\"}");
    redisReply *stat = wire_call(wire, "QUEUE.STAT jobs");
    assert_int_equal(stat->type, REPLY_MAP);
    expect_number(field(stat, "max-deliveries"), 3);
    redisReply *got = first_of(wire_call(wire, "QUEUE.GET jobs"));
    expect_shape(got,
                 pool_print("{\"id\": \"%s\", \"receipt\": \"%s\", \"dequeue-count\": 1, \"inserted\": <ms>, "
                            "\"expires\": <ms>, \"visible-at\": <ms>, \"message\": \"text\"}",
                            parcel_of(put).id, parcel_of(got).receipt));
}

TEST(changes_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"QUEUE.CREATE box MAXDELIVERIES 1", "queue.create box"},
        {"QUEUE.SETMETA box META 1 a b", "queue.setmeta box"},
        {"QUEUE.SETACL box", "queue.setacl box"},
        {"QUEUE.CONFIGURE box MAXDELIVERIES 1", "queue.configure box"},
        {"QUEUE.PUTMANY box 3 a b c", "queue.put box"},
        {"QUEUE.GET box VISIBILITY 1", "queue.get box"},
        {"QUEUE.CLEAR box", "queue.clear box"},
        {"QUEUE.DROP box", "queue.drop box"},
    };
    expect_notifications(rows);
}

TEST(changes_of_a_message_are_notified) {
    expect_ok(call(primary, "QUEUE.CREATE box MAXDELIVERIES 1"));
    struct parcel put = parcel_of(call(primary, "QUEUE.PUT box text"));
    const char *command = pool_print("QUEUE.UPDATE box %s %s VISIBILITY 0", put.id, put.receipt);
    expect_notification(command, "queue.update box");
    struct parcel got = parcel_of(first_of(call(primary, "QUEUE.GET box")));
    command = pool_print("QUEUE.RELEASE box %s %s", got.id, got.receipt);
    expect_notification(command, "queue.release box, queue.died box");
    expect_notification("QUEUE.REDRIVE box", "queue.redrive box");
    got = parcel_of(first_of(call(primary, "QUEUE.GET box")));
    command = pool_print("QUEUE.DELETE box %s %s", got.id, got.receipt);
    expect_notification(command, "queue.delete box");
}

TEST(info_tells_of_queues) {
    queue_setup("MAXDELIVERIES 2");
    long long gets = info_of(primary, "holdfast_queue_gets"), puts = info_of(primary, "holdfast_queue_puts");
    expect_elements(call(primary, "QUEUE.PUTMANY jobs 3 a b c"), 3);
    put_job("d", "VISIBILITY 10");
    assert_string_equal(got_jobs("COUNT 1 VISIBILITY 1"), "a");
    time_passes(1000);
    assert_string_equal(got_jobs("COUNT 3 VISIBILITY 1"), "b c a");
    expect_number(field(call(primary, "QUEUE.STAT jobs"), "messages"), 4);
    assert_true(number_of(call(primary, "QUEUE.STAT jobs"), "oldest-ms") >= 1000);
    assert_int_equal(info_of(primary, "holdfast_queue_puts"), puts + 4);
    assert_int_equal(info_of(primary, "holdfast_queue_gets"), gets + 4);
    assert_int_equal(info_of(primary, "holdfast_queue_invisible"), 4);
    assert_true(info_of(primary, "holdfast_queue_oldest_ms") >= 1000);
    time_passes(1000);
    assert_int_equal(info_of(primary, "holdfast_queue_visible"), 2);
    assert_int_equal(info_of(primary, "holdfast_queue_dead"), 1);
}
