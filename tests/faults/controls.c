/* What one would use instead, and what has to go wrong with it. If nothing does, the
 * checks or the faults are at fault. */
#include <stdlib.h>

#include "checks.h"
#include "expect.h"
#include "workloads.h"

enum { LOCK_MS = 400, SLEEPY_ONE_IN = 6 };

/* --- SET NX PX, and a write that knows nothing of it ------------------------------------------------------- */

static void plain_lock_prepare(struct client *client) {
    expect_ok(call(client, "SET plain:data free"));
}

static void plain_write(struct actor *actor, uint64_t token) {
    actor_asks(actor, "SET plain:data %lld", actor_operation(actor));
    struct event event = actor_event(actor, GUARDED);
    event.base = token;
    actor_notes(actor, event);
}

/* As everybody writes it: delete it if it is still one's own. */
static const char unlock[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end";

static void plain_lock_step(struct actor *actor) {
    long long number = actor_operation(actor);
    redisReply *reply = actor_asks(actor, "SET plain:lock %lld NX PX %d", number, LOCK_MS);
    if (!reply || reply->type == REDIS_REPLY_NIL) return;
    struct event held = actor_event(actor, GRANTED);
    held.version = (uint64_t)held.end_us;
    actor_notes(actor, held);
    held.kind = HELD;
    held.number = held.end_us;
    held.end_us = held.begin_us + LOCK_MS * INT64_C(1000);
    plain_write(actor, held.version);
    actor_pause_ms(actor, 1, 60);
    if (!actor_chance(actor, SLEEPY_ONE_IN)) actor_pause_ms(actor, LOCK_MS, 2 * LOCK_MS);
    plain_write(actor, held.version);
    actor_asks(actor, "EVAL %s 1 plain:lock %lld", unlock, number);
    if (actor->begin_us < held.end_us) held.end_us = actor->begin_us;
    actor_notes(actor, held);
}

static void plain_lock_check(struct part *part, struct client *client) {
    (void)client;
    holders_check(part);
    guards_check(part);
}

const struct workload plain_lock_workload = {"plain lock",       "plain:lock",    4,
                                             plain_lock_prepare, plain_lock_step, plain_lock_check};

/* --- A version that counts up beside the value -------------------------------------------------------------- */

static void plain_version_prepare(struct client *client) {
    expect_number(call(client, "HSET plain:version v 1 c 0"), 2);
}

static const char compare_and_set[] = "if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end "
                                      "redis.call('HSET', KEYS[1], 'c', ARGV[2]) "
                                      "return redis.call('HINCRBY', KEYS[1], 'v', 1)";

static void plain_version_step(struct actor *actor) {
    redisReply *reply = actor_asks(actor, "HGET plain:version v");
    if (!reply) return;
    long long seen = atoll(reply->str);
    reply =
        actor_asks(actor, "EVAL %s 1 plain:version %lld %lld", compare_and_set, seen, actor_operation(actor));
    struct event event = actor_event(actor, WROTE);
    if (reply && !reply->integer) event.outcome = REFUSED;
    event.base = (uint64_t)seen;
    event.version = reply ? (uint64_t)reply->integer : 0;
    actor_notes(actor, event);
}

static void plain_version_check(struct part *part, struct client *client) {
    (void)client;
    versions_check(part);
}

const struct workload plain_version_workload = {
    "plain version", "plain:version", 3, plain_version_prepare, plain_version_step, plain_version_check};
