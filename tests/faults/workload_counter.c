/* Counters under ETags: read, add one, write if it is still what was read. Whoever writes leaves the number of its
 * operation beside the count, so that readers learn of writes whose answer was lost.
 *
 * At the end one walks back from what is there, from each write to the version that it was decided on: each step has to
 * be known, and the count to be as many as the steps. What was answered and is not on that way is lost. */
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "expect.h"
#include "workloads.h"

enum { COUNTERS = 2, STALE_ONE_IN = 8 };

static void counter_prepare(struct client *client) {
    expect_etag(call(client, "CONTAINER.CREATE counters"));
    for (int i = 0; i < COUNTERS; i++) expect_etag(call(client, "BLOB.PUT counters %d 0:0", i));
}

struct content {
    uint64_t version;
    long long operation, count;
};

static struct content content_of(const redisReply *reply) {
    struct content content = {version_of(reply->element[0]->str), 0, 0};
    sscanf(reply->element[1]->str, "%lld:%lld", &content.operation, &content.count);
    return content;
}

/* What it read before, on purpose, now and then: that must not match. */
static uint64_t base_of(struct actor *actor, struct content seen) {
    uint64_t base =
        actor->seen_before && !actor_chance(actor, STALE_ONE_IN) ? actor->seen_before : seen.version;
    actor->seen_before = seen.version;
    return base;
}

static void counter_step(struct actor *actor) {
    int which = actor_chance(actor, COUNTERS);
    redisReply *reply = actor_asks(actor, "BLOB.GET counters %d", which);
    if (!reply) return;
    struct content seen = content_of(reply);
    struct event event = actor_event(actor, SEEN);
    event.version = seen.version;
    event.number = seen.operation;
    actor_notes(actor, event);
    actor_pause_ms(actor, 0, 2);
    uint64_t base = base_of(actor, seen);
    long long operation = actor_operation(actor);
    reply = actor_asks(actor, "BLOB.PUT counters %d %lld:%lld IFMATCH 0x%016llX", which, operation,
                       seen.count + 1, (unsigned long long)base);
    event = actor_event(actor, WROTE);
    event.resource = which;
    event.number = operation;
    event.base = base;
    event.version = reply ? version_of(reply->str) : 0;
    actor_notes(actor, event);
}

/* --- The way back ------------------------------------------------------------------------------------------- */

struct writes {
    struct event *by_version, *by_number;
    size_t versions, numbers;
};

static int compare_versions(const void *one, const void *other) {
    uint64_t a = ((const struct event *)one)->version, b = ((const struct event *)other)->version;
    return (a > b) - (a < b);
}

static int compare_numbers(const void *one, const void *other) {
    long long a = ((const struct event *)one)->number, b = ((const struct event *)other)->number;
    return (a > b) - (a < b);
}

/* Which operation has a version is known from its answer, or from those who read it. */
static struct writes writes_of(const struct part *part) {
    size_t room = part->history.count + 1;
    struct writes writes = {malloc(room * sizeof(struct event)), malloc(room * sizeof(struct event)), 0, 0};
    require(writes.by_version && writes.by_number, "out of memory");
    for_each_event(&part->history) {
        if (event->kind == SEEN || event->outcome == DONE) writes.by_version[writes.versions++] = *event;
        if (event->kind == WROTE) writes.by_number[writes.numbers++] = *event;
    }
    qsort(writes.by_version, writes.versions, sizeof(struct event), compare_versions);
    qsort(writes.by_number, writes.numbers, sizeof(struct event), compare_numbers);
    return writes;
}

static const struct event *write_of(const struct writes *writes, uint64_t version, long long operation) {
    struct event key = {.version = version, .number = operation};
    const struct event *seen = NULL;
    if (!operation) seen = bsearch(&key, writes->by_version, writes->versions, sizeof(key), compare_versions);
    if (seen) key.number = seen->number;
    return bsearch(&key, writes->by_number, writes->numbers, sizeof(key), compare_numbers);
}

/* Marks the versions on the way, and answers how many there are. */
static long long walk_back(struct writes *writes, struct content last, struct history *way) {
    long long steps = 0;
    const struct event *write = last.operation ? write_of(writes, last.version, last.operation) : NULL;
    for (uint64_t version = last.version; write; steps++) {
        history_add(way, (struct event){.version = version, .number = write->number});
        version = write->base;
        write = write_of(writes, version, 0);
    }
    return steps;
}

static bool is_on(const struct history *way, uint64_t version) {
    struct event key = {.version = version};
    return way->count && bsearch(&key, way->events, way->count, sizeof(key), compare_versions);
}

static void check_one(struct part *part, struct client *client, struct writes *writes, int which) {
    struct content last = content_of(expect_elements(call(client, "BLOB.GET counters %d", which), 2));
    struct history way = {0};
    long long steps = walk_back(writes, last, &way);
    if (steps != last.count)
        violation(part, "counter %d is at %lld, and %lld writes lead there", which, last.count, steps);
    if (way.count) qsort(way.events, way.count, sizeof(*way.events), compare_versions);
    for_each_event(&part->history) {
        if (event->kind != WROTE || event->outcome != DONE || event->resource != which) continue;
        ledger_add(part, event->version, is_on(&way, event->version));
    }
    history_free(&way);
}

static void counter_check(struct part *part, struct client *client) {
    struct writes writes = writes_of(part);
    for (int i = 0; i < COUNTERS; i++) check_one(part, client, &writes, i);
    free(writes.by_version);
    free(writes.by_number);
    versions_check(part);
}

const struct workload counter_workload = {"counter",       "counters",   4,
                                          counter_prepare, counter_step, counter_check};
