/* Workers that crash, stall past their window and come back, against a model that is as naive as can be, while the
 * clock makes steps of all sizes. The model foretells which messages a worker gets, in which order, how often they were
 * delivered and which receipts are good, to the millisecond: between its steps the clock stands still. In the end all
 * that was put and did not expire has been delivered, and nothing is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "messages.h"
#include "one_moment.h"
#include "pool.h"
#include "queue_model.h"
#include "random.h"
#include "same_everywhere.h"

enum {
    WORKERS = 5,
    STEPS = 3000,
    STEPS_BETWEEN_LOOKS = 750,
    MESSAGES = STEPS * 3,
    HELD_MAX = 12,
    TAKEN_MAX = 4,
    GROUPS = 3,
    SECOND_MS = 1000,
    MINUTE_MS = 60 * SECOND_MS
};

struct parcel_held {
    char id[MODEL_ID_SIZE], receipt[MODEL_ID_SIZE];
};

static struct worker {
    struct client *client;
    struct parcel_held held[HELD_MAX];
    int holds;
    long long stalls_until_ms;
} workers[WORKERS];

/* What a sequence is about; and where it is. */
static bool groups_are_used, letters_die;
static int numbers, max_deliveries;
static struct queue_model model;

/* Of each message that was put, by the number that is its text. */
static struct { bool delivered, expires; } messages[MESSAGES];
static long long now_ms;

/* Whether it was worth playing. */
static struct { int gets, redeliveries, crashes, stalls, stale, expiries, deaths, redriven; } seen;

/* --- What the model says ----------------------------------------------------------------------------------- */

/* Removes what has expired, and tells dead letters from messages, as the server does with its next write. */
static void end_what_is_due(void) {
    for (size_t i = model.count; i-- > 0;) {
        struct model_message *message = &model.messages[i];
        if (message->stage == MODEL_DEAD || queue_model_is_living(message, now_ms)) continue;
        if (queue_model_is_dead(message, now_ms)) {
            message->stage = MODEL_DEAD;
            message->turn = 0;
            seen.deaths++;
        } else {
            queue_model_take_out(&model, message);
            seen.expiries++;
        }
    }
}

/* The clock makes a step, and stops. */
static void let_time_pass(long long ms) {
    time_passes(ms);
    now_ms = stop_clock();
    end_what_is_due();
}

/* The messages that a consumer may see, or the dead letters, in their order. */
static struct {
    const struct model_message *message[MODEL_MESSAGES_MAX];
    size_t count;
} list;

static void list_all(bool dead) {
    list.count = queue_model_list(&model, dead, now_ms, list.message);
}

static size_t count_living(void) {
    size_t count = 0;
    for (size_t i = 0; i < model.count; i++) count += queue_model_is_living(&model.messages[i], now_ms);
    return count;
}

/* --- How the server is asked ------------------------------------------------------------------------------- */

/* Of a group those that have expired stand in the way until somebody has removed them, so somebody does. */
static redisReply *ask(struct client *client, const char *line) {
    if (groups_are_used) expect_number(call(primary, "QUEUE.REDRIVE jobs IDS 1 none"), 0);
    return call_line(client, line);
}

static void note(char *place, const redisReply *text) {
    require(text->len < MODEL_ID_SIZE, "%s is too long", text->str);
    memset(place, 0, MODEL_ID_SIZE);
    memcpy(place, text->str, text->len);
}

/* --- What workers do --------------------------------------------------------------------------------------- */

static long long some_ms(int minutes) {
    return random_below(3) ? (long long)random_below(minutes * 60) * SECOND_MS + SECOND_MS
                           : 1 + random_below(minutes * MINUTE_MS);
}

static const char *seconds(long long ms) {
    return pool_print("%lld.%03lld", ms / SECOND_MS, ms % SECOND_MS);
}

static void play_put(struct worker *worker) {
    require(numbers < MESSAGES, "too many messages");
    long long delay_ms = random_below(3) ? 0 : some_ms(3),
              life_ms = random_below(2) ? 0 : delay_ms + some_ms(15) + SECOND_MS;
    int group = groups_are_used && random_below(4) ? 1 + random_below(GROUPS) : 0;
    const char *line = pool_print("QUEUE.PUT jobs %d VISIBILITY %s TTL %s", numbers, seconds(delay_ms),
                                  life_ms ? seconds(life_ms) : "-1");
    redisReply *put = ask(worker->client, group ? pool_print("%s GROUP %d", line, group) : line);
    struct model_message *message = queue_model_add(&model);
    message->inserted_ms = now_ms;
    message->visible_ms = now_ms + delay_ms;
    message->expires_ms = life_ms ? now_ms + life_ms : MODEL_FOREVER_MS;
    message->length = (size_t)snprintf(message->text, sizeof(message->text), "%d", numbers);
    if (group) message->group[0] = (char)('0' + group);
    note(message->id, field(put, "id"));
    note(message->receipt, field(put, "receipt"));
    expect_number(field(put, "inserted"), now_ms);
    expect_number(field(put, "visible-at"), message->visible_ms);
    expect_number(field(put, "expires"), message->expires_ms);
    messages[numbers++].expires = life_ms;
    queue_model_go_behind(&model, message);
}

static void hold(struct worker *worker, const struct model_message *message) {
    struct parcel_held *parcel = &worker->held[worker->holds++];
    memcpy(parcel->id, message->id, sizeof(parcel->id));
    memcpy(parcel->receipt, message->receipt, sizeof(parcel->receipt));
}

static void deliver(struct worker *worker, struct model_message *message, long long window_ms,
                    const redisReply *got) {
    message->deliveries++;
    messages[atoi(message->text)].delivered = true;
    message->visible_ms = now_ms + window_ms;
    message->turn = 0;
    bool last = max_deliveries && message->deliveries >= (uint32_t)max_deliveries;
    message->stage = last ? MODEL_LAST : MODEL_QUEUED;
    expect_text(field(got, "message"), message->text);
    expect_text(field(got, "id"), message->id);
    expect_number(field(got, "dequeue-count"), message->deliveries);
    expect_number(field(got, "inserted"), message->inserted_ms);
    expect_number(field(got, "expires"), message->expires_ms);
    expect_number(field(got, "visible-at"), message->visible_ms);
    assert_string_not_equal(field(got, "receipt")->str, message->receipt);
    note(message->receipt, field(got, "receipt"));
    hold(worker, message);
    seen.gets++;
    seen.redeliveries += message->deliveries > 1;
}

static void play_get(struct worker *worker) {
    size_t max = 1 + random_size(TAKEN_MAX);
    if (worker->holds + (int)max > HELD_MAX) return;
    long long window_ms = SECOND_MS + some_ms(5);
    redisReply *got =
        ask(worker->client, pool_print("QUEUE.GET jobs COUNT %zu VISIBILITY %s", max, seconds(window_ms)));
    list_all(false);
    size_t count = list.count < max ? list.count : max;
    expect_elements(got, count);
    for (size_t i = 0; i < count; i++)
        deliver(worker, (struct model_message *)list.message[i], window_ms, got->element[i]);
}

/* Whatever it is that a worker does with a message that it has, or once had. Answers the message when it may. */
static struct model_message *claim(struct worker *worker, const char *verb, const char *rest,
                                   redisReply **reply) {
    struct parcel_held *parcel = &worker->held[random_below(worker->holds)], held = *parcel;
    struct model_message *message = queue_model_find(&model, held.id);
    *parcel = worker->held[--worker->holds];
    *reply = ask(worker->client, pool_print("QUEUE.%s jobs %s %s %s", verb, held.id, held.receipt, rest));
    bool owned = message && queue_model_is_living(message, now_ms) && !strcmp(message->receipt, held.receipt);
    if (owned) return message;
    expect_error(*reply, GONE);
    seen.stale++;
    return NULL;
}

static void play_delete(struct worker *worker) {
    redisReply *reply;
    struct model_message *message = claim(worker, "DELETE", "", &reply);
    if (!message) return;
    expect_ok(reply);
    queue_model_take_out(&model, message);
}

static void play_update(struct worker *worker) {
    redisReply *reply;
    long long window_ms = random_below(4) ? some_ms(5) : 0;
    struct model_message *message =
        claim(worker, "UPDATE", pool_print("VISIBILITY %s", seconds(window_ms)), &reply);
    if (!message) return;
    message->visible_ms = now_ms + window_ms;
    message->turn = 0;
    if (!window_ms) queue_model_go_behind(&model, message);
    expect_number(field(reply, "visible-at"), message->visible_ms);
    note(message->receipt, field(reply, "receipt"));
    hold(worker, message);
    end_what_is_due(); /* its last window may be over now */
}

static void play_release(struct worker *worker) {
    redisReply *reply;
    long long delay_ms = random_below(2) ? some_ms(2) : 0;
    struct model_message *message =
        claim(worker, "RELEASE", pool_print("VISIBILITY %s", seconds(delay_ms)), &reply);
    if (!message) return;
    expect_ok(reply);
    bool dies = message->stage == MODEL_LAST;
    message->stage = dies ? MODEL_DEAD : MODEL_QUEUED;
    message->visible_ms = dies ? now_ms : now_ms + delay_ms;
    message->turn = 0;
    if (!dies && !delay_ms) queue_model_go_behind(&model, message);
    message->receipt[0] = '\0';
    seen.deaths += dies;
}

/* It knows nothing any more of what it had. */
static void play_crash(struct worker *worker) {
    client_close(worker->client);
    *worker = (struct worker){.client = client_open(primary->server)};
    seen.crashes++;
}

static void play_stall(struct worker *worker) {
    worker->stalls_until_ms = now_ms + some_ms(8);
    seen.stalls++;
}

static void play_clock(struct worker *worker) {
    (void)worker;
    let_time_pass(random_below(4) ? some_ms(2) : random_below(3));
}

static void play_redrive(struct worker *worker) {
    size_t max = 1 + random_size(5);
    redisReply *reply = ask(worker->client, pool_print("QUEUE.REDRIVE jobs COUNT %zu", max));
    list_all(true);
    size_t count = list.count < max ? list.count : max;
    expect_number(reply, (long long)count);
    for (size_t i = 0; i < count; i++) {
        list_all(true);
        const struct model_message *dead = list.message[0];
        int64_t inserted_ms = dead->inserted_ms;
        struct model_message *message = queue_model_redrive(&model, dead, now_ms);
        if (message->expires_ms != MODEL_FOREVER_MS) message->expires_ms += now_ms - inserted_ms;
        queue_model_go_behind(&model, message);
        message->receipt[0] = '\0';
        seen.redriven++;
    }
}

static void play_configure(struct worker *worker) {
    if (!letters_die) return;
    int max = random_below(4);
    expect_ok(ask(worker->client, pool_print("QUEUE.CONFIGURE jobs MAXDELIVERIES %d", max)));
    max_deliveries = max;
}

static void expect_dead(const redisReply *shown) {
    list_all(true);
    require(list.count == shown->elements, "%zu are dead, %zu are shown", list.count, shown->elements);
    for (size_t i = 0; i < list.count; i++) {
        const struct model_message *message = list.message[i];
        expect_text(field(shown->element[i], "message"), message->text);
        expect_number(field(shown->element[i], "dequeue-count"), message->deliveries);
        expect_number(field(shown->element[i], "died"), message->visible_ms);
    }
}

static const struct model_message *oldest(void) {
    for (size_t i = 0; i < model.count; i++)
        if (queue_model_is_living(&model.messages[i], now_ms)) return &model.messages[i];
    return NULL;
}

static void play_look(struct worker *worker) {
    enum { PEEKED = 32 };
    redisReply *stat = ask(worker->client, "QUEUE.STAT jobs");
    long long living = (long long)count_living();
    if (letters_die) expect_dead(ask(worker->client, "QUEUE.DEAD jobs COUNT 1000"));
    list_all(false);
    expect_number(field(stat, "messages"), living);
    expect_number(field(stat, "visible"), (long long)list.count);
    expect_number(field(stat, "invisible"), living - (long long)list.count);
    if (living) expect_number(field(stat, "oldest-ms"), now_ms - oldest()->inserted_ms);
    redisReply *peeked = ask(worker->client, "QUEUE.PEEK jobs COUNT 32");
    expect_elements(peeked, list.count < PEEKED ? list.count : PEEKED);
    for (size_t i = 0; i < peeked->elements; i++)
        expect_text(field(peeked->element[i], "message"), list.message[i]->text);
}

/* --- Sequences --------------------------------------------------------------------------------------------- */

static void play_step(void) {
    static const struct {
        int weight;
        bool with_message;
        void (*play)(struct worker *worker);
    } plays[] = {{22, false, play_put},    {26, false, play_get},     {16, true, play_delete},
                 {6, true, play_update},   {6, true, play_release},   {2, false, play_crash},
                 {3, false, play_stall},   {12, false, play_clock},   {4, false, play_look},
                 {2, false, play_redrive}, {1, false, play_configure}};
    int drawn = random_below(100);
    size_t index = 0;
    struct worker *worker = &workers[random_below(WORKERS)];
    while (drawn >= plays[index].weight) drawn -= plays[index++].weight;
    bool stalls = worker->stalls_until_ms > now_ms && plays[index].play != play_clock;
    if (stalls || (plays[index].with_message && !worker->holds)) return;
    plays[index].play(worker);
}

/* The workers that are left take everything until nothing is there, as long as that takes. */
static void drain(void) {
    struct worker *worker = &workers[0];
    for (int turn = 0; model.count; turn++) {
        require(turn < MESSAGES, "there is no end to it");
        worker->holds = 0;
        worker->stalls_until_ms = 0;
        play_get(worker);
        if (!worker->holds) let_time_pass(MINUTE_MS);
        if (!worker->holds && model.count != count_living()) play_redrive(worker);
        while (worker->holds) play_delete(worker);
    }
    time_passes(0);
    expect_depth(0, 0);
    for (int number = 0; number < numbers; number++)
        require(messages[number].delivered || messages[number].expires, "%d was never delivered", number);
}

static void look_elsewhere(void) {
    expect_ok(call(primary, "DEBUG RELOAD"));
    await_replicas();
    require_same(primary, chained, "in the middle");
}

static void forget_workers(void *target) {
    (void)target;
    for (int i = 0; i < WORKERS; i++) client_close(workers[i].client);
    memset(workers, 0, sizeof(workers));
}

static void play_sequence(bool groups, bool deaths) {
    random_begin();
    memset(&seen, 0, sizeof(seen));
    groups_are_used = groups;
    letters_die = deaths;
    numbers = 0;
    memset(&model, 0, sizeof(model));
    memset(messages, 0, sizeof(messages));
    max_deliveries = deaths ? 2 : 0;
    queue_setup(pool_print("MAXDELIVERIES %d", max_deliveries));
    let_time_pass(0);
    configure(primary, "holdfast.queue-max-count", "1000");
    pool_keep(workers, forget_workers);
    for (int i = 0; i < WORKERS; i++) workers[i].client = client_open(primary->server);
    for (int step = 0; step < STEPS; step++) {
        play_step();
        if (step % STEPS_BETWEEN_LOOKS == STEPS_BETWEEN_LOOKS - 1) look_elsewhere();
    }
    drain();
    print_message(
        "# %d messages, %d gets, %d redeliveries, %d crashes, %d stalls, %d stale receipts, %d expiries, "
        "%d deaths, %d redriven\n",
        numbers, seen.gets, seen.redeliveries, seen.crashes, seen.stalls, seen.stale, seen.expiries,
        seen.deaths, seen.redriven);
    assert_true(seen.redeliveries > 20 && seen.crashes > 5 && seen.stalls > 5 && seen.stale > 10 &&
                seen.expiries > 10);
    assert_true(!deaths == !seen.deaths && !deaths == !seen.redriven);
}

TEST(workers_crash_stall_and_come_back) {
    play_sequence(false, false);
}

TEST(workers_of_a_queue_with_dead_letters) {
    play_sequence(false, true);
}

TEST(workers_of_a_queue_with_groups) {
    play_sequence(true, false);
}

TEST(workers_of_a_queue_with_both) {
    play_sequence(true, true);
}
