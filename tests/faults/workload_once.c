/* Writes that are sent again until they are answered, with a token: each actor appends its operations to one log.
 * Whatever breaks in between, none is there twice, and none that was answered is missing. */
#include <stdlib.h>

#include "checks.h"
#include "expect.h"
#include "pool.h"
#include "workloads.h"

enum { ATTEMPTS = 20 };

static void once_prepare(struct client *client) {
    expect_etag(call(client, "CONTAINER.CREATE logs"));
    expect_etag(call(client, "BLOB.CREATEAPPEND logs log"));
}

static void once_step(struct actor *actor) {
    long long number = actor_operation(actor);
    int64_t begin_us = now_us();
    redisReply *reply = NULL;
    for (int attempt = 0; attempt < ATTEMPTS && !reply; attempt++) {
        reply = actor_asks(actor, "BLOB.APPEND logs log %lld: ONCE %lld", number, number);
        if (actor->told) break;
    }
    struct event event = actor_event(actor, MOVED);
    event.number = number;
    event.begin_us = begin_us; /* of the first attempt: any of them may be the one that did it */
    event.version = reply ? version_of(reply->element[0]->str) : 0;
    actor_notes(actor, event);
    actor_pause_ms(actor, 1, 5);
}

static void once_check(struct part *part, struct client *client) {
    const char *log = expect_elements(call(client, "BLOB.GET logs log"), 2)->element[1]->str;
    struct numbers there = {0};
    for (char *end; *log; log = end + 1) numbers_add(&there, strtoll(log, &end, 10));
    numbers_sort(&there);
    for (size_t i = 1; i < there.count; i++)
        if (there.number[i] == there.number[i - 1])
            violation(part, "operation %lld is there twice", there.number[i]);
    for_each_event(&part->history) {
        if (event->outcome == DONE) ledger_add(part, event->version, numbers_have(&there, event->number));
    }
    versions_check(part);
}

const struct workload once_workload = {"once", "logs", 3, once_prepare, once_step, once_check};
