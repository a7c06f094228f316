/*
 * When messages come: very many in the same millisecond, and one at a time to a consumer that waits for it.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "crowd.h"
#include "queues.h"
#include "waits.h"

/* --- Due at once --- */

enum { MESSAGES = 1000000, MESSAGES_QUICK = 200000, PUT_AT_ONCE = 1000, CONSUMERS = 50, TAKEN_AT_ONCE = 10 };
enum { LONGEST_MS = 10, STILL_MS = 600000, NUMBER_BYTES = 24 };

#define LOOK_NS     INT64_C(50000)
#define PATIENCE_NS (INT64_C(120) * 1000000000)

enum { PUT_VISIBLE_AT = 9 }; /* in the reply of PUTMANY */

/* The module's clock goes ahead, and then stands still until the right time has come up with it: it never goes back.
 * So whatever is put meanwhile is put in the same millisecond. */
static void clock_stop(struct server *server) {
    server_tell(server, "CONFIG SET holdfast.clock-offset-ms %d", STILL_MS);
    server_tell(server, "QUEUE.CREATE due");
    server_tell(server, "QUEUE.PUT due x TTL 1");
    server_tell(server, "QUEUE.CLEAR due");
    server_tell(server, "CONFIG SET holdfast.clock-offset-ms 0");
}

static void clock_go_on(struct server *server) {
    server_tell(server, "CONFIG SET holdfast.clock-offset-ms %d", STILL_MS);
}

/* Answers when they are due. */
static int64_t batch_put(struct server *server, const char *content) {
    enum { HEAD = 3, WORDS = HEAD + PUT_AT_ONCE + 2 };
    static const char *words[WORDS] = {"QUEUE.PUTMANY", "due", "1000"};
    for (unsigned index = 0; index < PUT_AT_ONCE; index++) words[HEAD + index] = content;
    words[WORDS - 2] = "VISIBILITY";
    words[WORDS - 1] = "0.001";
    redisReply *reply = redisCommandArgv(server->context, WORDS, words, NULL);
    require(reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == PUT_AT_ONCE, "QUEUE.PUTMANY: %s",
            reply && reply->str ? reply->str : "no reply");
    int64_t due_ms = reply->element[0]->element[PUT_VISIBLE_AT]->integer;
    freeReplyObject(reply);
    return due_ms;
}

static void put_all(struct server *server, unsigned messages) {
    char content[MESSAGE_BYTES + 1];
    memset(content, 'x', MESSAGE_BYTES);
    content[MESSAGE_BYTES] = '\0';
    clock_stop(server);
    int64_t due_ms = batch_put(server, content);
    for (unsigned put = PUT_AT_ONCE; put < messages; put += PUT_AT_ONCE)
        require(batch_put(server, content) == due_ms, "the clock does not stand still");
}

struct drain {
    struct crowd *crowd;
    struct wire *pinger; /* sends PING after PING */
    bool deletes[CONSUMERS];
    unsigned left;
};

static void consumer_get(struct drain *drain, unsigned who) {
    drain->deletes[who] = false;
    wire_ask(drain->crowd->wires[who], "QUEUE.GET due COUNT %d BLOCK 0", TAKEN_AT_ONCE);
}

/* Deletes what the reply has brought, in one command. */
static void consumer_delete(struct drain *drain, unsigned who, const struct reply *reply) {
    enum { HEAD = 3, WORDS = HEAD + 2 * TAKEN_AT_ONCE, AFTER_RECEIPT = 10 };
    const char *words[WORDS] = {"QUEUE.DELETEMANY", "due"};
    size_t lengths[WORDS] = {16, 3};
    char count[NUMBER_BYTES], *command;
    struct reply part = *reply;
    unsigned used = HEAD;
    for (size_t index = 0; index < reply->length; index++) {
        part = reply_next(&part);
        for (unsigned field = 0; field < 2; field++) {
            part = reply_next(&part);
            part = reply_next(&part);
            words[used] = part.text;
            lengths[used++] = part.length;
        }
        for (unsigned skipped = 0; skipped < AFTER_RECEIPT; skipped++) part = reply_next(&part);
    }
    words[2] = count;
    lengths[2] = (size_t)snprintf(count, sizeof count, "%zu", reply->length);
    long long bytes = redisFormatCommandArgv(&command, (int)used, words, lengths);
    require(bytes > 0, "out of memory");
    wire_send(drain->crowd->wires[who], command, (size_t)bytes);
    redisFreeCommand(command);
    drain->deletes[who] = true;
}

static void consumer_answered(struct drain *drain, unsigned who) {
    struct reply reply = wire_receive(drain->crowd->wires[who], "a consumer");
    if (!drain->deletes[who]) {
        consumer_delete(drain, who, &reply);
        return;
    }
    drain->left -= (unsigned)reply.length;
    if (drain->left) consumer_get(drain, who);
}

/* It is looked after before everybody else, so that no wait has the bench's own work in it. */
static void ping_again(struct drain *drain, struct waits *waits) {
    struct pollfd pinger = {.fd = wire_socket(drain->pinger), .events = POLLIN};
    if (poll(&pinger, 1, 0) != 1) return;
    wire_receive(drain->pinger, "PING");
    waits_next(waits);
    wire_ask(drain->pinger, "PING");
}

/* Returns the longest PING until all messages have been deleted. */
static double drain_ms(struct server *server, struct drain *drain) {
    struct waits waits = waits_begin(server);
    wire_ask(drain->pinger, "PING");
    for (int64_t heard_ns = monotonic_ns(); drain->left;) {
        ping_again(drain, &waits);
        int who = crowd_next(drain->crowd, monotonic_ns() + LOOK_NS);
        if (who != CROWD_NOBODY) {
            consumer_answered(drain, (unsigned)who);
            heard_ns = monotonic_ns();
        }
        require(monotonic_ns() - heard_ns < PATIENCE_NS, "%u messages were not delivered", drain->left);
    }
    wire_receive(drain->pinger, "PING");
    return waits_longest_ms(&waits);
}

void measure_queue_due(const struct part *part) {
    unsigned messages = part->is_quick ? MESSAGES_QUICK : MESSAGES;
    struct server *server = server_start(part->options, LARGE_BATCHES);
    struct drain drain = {.left = messages};
    put_all(server, messages);
    drain.crowd = crowd_open(server, CONSUMERS);
    drain.pinger = wire_open(server, 0);
    for (unsigned who = 0; who < CONSUMERS; who++) consumer_get(&drain, who);
    wire_call(drain.pinger, "PING");
    clock_go_on(server);
    int64_t before_ns = monotonic_ns();
    double longest_ms = drain_ms(server, &drain);
    part_tell(part, print_text("%u messages due at once: until all were deleted", messages),
              (double)(monotonic_ns() - before_ns) / 1e9, "s");
    part_judge(part, print_text("%u messages due in one millisecond: longest PING", messages), longest_ms,
               LONGEST_MS, "ms");
    wire_close(drain.pinger);
    crowd_close(drain.crowd);
    server_stop(server);
}

/* --- To a consumer that waits --- */

enum { HOPS = 500, DELAY_ROUNDS = 20, DELAY_ROUNDS_QUICK = 8 };
#define DELAY_AT_MOST 1.2

struct pair {
    struct wire *producer, *consumer;
    char content[MESSAGE_BYTES];
};

static void queue_wait(struct pair *pair) {
    wire_ask(pair->consumer, "QUEUE.GET delay BLOCK 0");
}

static void queue_send(struct pair *pair) {
    wire_ask(pair->producer, "QUEUE.PUT delay %b", pair->content, sizeof pair->content);
}

static void queue_clean(struct pair *pair, const struct reply *reply) {
    struct reply message = reply_element(reply, 0);
    struct reply id = reply_element(&message, 1), receipt = reply_element(&message, 3);
    wire_call(pair->consumer, "QUEUE.DELETE delay %b %b", id.text, id.length, receipt.text, receipt.length);
}

static void list_wait(struct pair *pair) {
    wire_ask(pair->consumer, "BLPOP list 0");
}

static void list_send(struct pair *pair) {
    wire_ask(pair->producer, "RPUSH list %b", pair->content, sizeof pair->content);
}

static void list_clean(struct pair *pair, const struct reply *reply) {
    (void)pair;
    (void)reply;
}

static const struct passage {
    const char *name;
    void (*wait)(struct pair *pair);
    void (*send)(struct pair *pair);
    void (*clean)(struct pair *pair, const struct reply *reply);
} passages[] = {{"QUEUE.PUT to QUEUE.GET BLOCK", queue_wait, queue_send, queue_clean},
                {"RPUSH to BLPOP", list_wait, list_send, list_clean}};
enum { PASSAGES = 2 };

static double hop_us(const struct passage *passage, struct pair *pair) {
    passage->wait(pair);
    wire_call(pair->producer, "PING"); /* whatever came before it has been looked at then */
    int64_t before = monotonic_ns();
    passage->send(pair);
    struct reply reply = wire_receive(pair->consumer, passage->name);
    int64_t after = monotonic_ns();
    wire_receive(pair->producer, passage->name);
    passage->clean(pair, &reply);
    return (double)(after - before) / 1e3;
}

static void round_measure(const struct passage *passage, struct pair *pair, double *median, double *p99) {
    double us[HOPS];
    for (unsigned hop = 0; hop < HOPS; hop++) us[hop] = hop_us(passage, pair);
    *median = share_of(us, HOPS, 0.5);
    *p99 = share_of(us, HOPS, 0.99);
}

void measure_queue_delay(const struct part *part) {
    unsigned rounds = part->is_quick ? DELAY_ROUNDS_QUICK : DELAY_ROUNDS;
    double medians[PASSAGES][DELAY_ROUNDS], p99s[PASSAGES][DELAY_ROUNDS];
    struct server *server = server_start(part->options, "");
    struct pair pair = {.producer = wire_open(server, 0), .consumer = wire_open(server, 0)};
    memset(pair.content, 'x', sizeof pair.content);
    server_tell(server, "QUEUE.CREATE delay");
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned turn = 0; turn < PASSAGES; turn++) {
            unsigned which = (turn + round) % PASSAGES;
            round_measure(&passages[which], &pair, &medians[which][round], &p99s[which][round]);
        }
    }
    for (unsigned which = 0; which < PASSAGES; which++) {
        const char *name = passages[which].name;
        part_tell(part, print_text("%s: median", name), spread_of(medians[which], rounds).median, "us");
        part_tell(part, print_text("%s: p99", name), spread_of(p99s[which], rounds).median, "us");
    }
    part_judge(part, print_text("%s, p99, to %s", passages[0].name, passages[1].name),
               spread_of_ratios(p99s[0], p99s[1], rounds).median, DELAY_AT_MOST, "x");
    wire_close(pair.producer);
    wire_close(pair.consumer);
    server_stop(server);
}
