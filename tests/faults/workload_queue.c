/* A queue: actors put messages and take them, delete most of what they took, give some back, and leave some to their
 * windows. At the end all that is left is taken. Then every message that was put is accounted for. */
#include <stdlib.h>

#include "checks.h"
#include "expect.h"
#include "workloads.h"

enum { WINDOW_MS = 1000, PUT_MAX = 3, DRAIN_SECONDS = 20 };

static void queue_prepare(struct client *client) {
    expect_ok(call(client, "QUEUE.CREATE jobs"));
}

/* --- Steps -------------------------------------------------------------------------------------------------- */

static void note_message(struct actor *actor, enum event_kind kind, long long number) {
    struct event event = actor_event(actor, kind);
    event.number = number;
    actor_notes(actor, event);
}

static void put(struct actor *actor) {
    long long first = actor_operation(actor), second = actor_operation(actor);
    bool both = actor_chance(actor, 2);
    if (both)
        actor_asks(actor, "QUEUE.PUTMANY jobs 2 %lld %lld", first, second);
    else
        actor_asks(actor, "QUEUE.PUT jobs %lld", first);
    note_message(actor, PUT, first);
    if (both) note_message(actor, PUT, second);
}

static const char *text_of(const redisReply *map, const char *name) {
    const redisReply *value = reply_field_if_any(map, name);
    return value ? value->str : "";
}

/* From the answer until it is given back, or its window is over, nobody else has it. */
static void note_holding(struct actor *actor, struct event taken, const redisReply *map) {
    taken.kind = HELD;
    taken.version = (uint64_t)reply_field_if_any(map, "dequeue-count")->integer;
    taken.resource = taken.number;
    int64_t window_ends_us = taken.begin_us + belief_us(WINDOW_MS);
    taken.number = taken.end_us;
    taken.end_us = actor->begin_us < window_ends_us ? actor->begin_us : window_ends_us;
    actor_notes(actor, taken);
}

static void handle(struct actor *actor, struct event taken, const redisReply *map) {
    const char *id = text_of(map, "id"), *receipt = text_of(map, "receipt");
    taken.number = atoll(text_of(map, "message"));
    actor_notes(actor, taken);
    int drawn = actor_chance(actor, 10);
    if (drawn == 0) return;
    if (drawn == 1) {
        actor_asks(actor, "QUEUE.RELEASE jobs %s %s", id, receipt);
    } else {
        actor_asks(actor, "QUEUE.DELETE jobs %s %s", id, receipt);
        note_message(actor, DELETED, taken.number);
    }
    note_holding(actor, taken, map);
}

static void take(struct actor *actor) {
    redisReply *reply = actor_asks(actor, "QUEUE.GET jobs COUNT 3 VISIBILITY 1 BLOCK 0.1");
    struct event taken = actor_event(actor, TAKEN);
    for (size_t i = 0; reply && i < reply->elements; i++) handle(actor, taken, reply->element[i]);
}

static void queue_step(struct actor *actor) {
    if (actor_chance(actor, 5) < 2)
        put(actor);
    else
        take(actor);
}

/* --- The account --------------------------------------------------------------------------------------------- */

struct message {
    long long number;
    enum outcome put;
    int term; /* in which it was put */
    int64_t put_us;
    bool was_put, is_left, delete_asked, deleted;
    int64_t deleted_us; /* when that was answered first */
    int64_t taken_us;   /* when it was asked for last */
};

struct account {
    struct message *messages;
    size_t count;
};

static int by_number(const void *one, const void *other) {
    long long a = ((const struct message *)one)->number, b = ((const struct message *)other)->number;
    return (a > b) - (a < b);
}

static struct message *message_of(struct account *account, long long number) {
    struct message key = {.number = number};
    return account->count ? bsearch(&key, account->messages, account->count, sizeof(key), by_number) : NULL;
}

static struct account account_of(struct part *part) {
    struct account account = {malloc((part->history.count + 1) * sizeof(struct message)), 0};
    require(account.messages, "out of memory");
    for_each_event(&part->history) {
        if (event->kind != PUT) continue;
        account.messages[account.count++] = (struct message){.number = event->number,
                                                             .put = event->outcome,
                                                             .term = event_term(part, event),
                                                             .put_us = event->end_us,
                                                             .deleted_us = INT64_MAX};
    }
    if (account.count) qsort(account.messages, account.count, sizeof(struct message), by_number);
    return account;
}

static struct message *known_message(struct part *part, struct account *account, long long number) {
    struct message *message = message_of(account, number);
    if (!message || message->put == REFUSED) {
        violation(part, "message %lld was delivered, and nobody has put it", number);
        return NULL;
    }
    return message;
}

static void enter(struct part *part, struct account *account, const struct event *event) {
    struct message *message = event->kind == TAKEN ? known_message(part, account, event->number)
                                                   : message_of(account, event->number);
    if (!message) return;
    if (event->kind == TAKEN && event->begin_us > message->taken_us) message->taken_us = event->begin_us;
    if (event->kind != DELETED) return;
    message->delete_asked = true;
    if (event->outcome != DONE) return;
    message->deleted = true;
    if (event->end_us < message->deleted_us) message->deleted_us = event->end_us;
}

static void take_what_is_left(struct part *part, struct account *account, struct client *client) {
    int64_t until = us_after(DRAIN_SECONDS);
    while (now_us() < until && field(call(client, "QUEUE.STAT jobs"), "messages")->integer) {
        redisReply *reply = call(client, "QUEUE.GET jobs COUNT 32 VISIBILITY 600 BLOCK 0.5");
        for (size_t i = 0; i < reply->elements; i++) {
            redisReply *map = reply->element[i];
            struct message *message = known_message(part, account, atoll(text_of(map, "message")));
            if (message && message->is_left) violation(part, "message %lld is there twice", message->number);
            if (message) message->is_left = true;
            expect_ok(call(client, "QUEUE.DELETE jobs %s %s", text_of(map, "id"), text_of(map, "receipt")));
        }
    }
    if (now_us() >= until) violation(part, "the queue does not give out all that it says to have");
}

static void require_all(struct part *part, const struct account *account) {
    for (size_t i = 0; i < account->count; i++) {
        const struct message *message = &account->messages[i];
        bool must_be_left = message->put == DONE && !message->delete_asked;
        if (must_be_left && !message->is_left)
            violation(part, "message %lld was put, and is lost", message->number);
        if (message->deleted && message->is_left)
            violation(part, "message %lld was deleted, and is there", message->number);
        if (message->deleted && message->taken_us > message->deleted_us)
            violation(part, "message %lld was delivered after it was deleted", message->number);
    }
}

/* Of what one actor put in one term the survivors are the first ones. Those that somebody tried to delete tell nothing:
 * it may have been before or after the loss. */
static void require_prefix(struct part *part, const struct account *account) {
    const struct message *lost = NULL;
    for (size_t i = 0; i < account->count; i++) {
        const struct message *message = &account->messages[i];
        bool same_row =
            lost && lost->number / 10000000 == message->number / 10000000 && lost->term == message->term;
        if (!same_row) lost = NULL;
        if (message->put != DONE || message->term < 0) continue;
        if (lost && message->is_left)
            violation(part, "message %lld is lost, and %lld, put later, is not", lost->number,
                      message->number);
        if (!lost && !message->is_left && !message->delete_asked) lost = message;
    }
}

static void queue_check(struct part *part, struct client *client) {
    struct account account = account_of(part);
    for_each_event(&part->history) if (event->kind == TAKEN || event->kind == DELETED)
        enter(part, &account, event);
    take_what_is_left(part, &account, client);
    if (trial_keeps_all(part->trial)) {
        require_all(part, &account);
        holders_check(part);
    } else {
        require_prefix(part, &account);
    }
    free(account.messages);
}

const struct workload queue_workload = {"queue", "jobs", 4, queue_prepare, queue_step, queue_check};
