/* Mutexes under leases: acquire, write what the lease guards, release. Some holders sleep through the end of their
 * lease and write then; some never release. A holder believes in its lease from the answer on until it gives it back,
 * is told that it is lost, or until as much time has passed since it asked as the lease lasts. */
#include <inttypes.h>
#include <stdio.h>

#include "checks.h"
#include "expect.h"
#include "workloads.h"

enum { MUTEXES = 2, LEASE_MS = 400, SLEEPY_ONE_IN = 15, FORGETFUL_ONE_IN = 6 };

static void mutex_prepare(struct client *client) {
    expect_etag(call(client, "CONTAINER.CREATE mutexes"));
    for (int i = 0; i < MUTEXES; i++) expect_etag(call(client, "BLOB.PUT mutexes %d free", i));
}

struct holding {
    struct event event; /* HELD, in the making */
    char id[40];
    bool lost;
};

static bool acquire(struct actor *actor, struct holding *holding, int which) {
    redisReply *reply = actor_asks(actor, "LEASE.ACQUIRE mutexes 0.%d BLOB %d BLOCK 0.2", LEASE_MS, which);
    if (!reply) return false;
    struct event granted = actor_event(actor, GRANTED);
    granted.resource = which;
    granted.version = version_of(reply->element[1]->str);
    actor_notes(actor, granted);
    snprintf(holding->id, sizeof(holding->id), "%s", reply->element[0]->str);
    holding->event = granted;
    holding->event.kind = HELD;
    holding->event.number = granted.end_us;
    holding->event.end_us = granted.begin_us + belief_us(LEASE_MS);
    return true;
}

/* The belief ends at `until_us` at the latest. */
static void believes_until(struct holding *holding, int64_t until_us) {
    if (until_us < holding->event.end_us) holding->event.end_us = until_us;
}

static void write_guarded(struct actor *actor, struct holding *holding) {
    long long which = holding->event.resource;
    uint64_t token = holding->event.version;
    redisReply *reply =
        actor_asks(actor, "BLOB.PUT mutexes %lld %lld LEASE %s", which, actor_operation(actor), holding->id);
    struct event event = actor_event(actor, GUARDED);
    event.resource = which;
    event.base = token;
    event.version = reply ? version_of(reply->str) : 0;
    actor_notes(actor, event);
    holding->lost = actor->told;
    if (holding->lost) believes_until(holding, actor->end_us);
}

static void mutex_step(struct actor *actor) {
    struct holding holding = {.lost = false};
    if (!acquire(actor, &holding, actor_chance(actor, MUTEXES))) return;
    for (int writes = 1 + actor_chance(actor, 4); writes && !holding.lost; writes--) {
        write_guarded(actor, &holding);
        actor_pause_ms(actor, 1, 15);
    }
    bool sleepy = !actor_chance(actor, SLEEPY_ONE_IN), forgetful = !actor_chance(actor, FORGETFUL_ONE_IN);
    if (sleepy) actor_pause_ms(actor, LEASE_MS, 2 * LEASE_MS);
    if (sleepy) write_guarded(actor, &holding);
    if (!holding.lost && !forgetful) {
        actor_asks(actor, "LEASE.RELEASE mutexes %s BLOB %lld", holding.id, holding.event.resource);
        believes_until(&holding, actor->begin_us);
    }
    actor_notes(actor, holding.event);
}

/* What is there was written last. */
static void check_last(struct part *part, struct client *client, int which) {
    redisReply *reply = expect_elements(call(client, "BLOB.GET mutexes %d", which), 2);
    uint64_t last = version_of(reply->element[0]->str), newest = 0;
    for_each_event(&part->history) {
        bool counts = event->kind == GUARDED && event->outcome == DONE && event->resource == which;
        if (counts && event->version > newest) newest = event->version;
    }
    if (trial_keeps_all(part->trial) && last < newest)
        violation(part, "0x%016" PRIX64 " was answered, and 0x%016" PRIX64 " is there", newest, last);
}

static void mutex_check(struct part *part, struct client *client) {
    for (int i = 0; i < MUTEXES; i++) check_last(part, client, i);
    versions_check(part);
    holders_check(part);
    guards_check(part);
}

const struct workload mutex_workload = {"mutex", "mutexes", 5, mutex_prepare, mutex_step, mutex_check};
