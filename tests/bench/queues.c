/* Queues, next to streams and to queues that libraries make of a sorted set, a hash and scripts: what a message costs
 * from its put to its deletion, with few messages there and with very many; bytes per message; messages that come due
 * all at once. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "queue_workloads.h"

enum { MESSAGE_BYTES = 100 };

/* --- Memory --- */

/* What a message of 100 bytes costs, waiting and in flight: the growth of used_memory, which is what
 * maxmemory counts, and MEMORY USAGE beside it. */

enum { STORED_MESSAGES = 1000000, STORED_MESSAGES_QUICK = 100000 };

static const struct storage {
    const char *name, *key;
    const struct sequence *put, *take;
    double waiting_limit, in_flight_limit; /* bytes; 0: no bar */
} storages[] = {{"queue", "queue", &queue_put, &queue_take_many, 200, 300},
                {"stream", "stream", &stream_put, &stream_take_many, 0, 0},
                {"Lua", "set", &script_put, &script_take, 0, 0},
                {"list", "list", &list_put, &list_take, 0, 0}};

static int64_t usage_of(struct server *server, const char *key) {
    redisReply *reply = server_command(server, "MEMORY USAGE %s SAMPLES 0", key);
    int64_t bytes = reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
    freeReplyObject(reply);
    return bytes;
}

/* Puts or takes them all. By way of connections of its own, which are closed then: buffers are not messages. */
static void measure_messages(const struct fixture *fixture, const struct storage *storage, bool is_taken,
                             int64_t before, unsigned messages) {
    const char *state = is_taken ? "in flight" : "waiting";
    struct dataset *data = dataset_open(fixture->server, 0, 1, MESSAGE_BYTES);
    sequence_fill(data, is_taken ? storage->take : storage->put, storage->key, messages);
    dataset_close(data);
    server_settle();
    int64_t usage = usage_of(fixture->server, storage->key) +
                    usage_of(fixture->server, format_text("%s" SECOND_KEY_SUFFIX, storage->key));
    double bytes = server_memory_each(fixture->server, before, messages);
    add_bar(fixture->context, ABOUT_MEMORY,
            format_text("%s: a message %s, used_memory", storage->name, state), bytes,
            is_taken ? storage->in_flight_limit : storage->waiting_limit, "bytes");
    add_fact(fixture->context, format_text("%s: a message %s, MEMORY USAGE", storage->name, state),
             (double)usage / messages, "bytes");
}

static void measure_queue_memory(const struct context *context) {
    unsigned messages = context->is_quick ? STORED_MESSAGES_QUICK : STORED_MESSAGES;
    struct fixture fixture = fixture_open(context, LARGE_BATCHES, 0, 0);
    for (size_t i = 0; i < ARRAY_SIZE(storages); i++) {
        const struct storage *storage = &storages[i];
        if (storage->put->create) server_tell(fixture.server, storage->put->create, storage->key);
        int64_t before = server_memory(fixture.server);
        measure_messages(&fixture, storage, false, before, messages);
        measure_messages(&fixture, storage, true, before, messages);
    }
    fixture_close(&fixture);
}

/* --- Very many messages that are due in the same millisecond --- */

enum { MESSAGES = 1000000, MESSAGES_QUICK = 200000, PUT_AT_ONCE = 1000, CONSUMERS = 50, TAKEN_AT_ONCE = 10 };
enum { LONGEST_MS = 10, STILL_MS = 600000, COUNT_BYTES = 24 };

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
    for (unsigned i = 0; i < PUT_AT_ONCE; i++) words[HEAD + i] = content;
    words[WORDS - 2] = "VISIBILITY";
    words[WORDS - 1] = "0.001";
    redisReply *reply = server_command_words(server, WORDS, words);
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
    struct connection_set *set;
    struct connection *pinger; /* sends PING after PING */
    bool deletes[CONSUMERS];
    unsigned left;
};

static void consumer_get(struct drain *drain, unsigned who) {
    drain->deletes[who] = false;
    connection_ask(drain->set->connections[who], "QUEUE.GET due COUNT %d BLOCK 0", TAKEN_AT_ONCE);
}

/* Deletes what the reply has brought, in one command. */
static void consumer_delete(struct drain *drain, unsigned who, const struct reply *reply) {
    enum { HEAD = 3, WORDS = HEAD + 2 * TAKEN_AT_ONCE };
    const char *words[WORDS] = {"QUEUE.DELETEMANY", "due"};
    size_t lengths[WORDS] = {16, 3};
    char count[COUNT_BYTES], *command;
    struct reply element = *reply;
    unsigned used = HEAD;
    for (size_t i = 0; i < reply->length; i++) {
        element = reply_next(&element);
        for (unsigned field = 0; field < 2; field++) {
            element = reply_further(element, 2);
            words[used] = element.text;
            lengths[used++] = element.length;
        }
        element = reply_further(element, DELIVERED_AFTER_RECEIPT);
    }
    words[2] = count;
    lengths[2] = (size_t)snprintf(count, sizeof(count), "%zu", reply->length);
    long long bytes = redisFormatCommandArgv(&command, (int)used, words, lengths);
    require(bytes > 0, "out of memory");
    connection_send(drain->set->connections[who], command, (size_t)bytes);
    redisFreeCommand(command);
    drain->deletes[who] = true;
}

static void consumer_answered(struct drain *drain, unsigned who) {
    struct reply reply = connection_receive(drain->set->connections[who], "a consumer");
    if (!drain->deletes[who]) {
        consumer_delete(drain, who, &reply);
        return;
    }
    drain->left -= (unsigned)reply.length;
    if (drain->left) consumer_get(drain, who);
}

/* It is looked after before everybody else, so that no wait has the bench's own work in it. */
static void ping_again(struct drain *drain, struct latencies *latencies) {
    struct pollfd pinger = {.fd = connection_socket(drain->pinger), .events = POLLIN};
    if (poll(&pinger, 1, 0) != 1) return;
    connection_receive(drain->pinger, "PING");
    latencies_next(latencies);
    connection_ask(drain->pinger, "PING");
}

/* Returns the longest PING until all messages have been deleted. */
static double drain_ms(struct server *server, struct drain *drain) {
    struct latencies latencies = latencies_begin(server);
    connection_ask(drain->pinger, "PING");
    for (int64_t heard_ns = monotonic_ns(); drain->left;) {
        ping_again(drain, &latencies);
        int who = connection_set_next(drain->set, monotonic_ns() + LOOK_NS);
        if (who != NO_CONNECTION) {
            consumer_answered(drain, (unsigned)who);
            heard_ns = monotonic_ns();
        }
        require(monotonic_ns() - heard_ns < PATIENCE_NS, "%u messages were not delivered", drain->left);
    }
    connection_receive(drain->pinger, "PING");
    return latencies_longest_ms(&latencies);
}

static void measure_queue_due(const struct context *context) {
    unsigned messages = context->is_quick ? MESSAGES_QUICK : MESSAGES;
    struct server *server = server_start(context->options, LARGE_BATCHES);
    struct drain drain = {.left = messages};
    put_all(server, messages);
    drain.set = connection_set_open(server, CONSUMERS);
    drain.pinger = connection_open(server, 0);
    for (unsigned who = 0; who < CONSUMERS; who++) consumer_get(&drain, who);
    connection_call(drain.pinger, "PING");
    clock_go_on(server);
    int64_t before_ns = monotonic_ns();
    double longest_ms = drain_ms(server, &drain);
    add_fact(context, format_text("%u messages due at once: until all were deleted", messages),
             (double)(monotonic_ns() - before_ns) / 1e9, "s");
    add_pause_bar(context, format_text("%u messages due in one millisecond: longest PING", messages),
                  longest_ms, LONGEST_MS);
    connection_close(drain.pinger);
    connection_set_close(drain.set);
    server_stop(server);
}

/* --- A message's life --- */

enum { BATCHED_OPERATIONS = 256 };
#define PUT_WITH_AOF_MAX 1.3

static void measure_puts_with_aof(const struct context *context) {
    struct sequence_run run = {.fixture = fixture_open(context, WITH_AOF, sizes[0].objects, MESSAGE_BYTES)};
    const struct setting *setting = context_setting(
        context, (struct setting){.title = "messages of 100 B, pipeline 16, append-only file"});
    sequence_run_add(&run, setting, &queue_put, "queue:put")->starts_anew = true;
    sequence_run_add(&run, setting, &stream_put, "stream:put")->starts_anew = true;
    sequence_run_measure(&run);
    struct spread ratio =
        spread_of_ratios(results_need(context->results, setting, "QUEUE.PUT")->cpu_ns,
                         results_need(context->results, setting, "XADD")->cpu_ns, context->options->rounds);
    results_add_bar(context->results, ABOUT_AOF, "QUEUE.PUT / XADD, AOF", ratio.median, PUT_WITH_AOF_MAX,
                    "x");
    fixture_close(&run.fixture);
}

static void add_batched(struct sequence_run *run, const struct setting *setting,
                        const struct sequence *sequence, const char *key, const struct sequence *filler) {
    struct sequence_entry *entry = sequence_run_add(run, setting, sequence, key);
    entry->operations = BATCHED_OPERATIONS;
    entry->filler = filler;
}

static void measure_message_ratios(const struct context *context) {
    struct sequence_run run = {.fixture =
                                   fixture_open(context, LARGE_BATCHES, sizes[0].objects, MESSAGE_BYTES)};
    const struct setting *setting = context_setting(
        context,
        (struct setting){.title = format_text("messages of %s, pipeline %d", sizes[0].label, PIPELINE),
                         .objects = sizes[0].objects});
    sequence_run_add(&run, setting, &queue_put_take_delete, "queue");
    sequence_run_add(&run, setting, &stream_put_take_delete, "stream");
    sequence_run_add(&run, setting, &script_put_take_delete, "set");
    sequence_run_add(&run, setting, &list_put_take_delete, "list");
    sequence_run_add(&run, setting, &queue_put, "queue:put")->starts_anew = true;
    sequence_run_add(&run, setting, &stream_put, "stream:put")->starts_anew = true;
    sequence_run_add(&run, setting, &string_set, "");
    add_batched(&run, setting, &queue_take_delete_many, "queue:batch", &queue_put);
    add_batched(&run, setting, &stream_take_delete_many, "stream:batch", &stream_put);
    sequence_run_measure(&run);
    add_ratio_bars(context->results, setting);
    fixture_close(&run.fixture);
}

/* --- Few messages and very many --- */

enum { DEPTHS = 4 };
#define FLAT_MAX 1.3

static const struct depth {
    unsigned messages;
    const char *label;
} depths[DEPTHS] = {
    {1000, "a thousand"}, {100000, "100 thousand"}, {MILLION, "a million"}, {5 * MILLION, "5 million"}};

/* Each depth has a key of its own, all in one server. The last and the first are compared. */
static void measure_depths(const struct context *context, const struct sequence *sequence,
                           const struct sequence *filler, const char *what, unsigned count, double limit) {
    struct sequence_run run = {.fixture = fixture_open(context, "", sizes[0].objects, MESSAGE_BYTES)};
    const struct setting *settings[DEPTHS];
    for (unsigned i = 0; i < count; i++) {
        char *key = format_text("depth:%u", depths[i].messages);
        settings[i] = context_setting(
            context, (struct setting){.title = format_text("%s messages %s", depths[i].label, what),
                                      .objects = depths[i].messages});
        sequence_run_add(&run, settings[i], sequence, key);
        sequence_fill(run.fixture.data, filler, key, depths[i].messages);
    }
    sequence_run_measure(&run);
    add_bar(context, ABOUT_QUEUES,
            format_text("%s, %s %s / %s", sequence->name, depths[count - 1].label, what, depths[0].label),
            growth_of(context, sequence->name, settings[0], settings[count - 1]), limit, "x");
    fixture_close(&run.fixture);
}

void measure_queues(const struct context *context) {
    measure_message_ratios(context);
    measure_puts_with_aof(context);
    unsigned count = context->is_quick ? DEPTHS - 1 : DEPTHS;
    measure_depths(context, &queue_put_take_delete, &queue_put, "visible", count, FLAT_MAX);
    measure_depths(context, &queue_put_take_delete, &queue_put_later, "invisible", count, FLAT_MAX);
    /* To fill these takes long, and there is no bar. */
    measure_depths(context, &script_put_take_delete, &script_put, "visible", count - 1, 0);
    measure_queue_memory(context);
    measure_queue_due(context);
}
