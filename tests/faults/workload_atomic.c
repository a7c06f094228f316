/* Transactions over a table, a queue and a log: each enters its number into all three.
 * Either it is in all, or in none. */
#include <stdlib.h>

#include "checks.h"
#include "expect.h"
#include "pool.h"
#include "workloads.h"

static void atomic_prepare(struct client *client) {
    expect_ok(call(client, "TABLE.CREATE {shop}:orders"));
    expect_ok(call(client, "QUEUE.CREATE {shop}:mail"));
    expect_etag(call(client, "CONTAINER.CREATE {shop}:logs"));
    expect_etag(call(client, "BLOB.CREATEAPPEND {shop}:logs log"));
}

static void atomic_step(struct actor *actor) {
    long long number = actor_operation(actor);
    redisReply *reply = actor_asks(actor,
                                   "HOLDFAST.ATOMIC 3 8 TABLE.INSERT {shop}:orders p %lld PROPS 1 state new "
                                   "3 QUEUE.PUT {shop}:mail %lld "
                                   "4 BLOB.APPEND {shop}:logs log %lld:",
                                   number, number, number);
    struct event event = actor_event(actor, MOVED);
    event.number = number;
    event.version = reply ? version_of(reply->element[0]->str) : 0;
    actor_notes(actor, event);
    actor_pause_ms(actor, 1, 5);
}

/* --- What is there ---------------------------------------------------------------------------------------------- */

static struct numbers numbers_of_table(struct client *client) {
    struct numbers numbers = {0};
    redisReply *page = call(client, "TABLE.QUERY {shop}:orders");
    for (;;) {
        expect_elements(page, 2);
        for (size_t i = 0; i < page->element[1]->elements; i++)
            numbers_add(&numbers, atoll(page->element[1]->element[i]->element[1]->str));
        const redisReply *next = page->element[0];
        if (reply_is_null(next)) break;
        page = call(client, "TABLE.QUERY {shop}:orders NEXT %s %s", next->element[0]->str,
                    next->element[1]->str);
    }
    return numbers;
}

static struct numbers numbers_of_queue(struct client *client) {
    struct numbers numbers = {0};
    for (;;) {
        redisReply *reply = call(client, "QUEUE.GET {shop}:mail COUNT 32 VISIBILITY 600");
        for (size_t i = 0; i < reply->elements; i++)
            numbers_add(&numbers, atoll(field(reply->element[i], "message")->str));
        if (!reply->elements) return numbers;
    }
}

static struct numbers numbers_of_log(struct client *client) {
    struct numbers numbers = {0};
    const char *log = expect_elements(call(client, "BLOB.GET {shop}:logs log"), 2)->element[1]->str;
    for (char *end; *log; log = end + 1) numbers_add(&numbers, strtoll(log, &end, 10));
    return numbers;
}

static void require_same(struct part *part, struct numbers *one, struct numbers *other, const char *where) {
    numbers_sort(one);
    numbers_sort(other);
    if (one->count != other->count)
        violation(part, "%zu transactions are in the table, %zu in the %s", one->count, other->count, where);
    for (size_t i = 0; i < one->count; i++)
        if (!numbers_have(other, one->number[i]))
            violation(part, "transaction %lld is in the table, and not in the %s", one->number[i], where);
}

static void atomic_check(struct part *part, struct client *client) {
    struct numbers rows = numbers_of_table(client), mail = numbers_of_queue(client),
                   log = numbers_of_log(client);
    require_same(part, &rows, &mail, "queue");
    require_same(part, &rows, &log, "log");
    for_each_event(&part->history) {
        if (event->outcome == DONE) ledger_add(part, event->version, numbers_have(&rows, event->number));
    }
    versions_check(part);
}

const struct workload atomic_workload = {"atomic",       "{shop}:orders", 3,
                                         atomic_prepare, atomic_step,     atomic_check};
