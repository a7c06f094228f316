/* Receipts: row by row what makes them good and what ends them, for every command that wants one, by every way to it,
 * and under both settings of what a wrong one is answered with. And what is no receipt, or that of something else. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "messages.h"
#include "pool.h"
#include "text.h"
#include "traces.h"
#include "wire.h"

enum state { GOOD, STALE, NOTHING_THERE, NO_QUEUE_THERE };
enum way { BY_ITSELF, IN_A_TRANSACTION, IN_A_SCRIPT, IN_RESP3, WAYS };

static const char *const settings[] = {"notfound", "mismatch"};

/* What happens to a message, step by step: `put` and `get` give the receipt that counts from there on; UPDATE, RELEASE
 * and DELETE use it; "+5000" is time that passes; what comes behind a slash is any command, mostly somebody else's. */
static const struct {
    const char *steps;
    enum state state;
} rows[] = {
    {"put", GOOD},
    {"put VISIBILITY 50", GOOD},
    {"put; get", GOOD},
    {"put; get VISIBILITY 5; +4000", GOOD},
    {"put; get VISIBILITY 5; +5000", GOOD},
    {"put; get VISIBILITY 5; +500000000", GOOD},
    {"put; get VISIBILITY 5; +5000; /QUEUE.GET jobs", STALE},
    {"put; get VISIBILITY 5; +5000; /QUEUE.GET jobs VISIBILITY 5; +5000", STALE},
    {"put; /QUEUE.GET jobs", STALE},
    {"put; get; UPDATE VISIBILITY 5", STALE},
    {"put; get; UPDATE VISIBILITY 0 MESSAGE other", STALE},
    {"put; UPDATE VISIBILITY 0", STALE},
    {"put; get VISIBILITY 5; +5000; /QUEUE.PEEK jobs", GOOD},
    {"put; get; UPDATE VISIBILITY 604801; UPDATE VISIBILITY x; UPDATE", GOOD},
    {"put; get; UPDATE VISIBILITY 1 MESSAGE longer-than-20-bytes-are", GOOD},
    {"put; get; DELETE", NOTHING_THERE},
    {"put; DELETE", NOTHING_THERE},
    {"put; get; /QUEUE.CLEAR jobs", NOTHING_THERE},
    {"put TTL 10; +10000", NOTHING_THERE},
    {"put TTL 10; get VISIBILITY 5; +10000", NOTHING_THERE},
    {"put TTL 10; get VISIBILITY 60; +10000", NOTHING_THERE},
    {"put TTL 10; get VISIBILITY 60; +10000; /QUEUE.GET jobs", NOTHING_THERE},
    {"put TTL 10; get VISIBILITY 5; +9000", GOOD},
    {"put; get; /QUEUE.DROP jobs", NO_QUEUE_THERE},
    {"put; get; /QUEUE.DROP jobs; /QUEUE.CREATE jobs", NOTHING_THERE},
    {"put; get; /QUEUE.DROP jobs; /QUEUE.CREATE jobs; /QUEUE.PUT jobs text", NOTHING_THERE},
    {"put; get; /DEL jobs", NO_QUEUE_THERE},
    {"put; get; /FLUSHDB", NO_QUEUE_THERE},
    {"put; get; /RENAME jobs other", NO_QUEUE_THERE},
    {"put; get; /RENAME jobs other; /QUEUE.CREATE jobs", NOTHING_THERE},
    {"put; get; /RENAME jobs other; /RENAME other jobs", GOOD},
    {"put; get; /COPY jobs other; /QUEUE.CLEAR jobs; /RENAME other jobs", GOOD},
    {"put; get; /DEBUG RELOAD", GOOD},
    {"put; get; RELEASE", STALE},
    {"put; get; RELEASE VISIBILITY 50", STALE},
    {"put; get; /QUEUE.CONFIGURE jobs MAXDELIVERIES 1; +29000", GOOD},
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get VISIBILITY 5; +4000", GOOD},
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get VISIBILITY 5; +5000", NOTHING_THERE},
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get VISIBILITY 5; +5000; /QUEUE.GET jobs", NOTHING_THERE},
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get; RELEASE", NOTHING_THERE},
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get; RELEASE; /QUEUE.REDRIVE jobs", STALE},
    /* To end the last window is to end it, whether time does so or its holder. */
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get; UPDATE VISIBILITY 5", STALE},
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get; UPDATE VISIBILITY 0", NOTHING_THERE},
    /* Whether a delivery is the last one shows when it is made, and no later. */
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get VISIBILITY 5; /QUEUE.CONFIGURE jobs MAXDELIVERIES 0; "
     "+5000",
     NOTHING_THERE},
    {"/QUEUE.CONFIGURE jobs MAXDELIVERIES 1; put; get; /QUEUE.CONFIGURE jobs MAXDELIVERIES 0; RELEASE",
     NOTHING_THERE},
    {"put; get VISIBILITY 5; /QUEUE.CONFIGURE jobs MAXDELIVERIES 1; +5000", GOOD},
    {"put; get; /QUEUE.CONFIGURE jobs MAXDELIVERIES 1; RELEASE", STALE},
    {"put DEDUP a; /QUEUE.PUT jobs text DEDUP a", GOOD},
    {"put DEDUP a; put DEDUP a", GOOD},
    {"put DEDUP a; /QUEUE.GET jobs; put DEDUP a", STALE},
    {"put DEDUP a; DELETE; put DEDUP a", NOTHING_THERE},
    {"/QUEUE.PUT jobs first GROUP g; put GROUP g", GOOD},
    {"put GROUP g; get; /QUEUE.PUT jobs next GROUP g", GOOD},
};

enum { ROWS = ARRAY_SIZE(rows) };

static void play_step(const char *step, struct parcel *parcel) {
    const char *rest = strchr(step, ' ');
    const char *verb = rest ? pool_copy(step, (size_t)(rest - step)) : step;
    rest = rest ? rest + 1 : "";
    if (*step == '+')
        time_passes(atoll(step + 1));
    else if (*step == '/')
        require(!reply_is_error(call_line(primary, step + 1)), "%s fails", step + 1);
    else if (!strcmp(verb, "put"))
        *parcel = put_job("text", rest);
    else if (!strcmp(verb, "get"))
        *parcel = get_job("text", rest);
    else
        act_on(verb, *parcel, rest);
}

static struct parcel play_row(const char *steps) {
    struct parcel parcel = {ID_NONE, RECEIPT_NONE};
    call(primary, "DEL jobs other");
    queue_setup("");
    for (const char *const *step = text_commands(steps); *step; step++) play_step(*step, &parcel);
    return parcel;
}

/* --- Commands that want a receipt, and ways to them -------------------------------------------------------- */

static const struct {
    const char *before, *behind;
} claims[] = {{"QUEUE.UPDATE jobs", "VISIBILITY 5"},
              {"QUEUE.DELETE jobs", ""},
              {"QUEUE.RELEASE jobs", "REASON busy"},
              {"QUEUE.DELETEMANY jobs 1", ""}};

enum { CLAIMS = ARRAY_SIZE(claims) };

static struct wire *wire;

static redisReply *call_by(enum way way, const char *line) {
    static const char script[] = "return redis.pcall(unpack(ARGV))";
    struct words words = {0};
    switch (way) {
    case IN_A_TRANSACTION:
        expect_ok(call(primary, "MULTI"));
        call_line(primary, line);
        return expect_elements(call(primary, "EXEC"), 1)->element[0];
    case IN_A_SCRIPT:
        words_add(&words, "EVAL");
        words_add(&words, script);
        words_add_line(&words, pool_print("1 jobs %s", line));
        return call_words(primary, &words);
    case IN_RESP3: return wire_call(wire, line);
    default: return call_line(primary, line);
    }
}

/* One in a batch counts as one by itself. */
static redisReply *claim(enum way way, int which, struct parcel parcel) {
    redisReply *reply = call_by(way, pool_print("%s %s %s %s", claims[which].before, parcel.id,
                                                parcel.receipt, claims[which].behind));
    return reply_is_aggregate(reply) && reply->elements == 1 ? reply->element[0] : reply;
}

static const char *refusal_of(enum state state, const char *setting) {
    if (state == NO_QUEUE_THERE) return NO_QUEUE;
    return state == STALE && !strcmp(setting, "mismatch") ? MISMATCH : GONE;
}

/* It does its work, once. */
static void expect_good(enum way way, int which, struct parcel parcel, const char *steps) {
    redisReply *reply = claim(way, which, parcel);
    require(!reply_is_error(reply), "after \"%s\" %s gives %s", steps, claims[which].before,
            reply_text(reply));
    reply = claim(way, which, parcel);
    require(reply_is_error(reply), "after \"%s\" %s works twice", steps, claims[which].before);
}

/* What is refused changes nothing; but what time has ended may leave in passing. */
static void expect_none(enum way way, int which, struct parcel parcel, const char *steps,
                        const char *refusal) {
    bool settled = !info_of(primary, "holdfast_queue_unsettled");
    if (settled) traces_begin("jobs");
    redisReply *reply = claim(way, which, parcel);
    bool refused = reply_is_error(reply) && text_begins(reply->str, refusal);
    require(refused, "after \"%s\" %s gives %s, not %s", steps, claims[which].before, reply_text(reply),
            refusal);
    if (settled) traces_require_none();
}

static void play_rows(enum way way) {
    configure(primary, "holdfast.queue-max-message-bytes", "20");
    configure(primary, "holdfast.queue-receipt-mismatch", "notfound");
    wire = wire_open_resp3(primary->server);
    for (size_t play = 0; play < (size_t)2 * ROWS * CLAIMS; play++) {
        const char *setting = settings[play % 2], *steps = rows[play / 2 % ROWS].steps;
        enum state state = rows[play / 2 % ROWS].state;
        int which = (int)(play / 2 / ROWS);
        expect_ok(call(primary, "CONFIG SET holdfast.queue-receipt-mismatch %s", setting));
        struct parcel parcel = play_row(steps);
        if (state == GOOD)
            expect_good(way, which, parcel, steps);
        else
            expect_none(way, which, parcel, steps, refusal_of(state, setting));
    }
}

TEST(receipts_row_by_row) {
    play_rows(BY_ITSELF);
}

TEST(receipts_in_transactions) {
    play_rows(IN_A_TRANSACTION);
}

TEST(receipts_in_scripts) {
    play_rows(IN_A_SCRIPT);
}

TEST(receipts_in_the_other_protocol) {
    play_rows(IN_RESP3);
}

/* --- What is no receipt, and receipts of something else ---------------------------------------------------- */

/* Every claim with this pair is refused so, and nothing has changed. */
static void expect_refusal_at(struct place place, struct parcel parcel, const char *refusal) {
    traces_begin("");
    for (int which = 0; which < CLAIMS; which++)
        expect_error_at(place, claim(BY_ITSELF, which, parcel), refusal);
    traces_require_none();
}

#define expect_refusal(parcel, refusal) expect_refusal_at(HERE, parcel, refusal)

/* Says of two messages that nothing has touched them: their receipts are good, and they are where they were. */
static void expect_untouched(struct parcel one, struct parcel two) {
    static const char shown[] =
        "[\"id\", \"%s\", \"dequeue-count\", 0, \"inserted\", <ms>, \"expires\", <ms>, "
        "\"message\", \"text\"]";
    redisReply *seen = expect_elements(call(primary, "QUEUE.PEEK jobs COUNT 2"), 2);
    expect_shape(seen->element[0], pool_print(shown, one.id));
    expect_shape(seen->element[1], pool_print(shown, two.id));
    expect_ok(act_on("DELETE", one, ""));
    expect_ok(act_on("DELETE", two, ""));
    expect_depth(0, 0);
}

TEST(garbage_is_no_receipt) {
    for (int setting = 0; setting < 2; setting++) {
        configure(primary, "holdfast.queue-receipt-mismatch", settings[setting]);
        queue_setup("");
        struct parcel one = put_job("text", ""), two = put_job("text", "");
        char *cut = pool_copy(one.receipt, 31), *spoilt = pool_copy(one.receipt, 32);
        spoilt[7] = 'g';
        const char *garbage[] = {"x",
                                 cut,
                                 spoilt,
                                 pool_print("%s0", one.receipt),
                                 one.id,
                                 pool_print("%070000d", 1),
                                 pool_print("{%s}", one.id),
                                 "\xff\xfe",
                                 "-1",
                                 "*"};
        const char *ids[] = {one.id, ID_NONE, "garbage"};
        for (size_t i = 0; i < ARRAY_SIZE(garbage); i++)
            for (int id = 0; id < 3; id++) expect_refusal(((struct parcel){ids[id], garbage[i]}), BAD_VALUE);
        expect_refusal(((struct parcel){one.id, "''"}), "INVALID MissingRequiredQueryParameter");
        redisReply *reply = call(primary, "QUEUE.DELETE jobs %s %b", one.id,
                                 "0123456789abcde\0"
                                 "0123456789abcdef",
                                 (size_t)32);
        expect_error(reply, BAD_VALUE);
        expect_untouched(one, two);
    }
}

TEST(receipts_of_something_else) {
    for (int setting = 0; setting < 2; setting++) {
        configure(primary, "holdfast.queue-receipt-mismatch", settings[setting]);
        const char *mismatch = setting ? MISMATCH : GONE;
        queue_setup("");
        struct parcel before = put_job("text", "");
        expect_ok(call(primary, "QUEUE.DROP jobs"));
        queue_setup("");
        expect_text(call(primary, "QUEUE.CREATE other"), setting ? "EXISTS" : "OK");
        struct parcel one = put_job("text", ""), two = put_job("text", "");
        struct parcel elsewhere = parcel_of(call(primary, "QUEUE.PUT other text"));
        expect_refusal(((struct parcel){one.id, two.receipt}), mismatch);
        expect_refusal(((struct parcel){two.id, one.receipt}), mismatch);
        expect_refusal(((struct parcel){one.id, elsewhere.receipt}), mismatch);
        expect_refusal(((struct parcel){one.id, before.receipt}), mismatch);
        expect_refusal(((struct parcel){one.id, RECEIPT_NONE}), mismatch);
        expect_refusal(elsewhere, GONE);
        expect_refusal(before, GONE);
        expect_refusal(((struct parcel){ID_NONE, one.receipt}), GONE);
        expect_refusal(((struct parcel){"garbage", one.receipt}), GONE);
        expect_refusal(((struct parcel){"''", one.receipt}), GONE);
        expect_untouched(one, two);
        expect_ok(call(primary, "QUEUE.DELETE other %s %s", elsewhere.id, elsewhere.receipt));
    }
}

/* Unless it is told to be frank, the server answers to the byte the same whether the id is known or
 * not; and it never shows a receipt. */
TEST(which_ids_are_known_is_not_given_away) {
    queue_setup("");
    struct parcel one = put_job("text", "");
    for (int which = 0; which < CLAIMS; which++) {
        redisReply *known = claim(BY_ITSELF, which, (struct parcel){one.id, RECEIPT_NONE});
        redisReply *unknown = claim(BY_ITSELF, which, (struct parcel){ID_NONE, RECEIPT_NONE});
        assert_string_equal(known->str, unknown->str);
        assert_null(strstr(known->str, one.receipt));
        known = claim(BY_ITSELF, which, (struct parcel){one.id, "x"});
        unknown = claim(BY_ITSELF, which, (struct parcel){ID_NONE, "x"});
        assert_string_equal(known->str, unknown->str);
    }
    configure(primary, "holdfast.queue-receipt-mismatch", "mismatch");
    redisReply *reply = claim(BY_ITSELF, 0, (struct parcel){one.id, RECEIPT_NONE});
    expect_error(reply, MISMATCH);
    assert_null(strstr(reply->str, one.receipt));
}

/* More than one command removes in passing, and nobody else has the time to. */
TEST(a_hundred_messages_that_expired_at_once_are_gone) {
    enum { MESSAGES = 100 };
    struct parcel parcels[MESSAGES];
    queue_setup("");
    configure(primary, "holdfast.queue-receipt-mismatch", "mismatch");
    for (int i = 0; i < MESSAGES; i++) parcels[i] = put_job("text", "TTL 10");
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(10000));
    for (int i = MESSAGES - 1; i >= 0; i--) act_on("DELETE", parcels[i], "");
    redisReply *replies = expect_elements(call(primary, "EXEC"), MESSAGES + 1);
    for (int i = 1; i <= MESSAGES; i++) expect_error(replies->element[i], GONE);
    time_passes(0);
}

static int by_text(const void *one, const void *other) {
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Ids and receipts of all that was ever given are distinct, and each of their digits is like any other digit. */
TEST(receipts_are_distinct_and_hard_to_guess) {
    enum { MESSAGES = 500, GIVEN = 3 * MESSAGES, DIGITS = 32 };
    queue_setup("");
    configure(primary, "holdfast.queue-max-count", "1000");
    const char **given = pool_take(GIVEN * sizeof(*given));
    for (int i = 0; i < MESSAGES; i++) given[i] = put_job("x", "").receipt;
    redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs COUNT 500"), MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
        struct parcel parcel = parcel_of(got->element[i]);
        given[MESSAGES + i] = parcel.receipt;
        update(&parcel, "VISIBILITY 0");
        given[2 * MESSAGES + i] = parcel.receipt;
    }
    qsort(given, GIVEN, sizeof(*given), by_text);
    for (int i = 1; i < GIVEN; i++) assert_string_not_equal(given[i - 1], given[i]);
    int unchanging = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        int counts[256] = {0}, max = 0;
        for (int i = 0; i < GIVEN; i++) {
            int count = ++counts[(unsigned char)given[i][digit]];
            if (count > max) max = count;
        }
        unchanging += max > GIVEN / 2;
        require(max > GIVEN / 2 || max < GIVEN / 3, "digit %d is %d times the same", digit, max);
    }
    /* The one that says which kind of a GUID it is. */
    require(unchanging <= 1, "%d digits never change", unchanging);
}
