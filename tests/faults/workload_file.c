/* Locks of files: each actor has a session and a handle, locks a range, reads the number there, writes the next one and
 * unlocks. The session lasts for as long as grace after a failover does, so a lock is believed in until it is unlocked,
 * refused, or until the session may have ended. */
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "expect.h"
#include "pool.h"
#include "workloads.h"

enum { SESSION_MS = 800, RANGES = 2, WIDTH = 16, IDLE_ONE_IN = 40 };

static void file_prepare(struct client *client) {
    expect_etag(call(client, "SHARE.CREATE files"));
    expect_etag(call(client, "FILE.CREATE files numbers %d", RANGES * WIDTH));
}

/* --- Steps -------------------------------------------------------------------------------------------------- */

static bool sign_in(struct actor *actor) {
    *actor->handle = '\0';
    redisReply *reply = actor_asks(actor, "SHARE.CONNECT files 0.%d", SESSION_MS);
    if (!reply) return false;
    snprintf(actor->session, sizeof(actor->session), "%s", reply->str);
    actor->until_us = actor->begin_us + belief_us(SESSION_MS);
    reply = actor_asks(actor, "FILE.OPEN files %s numbers ACCESS 2 READ WRITE SHARE 3 READ WRITE DELETE",
                       actor->session);
    const redisReply *handle = reply ? reply_field_if_any(reply, "handle") : NULL;
    if (handle) snprintf(actor->handle, sizeof(actor->handle), "%s", handle->str);
    return handle != NULL;
}

static bool stays_signed_in(struct actor *actor) {
    if (!*actor->handle) return sign_in(actor);
    if (actor_asks(actor, "SHARE.PING files %s", actor->session)) {
        actor->until_us = actor->begin_us + belief_us(SESSION_MS);
        return true;
    }
    *actor->handle = '\0';
    return false;
}

/* Reads the number, and writes the next one. What was refused or has no answer ends the session's use. */
static bool count_up(struct actor *actor, long long range) {
    redisReply *reply = actor_asks(actor, "FILE.READ files %s %lld %d", actor->handle, range * WIDTH, WIDTH);
    if (!reply) return false;
    long long next = atoll(reply->str) + 1;
    actor_pause_ms(actor, 0, 10);
    if (!actor_chance(actor, IDLE_ONE_IN)) actor_pause_ms(actor, SESSION_MS / 2, SESSION_MS);
    char text[2 * WIDTH];
    snprintf(text, sizeof(text), "%0*lld", WIDTH, next);
    reply = actor_asks(actor, "FILE.WRITE files %s %lld %s", actor->handle, range * WIDTH, text);
    struct event event = actor_event(actor, CHANGED);
    event.resource = range;
    event.number = next;
    actor_notes(actor, event);
    return reply != NULL;
}

static void file_step(struct actor *actor) {
    if (!stays_signed_in(actor)) return;
    long long range = actor_chance(actor, RANGES);
    if (!actor_asks(actor, "FILE.LOCK files %s EXCLUSIVE %lld %d BLOCK 0.2", actor->handle, range * WIDTH,
                    WIDTH)) {
        if (!actor->told) *actor->handle = '\0';
        return;
    }
    struct event held = actor_event(actor, HELD);
    held.resource = range;
    held.version = (uint64_t)actor_operation(actor);
    held.number = held.end_us;
    held.end_us = actor->until_us;
    bool done = count_up(actor, range);
    if (actor->told && actor->end_us < held.end_us) held.end_us = actor->end_us;
    if (done) actor_asks(actor, "FILE.UNLOCK files %s %lld %d", actor->handle, range * WIDTH, WIDTH);
    if (done && actor->begin_us < held.end_us) held.end_us = actor->begin_us;
    if (actor->outcome != DONE) *actor->handle = '\0';
    actor_notes(actor, held);
}

/* --- What is there ------------------------------------------------------------------------------------------- */

/* Each number that was answered was written once, and the last one is there. */
static void check_range(struct part *part, long long last, long long range) {
    struct numbers written = {0};
    for_each_event(&part->history) {
        bool counts = event->kind == CHANGED && event->outcome == DONE && event->resource == range;
        if (counts) numbers_add(&written, event->number);
    }
    numbers_sort(&written);
    for (size_t i = 1; i < written.count; i++)
        if (written.number[i] == written.number[i - 1])
            violation(part, "%lld was written twice", written.number[i]);
    if (written.count && written.number[written.count - 1] > last)
        violation(part, "%lld was answered, and %lld is there", written.number[written.count - 1], last);
}

/* The last sessions take their locks with them when they end. */
static redisReply *content(struct client *client) {
    redisReply *reply = call(client, "FILE.GET files numbers");
    for (int waited_ms = 0; reply_is_error(reply) && waited_ms < 5 * SESSION_MS; waited_ms += 20) {
        pause_us(20000);
        reply = call(client, "FILE.GET files numbers");
    }
    return expect_elements(reply, 2)->element[1];
}

static void file_check(struct part *part, struct client *client) {
    const char *numbers = content(client)->str;
    for (long long range = 0; range < RANGES && trial_keeps_all(part->trial); range++)
        check_range(part, atoll(pool_copy(numbers + range * WIDTH, WIDTH)), range);
    holders_check(part);
}

const struct workload file_workload = {"file", "files", 4, file_prepare, file_step, file_check};
