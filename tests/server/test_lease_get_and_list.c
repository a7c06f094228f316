/* What can be seen of leases: LEASE.GET and LEASE.LIST, refusals, INFO, notifications. Never an id. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"
#include "wire.h"

BEFORE_EACH {
    lease_setup();
}

TEST(a_lease_that_was_never_acquired_is_available) {
    expect_shape(lease_of("box", &on_blob),
                 "[\"state\", \"available\", \"status\", \"unlocked\", \"waiters\", 0]");
    expect_shape(lease_of("box", &on_container),
                 "[\"state\", \"available\", \"status\", \"unlocked\", \"waiters\", 0]");
}

TEST(a_lease_shows_all_but_its_id) {
    const struct lease_place *const places[] = {&on_blob, &on_container};
    for (int i = 0; i < 2; i++) {
        const char *token =
            acquire("box", "-1", pool_print("%s ID %s OWNER worker-7", places[i]->clause, ID_A));
        expect_text(field(lease_of("box", places[i]), "token"), token);
        expect_shape(lease_of("box", places[i]),
                     "[\"state\", \"leased\", \"status\", \"locked\", \"duration\", \"infinite\", \"owner\", "
                     "\"worker-7\", \"token\", <etag>, \"waiters\", 0]");
        lease_play("LEASE.ACQUIRE box 60 ID A OWNER other", places[i]);
        redisReply *lease = lease_of("box", places[i]);
        long long left = field(lease, "remaining-ms")->integer;
        require(left > 59000 && left <= 60000, "%lld ms are left", left);
        expect_text(field(lease, "duration"), "fixed");
        expect_text(field(lease, "owner"), "other");
        expect_text(field(lease, "token"), token);
        expect_number(lease_play("LEASE.BREAK box PERIOD 9", places[i]), 9);
        lease = lease_of("box", places[i]);
        left = field(lease, "remaining-ms")->integer;
        require(left > 8000 && left <= 9000, "%lld ms are left", left);
        assert_null(reply_field_if_any(lease, "duration"));
        expect_ok(lease_play("LEASE.RELEASE box A", places[i]));
        lease = lease_of("box", places[i]);
        assert_null(reply_field_if_any(lease, "owner"));
        assert_null(reply_field_if_any(lease, "remaining-ms"));
    }
}

TEST(resp3_shows_maps) {
    acquire("box", "-1", "BLOB cat");
    struct wire *wire = wire_open_resp3(primary->server);
    expect_shape(
        wire_call(wire, "LEASE.GET box BLOB cat"),
        "{\"state\": \"leased\", \"status\": \"locked\", \"duration\": \"infinite\", \"token\": <etag>, "
        "\"waiters\": 0}");
    expect_shape(
        wire_call(wire, "LEASE.LIST box"),
        "[null, [[\"cat\", {\"state\": \"leased\", \"status\": \"locked\", \"duration\": \"infinite\", "
        "\"token\": <etag>, \"waiters\": 0}]]]");
}

static redisReply *page_of(const char *more) {
    return expect_elements(call_line(primary, pool_print("LEASE.LIST box %s", more)), 2);
}

TEST(lists_have_what_is_locked) {
    static const char *const names[] = {"broken", "breaking", "expired", "free",
                                        "leased", "never",    "written"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) put("box", names[i], "x");
    acquire("box", "60", "");
    acquire("box", "-1", "BLOB broken");
    acquire("box", "60", "BLOB breaking");
    acquire("box", "15", "BLOB expired");
    acquire("box", "15", "BLOB written");
    acquire("box", "60", "BLOB free ID " ID_A);
    acquire("box", "60", "BLOB leased OWNER me");
    call(primary, "LEASE.BREAK box BLOB broken");
    call(primary, "LEASE.BREAK box BLOB breaking");
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB free", ID_A));
    time_passes(20000);
    put("box", "written", "y");
    redisReply *page = page_of("");
    expect_null(page->element[0]);
    expect_elements(page->element[1], 2);
    expect_text(page->element[1]->element[0]->element[0], "breaking");
    expect_text(field(page->element[1]->element[0]->element[1], "state"), "breaking");
    expect_text(page->element[1]->element[1]->element[0], "leased");
    expect_text(field(page->element[1]->element[1]->element[1], "owner"), "me");
    time_passes(60000);
    expect_elements(page_of("")->element[1], 0);
    create("empty");
    expect_shape(call(primary, "LEASE.LIST empty"), "[null, []]");
}

/* Goes through all pages and requires each name once, in order. */
static void walk_pages(int leases, int count) {
    const char *marker = NULL;
    int seen = 0;
    do {
        struct words words = words_of_line(pool_print("LEASE.LIST box COUNT %d", count));
        if (marker) words_add(&words, "MARKER");
        if (marker) words_add(&words, marker);
        redisReply *page = expect_elements(call_words(primary, &words), 2);
        require((int)page->element[1]->elements <= count, "the page has %zu", page->element[1]->elements);
        for (size_t i = 0; i < page->element[1]->elements; i++) {
            expect_text(page->element[1]->element[i]->element[0], pool_print("blob-%04d", seen * 2));
            seen++;
        }
        marker = reply_is_null(page->element[0]) ? NULL : reply_string(page->element[0]);
    } while (marker);
    assert_int_equal(seen, leases);
}

TEST(lists_come_in_pages) {
    enum { LEASES = 250 };
    static const int counts[] = {1, 7, 50, 249, 250, 251, 1000};
    for (int i = 0; i < LEASES * 2; i++) {
        put("box", pool_print("blob-%04d", i), "x");
        acquire("box", i % 2 ? "15" : "60", pool_print("BLOB blob-%04d", i));
    }
    time_passes(15000);
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) walk_pages(LEASES, counts[i]);
    expect_elements(page_of("")->element[1], 100);
    expect_elements(page_of("MARKER blob-0498 COUNT 9223372036854775807")->element[1], 1);
    expect_elements(page_of("MARKER blob-0499")->element[1], 0);
    expect_elements(page_of("MARKER zzz")->element[1], 0);
    expect_elements(page_of("MARKER ''")->element[1], 100);
}

/* What has ended is looked over a bounded number at a time, so a page may be empty and still not the last. */
TEST(lists_get_past_what_has_ended) {
    enum { ENDED = 12000 };
    for (int i = 0; i < ENDED; i++) {
        send_call(primary, "BLOB.PUT box %05d x", i);
        send_call(primary, "LEASE.ACQUIRE box 15 BLOB %05d", i);
    }
    for (int i = 0; i < ENDED * 2; i++) require(!reply_is_error(receive(primary)), "it fails");
    time_passes(15000);
    acquire("box", "60", "BLOB cat");
    redisReply *page = page_of("");
    int pages = 1;
    for (; !reply_is_null(page->element[0]); pages++) {
        expect_elements(page->element[1], 0);
        page = page_of(pool_print("MARKER %s", reply_string(page->element[0])));
    }
    expect_elements(page->element[1], 1);
    require(pages > 1 && pages < 10, "it took %d pages", pages);
    expect_number(call(primary, "DEL box"), 1);
}

TEST(refusals_name_the_holder) {
    acquire("box", "60", "BLOB cat OWNER worker-7 ID " ID_A);
    acquire("box", "-1", "ID " ID_A);
    waiting("LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    waiting("LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    time_passes(40000);
    redisReply *reply = call(primary, "LEASE.ACQUIRE box 60 BLOB cat");
    expect_error(reply, "CONFLICT LeaseAlreadyPresent held by \"worker-7\" for another");
    double left = strtod(strstr(reply->str, "another ") + strlen("another "), NULL);
    require(left > 19 && left <= 20, "%s", reply->str);
    require(strstr(reply->str, " s, 2 waiting"), "%s", reply->str);
    expect_error(call(primary, "LEASE.ACQUIRE box 60"),
                 "CONFLICT LeaseAlreadyPresent held without end, 0 waiting");
    expect_error(call(primary, "BLOB.PUT box cat x"),
                 "PRECONDITION LeaseIdMissing held by \"worker-7\" for another");
    expect_error(call(primary, "CONTAINER.DELETE box"),
                 "PRECONDITION LeaseIdMissing held without end, 0 waiting");
}

/* A label may hold anything, and must not get out of its quotes or its line. */
TEST(labels_may_hold_anything) {
    static const char *const labels[] = {"a\r\n-ERR b",  "quoted \" label", "back\\slash",
                                         "\x01\x7f\xff", "%s%n%d",          ""};
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
        lease_id(call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s OWNER %s", ID_A, labels[i]));
        redisReply *owner = reply_field_if_any(lease_of("box", &on_blob), "owner");
        if (*labels[i]) expect_text(owner, labels[i]);
        redisReply *refusal = call(primary, "LEASE.ACQUIRE box 60 BLOB cat");
        expect_error(refusal, "CONFLICT LeaseAlreadyPresent held");
        require(!strstr(refusal->str, "quoted \" label"), "the label ends early: %s", refusal->str);
        expect_text(call(primary, "BLOB.GET box cat")->element[1], "meow");
    }
    char *bytes = pool_take(256);
    memset(bytes, '\0', 256);
    lease_id(call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s OWNER %b", ID_A, bytes, (size_t)256));
    expect_bytes(field(lease_of("box", &on_blob), "owner"), bytes, 256);
    expect_error(call(primary, "BLOB.PUT box cat x"), "PRECONDITION LeaseIdMissing");
}

static bool shows_id(const char *text) {
    static const char *const forms[] = {"aaaaaaaa-",    "AAAAAAAA-",    "aaaaaaaa0000",
                                        "AAAAAAAA0000", "00000000000a", "0000000000000a"};
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        if (strstr(text, forms[i])) return true;
    }
    return false;
}

TEST(ids_are_shown_to_nobody_else) {
    static const char *const questions[] = {
        "LEASE.GET box BLOB cat",
        "LEASE.GET box",
        "LEASE.LIST box",
        "BLOB.STAT box cat",
        "BLOB.GET box cat",
        "BLOB.GETMETA box cat",
        "BLOB.LIST box INCLUDE 1 META",
        "CONTAINER.GET box",
        "CONTAINER.GETMETA box",
        "CONTAINER.GETACL box",
        "LEASE.ACQUIRE box 60 BLOB cat",
        "LEASE.ACQUIRE box 60 BLOB cat ID " ID_B,
        "LEASE.ACQUIRE box 60 BLOCK 0.001",
        "LEASE.RENEW box " ID_B " BLOB cat",
        "LEASE.CHANGE box " ID_B " " ID_C " BLOB cat",
        "LEASE.RELEASE box " ID_B,
        "BLOB.PUT box cat x",
        "BLOB.PUT box cat x LEASE " ID_B,
        "BLOB.GET box cat LEASE " ID_B,
        "BLOB.DELETE box cat",
        "CONTAINER.DELETE box",
        "CONTAINER.DELETE box LEASE " ID_B,
        "CONTAINER.GET box LEASE " ID_B,
        "LEASE.BREAK box PERIOD 60 BLOB cat",
        "INFO everything",
        "OBJECT ENCODING box",
        "DEBUG OBJECT box",
        "COMMAND DOCS LEASE.ACQUIRE",
    };
    struct client *other = test_client(primary->server);
    acquire("box", "60", "BLOB cat ID " ID_A);
    acquire("box", "-1", "ID " ID_A);
    waiting("LEASE.ACQUIRE box 60 BLOCK 0");
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
        const char *answer = reply_text(call_line(other, questions[i]));
        require(!shows_id(answer), "%s shows an id: %s", questions[i], answer);
    }
    expect_error(call(other, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_A),
                 "CONFLICT LeaseIsBreakingAndCannotBeAcquired");
}

/* Drawn ids are random GUIDs of version 4, and none comes twice. */
TEST(drawn_ids_are_random) {
    enum { DRAWN = 300 };
    const char *ids[DRAWN];
    for (int i = 0; i < DRAWN; i++) {
        ids[i] = lease_id(call(primary, "LEASE.ACQUIRE box 60 BLOB cat"));
        require(ids[i][14] == '4' && strchr("89ab", ids[i][19]), "%s is of another kind", ids[i]);
        for (int other = 0; other < i; other++) assert_string_not_equal(ids[i], ids[other]);
        expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ids[i]));
    }
}

static long long counted(const char *name) {
    return info_of(primary, pool_print("holdfast_lease_%s", name));
}

TEST(info_counts_what_happens) {
    static const struct {
        const char *line;
        const char *counters; /* that grow by one */
    } steps[] = {
        {"LEASE.ACQUIRE box 60 ID A", "grants"},
        {"LEASE.ACQUIRE box 60 ID A", "grants"},
        {"LEASE.ACQUIRE box 60 ID B", "refusals"},
        {"LEASE.RENEW box A", "renewals"},
        {"LEASE.RENEW box B", ""},
        {"LEASE.CHANGE box A B", "changes"},
        {"LEASE.CHANGE box A C", ""},
        {"LEASE.RELEASE box A", ""},
        {"LEASE.RELEASE box B", "releases"},
        {"LEASE.ACQUIRE box 15 ID A", "grants"},
        {"15 s", ""},
        {"LEASE.ACQUIRE box 15 ID B", "grants expiries"},
        {"LEASE.BREAK box", "breaks"},
        {"LEASE.ACQUIRE box 15 ID B BLOCK 0.001", "waits refusals"},
        {"15 s", ""},
        {"LEASE.ACQUIRE box 15 ID A", "grants"},
        {"15 s", ""},
        {"BLOB.PUT box cat x", "expiries"},
        {"BLOB.PUT box cat x", ""},
        {"LEASE.BREAK box", ""},
    };
    static const char *const counters[] = {"grants", "refusals", "renewals", "changes", "releases",
                                           "breaks", "expiries", "waits",    "handoffs"};
    enum { COUNTERS = ARRAY_SIZE(counters) };
    long long before[COUNTERS];
    for (size_t step = 0; step < ARRAY_SIZE(steps); step++) {
        for (int i = 0; i < COUNTERS; i++) before[i] = counted(counters[i]);
        lease_play(steps[step].line, &on_blob);
        for (int i = 0; i < COUNTERS; i++) {
            long long grown = counted(counters[i]) - before[i];
            require(grown == (strstr(steps[step].counters, counters[i]) != NULL),
                    "%s (step %zu): lease_%s grew by %lld", steps[step].line, step, counters[i], grown);
        }
    }
}

/* The sum of all of a histogram's buckets. */
static long long measured(const char *name) {
    const char *text = info_field(call(primary, "INFO holdfast"), pool_print("holdfast_lease_%s_ms", name));
    const char *count = text ? strstr(text, "count=") : NULL;
    require(count, "there is no histogram of %s", name);
    return atoll(count + strlen("count="));
}

TEST(info_measures_waiting_and_holding) {
    long long waits = measured("waiting"), holdings = measured("holding"), handoffs = counted("handoffs");
    acquire("box", "60", "BLOB cat ID " ID_A);
    struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    assert_int_equal(counted("waiters"), 1);
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    lease_id(answer_of(waiter));
    assert_int_equal(counted("waiters"), 0);
    assert_int_equal(counted("handoffs"), handoffs + 1);
    assert_int_equal(measured("waiting"), waits + 1);
    assert_int_equal(measured("holding"), holdings + 1);
}

/* A lease that ran out or was broken was held, too, until it ended. */
TEST(info_measures_every_way_to_hold) {
    long long holdings = measured("holding");
    acquire("box", "60", "BLOB cat");
    expect_number(call(primary, "LEASE.BREAK box BLOB cat PERIOD 0"), 0);
    assert_int_equal(measured("holding"), holdings + 1);
    acquire("box", "60", "BLOB cat");
    time_passes(60000);
    put("box", "cat", "x");
    assert_int_equal(measured("holding"), holdings + 2);
    acquire("box", "60", "BLOB cat");
    time_passes(60000);
    acquire("box", "60", "BLOB cat ID " ID_A);
    assert_int_equal(measured("holding"), holdings + 3);
    expect_number(lease_play("LEASE.BREAK box PERIOD 5", &on_blob), 5);
    time_passes(5000);
    acquire("box", "60", "BLOB cat ID " ID_B);
    assert_int_equal(measured("holding"), holdings + 4);
}

TEST(info_counts_the_leases_that_stand) {
    long long leases = info_of(primary, "holdfast_leases");
    assert_int_equal(leases, 0);
    acquire("box", "60", "BLOB cat");
    acquire("box", "-1", "ID " ID_A);
    assert_int_equal(info_of(primary, "holdfast_leases"), 2);
    expect_ok(call(primary, "LEASE.RELEASE box %s", ID_A));
    assert_int_equal(info_of(primary, "holdfast_leases"), 1);
    expect_number(call(primary, "DEL box"), 1);
    assert_int_equal(info_of(primary, "holdfast_leases"), 0);
}

TEST(notifications_tell_of_every_change) {
    static const struct {
        const char *line;
        const char *events;
    } steps[] = {
        {"LEASE.ACQUIRE box 60 ID A", "lease.acquire box"},
        {"LEASE.ACQUIRE box 60 ID B", ""},
        {"LEASE.ACQUIRE box 60 ID A", "lease.acquire box"},
        {"LEASE.RENEW box A", "lease.renew box"},
        {"LEASE.CHANGE box A B", "lease.change box"},
        {"LEASE.RELEASE box A", ""},
        {"LEASE.RELEASE box B", "lease.release box"},
        {"LEASE.ACQUIRE box 15 ID A", "lease.acquire box"},
        {"LEASE.BREAK box", "lease.break box"},
        {"15 s", ""},
        {"LEASE.ACQUIRE box 15 ID A", "lease.acquire box"},
        {"15 s", ""},
        {"LEASE.GET box", ""},
        {"LEASE.ACQUIRE box 15 ID A", "lease.expired box, lease.acquire box"},
        {"15 s", ""},
        {"LEASE.RENEW box A", "lease.renew box"},
        {"15 s", ""},
        {"BLOB.GET box cat", ""},
        {"BLOB.PUT box cat x", "lease.expired box, blob.put box"},
        {"BLOB.PUT box cat x", "blob.put box"},
    };
    struct wire *listener = wire_open(replica->server);
    struct text expected = {0}, heard = {0};
    await_replicas();
    traces_begin("");
    wire_call(listener, "PSUBSCRIBE __keyevent@*");
    for (size_t step = 0; step < ARRAY_SIZE(steps); step++) {
        lease_play(steps[step].line, &on_blob);
        const char *events = traces_notifications();
        require(!strcmp(events, steps[step].events), "%s (step %zu) notified \"%s\"", steps[step].line, step,
                events);
        if (*events) text_print(&expected, "%s%s", expected.length ? ", " : "", events);
    }
    /* A client that listens at a replica hears the same. */
    while (heard.length < expected.length) {
        redisReply *message = expect_elements(wire_receive(listener), 4);
        const char *event = strchr(reply_string(message->element[2]), ':') + 1;
        text_print(&heard, "%s%s %s", heard.length ? ", " : "", event, reply_string(message->element[3]));
    }
    assert_string_equal(heard.bytes, expected.bytes);
}

TEST(notifications_of_a_handover_come_in_order) {
    acquire("box", "60", "BLOB cat ID " ID_A);
    struct client *one = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    struct client *other = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0");
    traces_begin("");
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    lease_id(answer_of(one));
    assert_string_equal(traces_notifications(), "lease.release box, lease.acquire box");
    /* For leases that somebody waits for the end is told on time. */
    time_passes(60000);
    lease_id(answer_of(other));
    assert_string_equal(traces_notifications(), "lease.expired box, lease.acquire box");
    assert_true(watched_transaction_aborts());
}

TEST(changes_of_leases_abort_those_who_watch) {
    static const char *const steps[] = {"LEASE.ACQUIRE box 60 ID A", "LEASE.RENEW box A",
                                        "LEASE.CHANGE box A B", "LEASE.BREAK box", "LEASE.RELEASE box B"};
    for (size_t step = 0; step < ARRAY_SIZE(steps); step++) {
        traces_begin("");
        lease_play(steps[step], &on_blob);
        require(watched_transaction_aborts(), "%s let a transaction pass", steps[step]);
    }
}
