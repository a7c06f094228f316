/* Hostile payloads: RESTORE with a valid checksum around a doctored value. Each is answered with an error, or
 * gives a value that is whole and safe. No server dies, and all hold the same. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "hostile.h"
#include "payload.h"
#include "pool.h"
#include "random.h"
#include "records.h"

TEST(payloads_with_every_byte_changed) {
    random_begin();
    hostile_change_every_byte(hostile_dump("box", 6), require_whole);
}

TEST(payloads_cut_at_every_length) {
    hostile_cut_at_every_length(hostile_dump("box", 6), require_whole);
}

TEST(payloads_with_bytes_put_in_or_left_out) {
    random_begin();
    redisReply *dump = hostile_dump("box", 6);
    struct tally tally = {0};
    size_t value = dump->len - PAYLOAD_FOOTER;
    for (int round = 0; round < 1500; round++) {
        size_t place = 1 + random_size(value - 1);
        size_t gap = 1 + random_size(8);
        bool puts_in = random_below(2);
        size_t skipped = puts_in ? place : place + gap < value ? place + gap : value;
        size_t added = puts_in ? gap : 0;
        size_t length = place + added + dump->len - skipped;
        char *payload = pool_take(length);
        memcpy(payload, dump->str, place);
        random_fill(payload + place, added);
        memcpy(payload + place + added, dump->str + skipped, dump->len - skipped);
        hostile_restore(payload, length, &tally);
    }
    assert_true(tally.refused > 0);
}

TEST(payloads_spliced_from_two) {
    random_begin();
    redisReply *one = hostile_dump("one", 6);
    redisReply *other = hostile_dump("other", 3);
    struct tally tally = {0};
    for (int round = 0; round < 1500; round++) {
        size_t head = 1 + random_size(one->len - PAYLOAD_FOOTER - 1);
        size_t tail = PAYLOAD_FOOTER + random_size(other->len - PAYLOAD_FOOTER);
        char *payload = pool_take(head + tail);
        memcpy(payload, one->str, head);
        memcpy(payload + head, other->str + other->len - tail, tail);
        hostile_restore(payload, head + tail, &tally);
    }
    assert_true(tally.refused > 0);
}

TEST(payloads_of_random_bytes) {
    random_begin();
    redisReply *dump = hostile_dump("box", 1);
    struct tally tally = {0};
    enum { TYPE_AND_NAME = 10 }; /* one byte for a module's value, nine for its type and version */
    for (int round = 0; round < 1500; round++) {
        size_t noise = random_size(60);
        size_t length = TYPE_AND_NAME + noise + PAYLOAD_FOOTER;
        char *payload = pool_take(length);
        memcpy(payload, dump->str, TYPE_AND_NAME);
        random_fill(payload + TYPE_AND_NAME, noise);
        memcpy(payload + length - PAYLOAD_FOOTER, dump->str + dump->len - PAYLOAD_FOOTER, PAYLOAD_FOOTER);
        hostile_restore(payload, length, &tally);
    }
    assert_int_equal(tally.accepted, 0);
}

TEST(payloads_of_sound_records_in_another_order) {
    random_begin();
    configure(primary, "rdbcompression", "no");
    redisReply *dump = hostile_dump("box", 5);
    records_restore_shuffled(dump, hostile_dump("other", 8), 2000);
}

/* Versions far ahead of the clock would leave no room for those to come. */
TEST(values_of_a_far_future_are_refused) {
    enum { YEARS_REFUSED = 20, YEARS_TAKEN = 2 };
    static const long long year_ms = 365LL * 24 * 3600 * 1000;
    struct server *server = server_start("future", "");
    struct client *future = test_client(server);
    configure(future, "holdfast.clock-offset-ms", pool_print("%lld", YEARS_TAKEN * year_ms));
    expect_etag(call(future, "CONTAINER.CREATE near"));
    redisReply *near = call(future, "DUMP near");
    configure(future, "holdfast.clock-offset-ms", pool_print("%lld", YEARS_REFUSED * year_ms));
    call(future, "DEBUG RELOAD"); /* which draws a new epoch */
    expect_etag(call(future, "CONTAINER.CREATE far"));
    redisReply *far = call(future, "DUMP far");
    redisReply *near_told_far = call(future, "DUMP near");
    expect_ok(call(primary, "RESTORE near 0 %b", near->str, near->len));
    assert_true(reply_is_error(call(primary, "RESTORE far 0 %b", far->str, far->len)));
    assert_true(
        reply_is_error(call(primary, "RESTORE near 0 %b REPLACE", near_told_far->str, near_told_far->len)));
    expect_ok(call(future, "RESTORE far 0 %b REPLACE", far->str, far->len));
    const char *known = reply_string(field(call(primary, "CONTAINER.GET near"), "etag"));
    assert_true(strcmp(create("box"), known) > 0);
}

TEST(the_clock_is_not_carried_away) {
    create("before");
    redisReply *dump = hostile_dump("box", 1);
    const char *before = create("between");
    struct tally tally = {0};
    for (size_t place = 1; place + PAYLOAD_FOOTER < dump->len; place++) {
        char *payload = pool_copy(dump->str, dump->len);
        payload[place] = (char)0xff;
        hostile_restore(payload, dump->len, &tally);
    }
    const char *after = create("after");
    assert_true(strcmp(after, before) > 0);
    /* Ten years of seconds are a step of less than 0x13000000 in the higher half. */
    unsigned long long step = strtoull(after, NULL, 16) - strtoull(before, NULL, 16);
    assert_true(step >> 32 < 0x13000000);
}
