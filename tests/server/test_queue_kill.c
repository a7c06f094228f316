/* A server that is killed under load, again and again, and comes back from its append-only file: what was acknowledged
 * is so. Of what nobody was told it may know either way, but of nothing else. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "messages.h"
#include "pool.h"
#include "random.h"
#include "settings.h"
#include "waiting.h"

static const char synced_file[] =
    APPEND_ONLY_FILE("always") "holdfast.queue-max-count 1000\nholdfast.clock-offset-ms %lld\n";

enum {
    WORKERS = 12,
    ROUNDS = 5,
    LOAD_MS = 300,
    NUMBERS = 100000,
    TAKEN_MAX = 3,
    PUT_MAX = 4,
    WINDOW_MS = 3600000,
    ID_ROOM = 40
};

/* What a worker has asked and not been answered yet. */
enum task { NOTHING, PUT, GET, DELETE, UPDATE, RELEASE };

/* Texts are numbers, and a message's number is its place here. */
static struct message {
    char id[ID_ROOM], receipt[ID_ROOM];
    bool put, taken, deleted, found;
    enum task asked; /* by its receipt, and not answered yet */
    int deliveries;
} messages[NUMBERS];

static int numbers, round_begin;

static struct worker {
    struct client *client;
    enum task task;
    int number; /* the message that it is about, or the first one; how many were asked for */
    int count;
    int taken[TAKEN_MAX], holds;
} workers[WORKERS];

static int acknowledged[RELEASE + 1];

/* The clock goes on where it was. */
static struct server *start_lone(void) {
    return server_start("single", pool_print(synced_file, clock_after(0)));
}

static void start_again(struct server *server, long long later_ms) {
    server_set(server, pool_print(synced_file, clock_after(later_ms)));
    server_restart(server);
}

static struct message *message_of_number(const redisReply *text) {
    int number = atoi(text->str);
    require(number >= round_begin && number < numbers, "message %d was deleted long ago", number);
    return &messages[number];
}

static void note(char *place, const redisReply *text) {
    require(text->len < ID_ROOM, "%s is no id", text->str);
    memcpy(place, text->str, text->len + 1);
}

static void note_id(struct message *message, const redisReply *map) {
    const redisReply *id = field(map, "id");
    if (*message->id) assert_string_equal(message->id, id->str);
    note(message->id, id);
}

/* --- What workers ask -------------------------------------------------------------------------------------- */

static const char *put_line(struct worker *worker) {
    worker->task = PUT;
    worker->number = numbers;
    worker->count = 1 + random_below(PUT_MAX);
    require(numbers + worker->count <= NUMBERS, "too many messages");
    const char *line =
        worker->count == 1 ? "QUEUE.PUT jobs" : pool_print("QUEUE.PUTMANY jobs %d", worker->count);
    for (int i = 0; i < worker->count; i++) line = pool_print("%s %d", line, numbers++);
    return line;
}

static const char *get_line(struct worker *worker) {
    worker->task = GET;
    worker->count = 1 + random_below(TAKEN_MAX);
    return pool_print("QUEUE.GET jobs COUNT %d VISIBILITY 3600%s", worker->count,
                      random_below(2) ? " BLOCK 0.05" : "");
}

static const char *claim_line(struct worker *worker) {
    static const struct {
        enum task task;
        const char *verb, *rest;
    } claims[] = {{DELETE, "DELETE", ""},
                  {DELETE, "DELETE", ""},
                  {UPDATE, "UPDATE", "VISIBILITY 3600"},
                  {RELEASE, "RELEASE", ""}};
    int drawn = random_below(4);
    worker->number = worker->taken[--worker->holds];
    struct message *message = &messages[worker->number];
    worker->task = message->asked = claims[drawn].task;
    return pool_print("QUEUE.%s jobs %s %s %s", claims[drawn].verb, message->id, message->receipt,
                      claims[drawn].rest);
}

static void ask(struct worker *worker) {
    send_line(worker->client, worker->holds     ? claim_line(worker)
                              : random_below(2) ? put_line(worker)
                                                : get_line(worker));
}

/* --- What they are told ------------------------------------------------------------------------------------ */

static void told_of_put(struct worker *worker, redisReply *reply) {
    for (int i = 0; i < worker->count; i++) {
        redisReply *map = worker->count == 1 ? reply : reply->element[i];
        messages[worker->number + i].put = true;
        note_id(&messages[worker->number + i], map);
    }
}

static void take(const redisReply *map) {
    struct message *message = message_of_number(field(map, "message"));
    bool free = !message->taken || message->asked == RELEASE;
    require(free && !message->deleted, "message %s was delivered twice", field(map, "message")->str);
    message->taken = true;
    message->asked = NOTHING;
    message->put = true;
    note_id(message, map);
    note(message->receipt, field(map, "receipt"));
    expect_number(field(map, "dequeue-count"), ++message->deliveries);
}

static void told_of_get(struct worker *worker, redisReply *reply) {
    for (size_t i = 0; i < reply->elements; i++) {
        take(reply->element[i]);
        worker->taken[worker->holds++] = atoi(field(reply->element[i], "message")->str);
    }
}

/* One that was given back may be somebody else's before that is told. */
static void told_of_claim(struct worker *worker, redisReply *reply) {
    struct message *message = &messages[worker->number];
    bool still_asked = message->asked == worker->task;
    if (still_asked) message->asked = NOTHING;
    if (worker->task == DELETE) message->deleted = true;
    if (worker->task == RELEASE && still_asked) message->taken = false;
    if (worker->task != UPDATE) return;
    note(message->receipt, field(reply, "receipt"));
    worker->taken[worker->holds++] = worker->number;
}

static void told(struct worker *worker, redisReply *reply) {
    require(!reply_is_error(reply), "a worker is told %s", reply_text(reply));
    acknowledged[worker->task]++;
    if (worker->task == PUT)
        told_of_put(worker, reply);
    else if (worker->task == GET)
        told_of_get(worker, reply);
    else
        told_of_claim(worker, reply);
    worker->task = NOTHING;
}

/* --- A round ----------------------------------------------------------------------------------------------- */

/* False when there is nothing more to come. */
static bool listen_to(struct worker *worker) {
    redisContext *context = worker->client->context;
    if (redisBufferRead(context) != REDIS_OK) return false;
    for (void *reply = NULL; redisGetReplyFromReader(context, &reply) == REDIS_OK && reply; reply = NULL) {
        pool_keep(reply, freeReplyObject);
        told(worker, reply);
    }
    return true;
}

static void work(int ms) {
    struct pollfd inputs[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        inputs[i] = (struct pollfd){.fd = workers[i].client->context->fd, .events = POLLIN};
    for (long long begin = stopwatch(); stopwatch() - begin < ms;) {
        for (int i = 0; i < WORKERS; i++)
            if (workers[i].task == NOTHING) ask(&workers[i]);
        poll(inputs, WORKERS, 10);
        for (int i = 0; i < WORKERS; i++)
            if (inputs[i].revents) require(listen_to(&workers[i]), "a worker was cut off");
    }
}

/* What the server had said before it died counts. */
static void kill_it(struct server *server) {
    server_kill(server);
    for (int i = 0; i < WORKERS; i++)
        while (listen_to(&workers[i])) continue;
}

/* Half of those that were taken: their receipts are good. */
static void delete_some(struct client *client) {
    for (int number = round_begin; number < numbers; number++) {
        struct message *message = &messages[number];
        if (!message->taken || message->deleted || message->asked != NOTHING || random_below(2)) continue;
        expect_ok(call(client, "QUEUE.DELETE jobs %s %s", message->id, message->receipt));
        message->deleted = true;
    }
}

/* Takes all that shows. Answers how many were delivered once more than anybody was told. */
static int find_all(struct client *client, bool windows_are_over) {
    int untold = 0;
    for (redisReply *got = NULL; !got || got->elements;) {
        got = call(client, "QUEUE.GET jobs COUNT 1000 VISIBILITY 86400");
        for (size_t i = 0; i < got->elements; i++) {
            struct message *message = message_of_number(field(got->element[i], "message"));
            long long more = field(got->element[i], "dequeue-count")->integer - 1 - message->deliveries;
            note_id(message, got->element[i]);
            require(!message->found, "%s is there twice", reply_text(got->element[i]));
            require(!message->deleted, "%s was deleted", reply_text(got->element[i]));
            bool hidden = message->taken && message->asked != RELEASE;
            require(windows_are_over || !hidden, "%s was taken", reply_text(got->element[i]));
            require(more == 0 || (more == 1 && windows_are_over), "%s was taken %d times",
                    reply_text(got->element[i]), message->deliveries);
            message->found = true;
            untold += (int)more;
        }
    }
    return untold;
}

/* What nobody was told of may be so or not: as many as were asked for when it died. */
static int asked_to_get(void) {
    int count = 0;
    for (int i = 0; i < WORKERS; i++)
        if (workers[i].task == GET) count += workers[i].count;
    return count;
}

static void expect_nothing_lost(void) {
    for (int number = round_begin; number < numbers; number++) {
        const struct message *message = &messages[number];
        bool must_be_there = message->put && !message->deleted && message->asked != DELETE;
        require(!must_be_there || message->found, "message %d is lost: %staken, %d deliveries, %d asked",
                number, message->taken ? "" : "not ", message->deliveries, (int)message->asked);
    }
}

static void settle_accounts(struct client *client) {
    delete_some(client);
    int untold = find_all(client, false);
    expect_ok(call(client, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(WINDOW_MS)));
    untold += find_all(client, true);
    require(untold <= asked_to_get(), "%d were delivered, and nobody asked for them", untold);
    expect_nothing_lost();
    call(client, "QUEUE.CLEAR jobs");
    round_begin = numbers;
}

static void play_round(struct server *server, bool rewriting) {
    for (int i = 0; i < WORKERS; i++) workers[i] = (struct worker){.client = test_client(server)};
    work(LOAD_MS + random_below(20));
    if (rewriting) call(test_client(server), "BGREWRITEAOF");
    work(random_below(20));
    kill_it(server);
    start_again(server, 0);
    settle_accounts(test_client(server));
}

TEST(acknowledged_messages_survive_a_kill) {
    random_begin();
    memset(messages, 0, sizeof(messages));
    memset(acknowledged, 0, sizeof(acknowledged));
    numbers = round_begin = 0;
    struct server *server = start_lone();
    expect_ok(call(test_client(server), "QUEUE.CREATE jobs"));
    for (int round = 0; round < ROUNDS; round++) play_round(server, round % 2);
    print_message("# %d puts, %d gets, %d deletes, %d updates, %d releases\n", acknowledged[PUT],
                  acknowledged[GET], acknowledged[DELETE], acknowledged[UPDATE], acknowledged[RELEASE]);
    for (enum task task = PUT; task <= RELEASE; task++) assert_true(acknowledged[task] > ROUNDS);
}

/* The file is read by a later server, for which the window is over and the delay is not. */
TEST(time_goes_on_while_a_server_is_down) {
    struct server *server = start_lone();
    struct client *client = test_client(server);
    expect_ok(call(client, "QUEUE.CREATE jobs"));
    call(client, "QUEUE.PUT jobs taken");
    struct parcel taken = parcel_of(first_of(call(client, "QUEUE.GET jobs VISIBILITY 60")));
    struct parcel delayed = parcel_of(call(client, "QUEUE.PUT jobs delayed VISIBILITY 3600"));
    parcel_of(call(client, "QUEUE.PUT jobs doomed TTL 61 VISIBILITY 60"));
    server_kill(server);
    start_again(server, 100000);
    client = test_client(server);
    expect_number(field(call(client, "QUEUE.STAT jobs"), "messages"), 2);
    redisReply *seen = expect_elements(call(client, "QUEUE.PEEK jobs COUNT 32"), 1)->element[0];
    expect_text(field(seen, "message"), "taken");
    expect_number(field(seen, "dequeue-count"), 1);
    expect_ok(call(client, "QUEUE.DELETE jobs %s %s", taken.id, taken.receipt));
    expect_ok(call(client, "QUEUE.DELETE jobs %s %s", delayed.id, delayed.receipt));
}
