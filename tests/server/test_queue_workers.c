/*
 * Workers that crash, stall past their window and come back, with a clock that makes steps of all sizes, against a
 * model that is as naive as can be: a list of messages, gone through from end to end for every question. Which
 * messages a worker gets, in which order, how often they were delivered and which receipts are good: all of it is
 * foretold, to the millisecond: between its steps the clock stands. In the end everything that was put and did not
 * expire has been delivered, and nothing is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "leases.h"
#include "messages.h"
#include "one_moment.h"
#include "pool.h"
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

/* What is written of instants that never come. */
#define FOREVER_MS 253402300799000LL

enum state { ABSENT, LIVING, DEAD };

static struct message {
    char id[40], receipt[40];
    enum state state;
    int group; /* 0 for none */
    int order, turn, deliveries;
    bool last; /* dies with its window, or when it is given back */
    bool delivered;
    long long inserted_ms, expires_ms, shows_ms;
} messages[MESSAGES];

struct parcel_held {
    int number;
    char receipt[40];
};

static struct worker {
    struct client *client;
    struct parcel_held held[HELD_MAX];
    int holds;
    long long stalls_until_ms;
} workers[WORKERS];

/* What a sequence is about; and where it is. */
static bool groups_are_used, letters_die;
static int numbers, orders, max_deliveries;
static long long now_ms;

/* Whether it was worth playing. */
static struct { int gets, redeliveries, crashes, stalls, stale, expiries, deaths, redriven; } seen;

/* --- What the model says ----------------------------------------------------------------------------------- */

/* What time has ended by now. */
static void end_what_is_over(void) {
    for (int number = 0; number < numbers; number++) {
        struct message *message = &messages[number];
        if (message->state != LIVING) continue;
        bool dies = message->last && message->shows_ms < message->expires_ms && message->shows_ms <= now_ms;
        bool expires = message->expires_ms <= now_ms;
        if (dies) {
            message->state = DEAD;
            seen.deaths++;
        } else if (expires) {
            message->state = ABSENT;
            seen.expiries++;
        }
    }
}

/* The clock makes a step, and stands. */
static void let_time_pass(long long ms) {
    time_passes(ms);
    now_ms = stop_clock();
    end_what_is_over();
}

static bool stands_behind(const struct message *message) {
    if (!message->group) return false;
    for (int number = 0; number < numbers; number++) {
        const struct message *other = &messages[number];
        if (other->state == LIVING && other->group == message->group && other->order < message->order)
            return true;
    }
    return false;
}

static bool is_visible(const struct message *message) {
    return message->state == LIVING && message->shows_ms <= now_ms && !stands_behind(message);
}

static bool is_dead(const struct message *message) {
    return message->state == DEAD;
}

static bool comes_before(const struct message *one, const struct message *other) {
    if (one->shows_ms != other->shows_ms) return one->shows_ms < other->shows_ms;
    return one->turn != other->turn ? one->turn < other->turn : one->order < other->order;
}

static bool will_show(const struct message *message) {
    bool ends = message->last && message->shows_ms < message->expires_ms;
    return message->state == LIVING && message->shows_ms < message->expires_ms && !ends &&
           !stands_behind(message);
}

/* The message gets behind all that show when it does. */
static void go_behind(struct message *message) {
    const struct message *last = NULL;
    message->turn = 0;
    if (!will_show(message)) return;
    for (int number = 0; number < numbers; number++) {
        const struct message *other = &messages[number];
        bool equal = other != message && other->shows_ms == message->shows_ms && will_show(other);
        if (equal && (!last || comes_before(last, other))) last = other;
    }
    if (last) message->turn = last->turn + (last->order > message->order);
}

/* The first so many by the instant at which they came to be so; answers how many there are. */
static int first_numbers(bool (*is_one)(const struct message *message), int *found, int max) {
    int count = 0;
    for (int number = 0; number < numbers; number++) {
        if (!is_one(&messages[number])) continue;
        int place = count;
        while (place && comes_before(&messages[number], &messages[found[place - 1]])) place--;
        if (place == max) continue;
        if (count < max) count++;
        memmove(found + place + 1, found + place, (size_t)(count - place - 1) * sizeof *found);
        found[place] = number;
    }
    return count;
}

static int count_of(bool (*is_one)(const struct message *message)) {
    int count = 0;
    for (int number = 0; number < numbers; number++) count += is_one(&messages[number]);
    return count;
}

static bool is_living(const struct message *message) {
    return message->state == LIVING;
}

static const struct message *oldest(void) {
    const struct message *first = NULL;
    for (int number = 0; number < numbers; number++) {
        const struct message *message = &messages[number];
        if (message->state == LIVING && (!first || message->order < first->order)) first = message;
    }
    return first;
}

/* --- How the server is asked ------------------------------------------------------------------------------- */

/* Of a group those that have expired stand in the way until somebody has removed them, so somebody does. */
static redisReply *ask(struct client *client, const char *line) {
    if (groups_are_used) expect_number(call(primary, "QUEUE.REDRIVE jobs IDS 1 none"), 0);
    return call_line(client, line);
}

static void note(char *place, const redisReply *text) {
    require(text->len < 40, "%s is too long", text->str);
    memcpy(place, text->str, text->len + 1);
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
    struct message *message = &messages[numbers];
    long long delay_ms = random_below(3) ? 0 : some_ms(3),
              life_ms = random_below(2) ? 0 : delay_ms + some_ms(15) + SECOND_MS;
    int group = groups_are_used && random_below(4) ? 1 + random_below(GROUPS) : 0;
    const char *line = pool_print("QUEUE.PUT jobs %d VISIBILITY %s TTL %s", numbers, seconds(delay_ms),
                                  life_ms ? seconds(life_ms) : "-1");
    redisReply *put = ask(worker->client, group ? pool_print("%s GROUP %d", line, group) : line);
    *message = (struct message){.state = LIVING, .group = group, .order = orders++, .inserted_ms = now_ms};
    message->shows_ms = now_ms + delay_ms;
    message->expires_ms = life_ms ? now_ms + life_ms : FOREVER_MS;
    note(message->id, field(put, "id"));
    note(message->receipt, field(put, "receipt"));
    expect_number(field(put, "inserted"), now_ms);
    expect_number(field(put, "visible-at"), message->shows_ms);
    expect_number(field(put, "expires"), message->expires_ms);
    go_behind(message);
    numbers++;
}

static void deliver(struct worker *worker, int number, long long window_ms, const redisReply *got) {
    struct message *message = &messages[number];
    message->deliveries++;
    message->delivered = true;
    message->shows_ms = now_ms + window_ms;
    message->turn = 0;
    message->last = max_deliveries && message->deliveries >= max_deliveries;
    expect_text(field(got, "message"), pool_print("%d", number));
    expect_text(field(got, "id"), message->id);
    expect_number(field(got, "dequeue-count"), message->deliveries);
    expect_number(field(got, "inserted"), message->inserted_ms);
    expect_number(field(got, "expires"), message->expires_ms);
    expect_number(field(got, "visible-at"), message->shows_ms);
    assert_string_not_equal(field(got, "receipt")->str, message->receipt);
    note(message->receipt, field(got, "receipt"));
    struct parcel_held *parcel = &worker->held[worker->holds++];
    parcel->number = number;
    memcpy(parcel->receipt, message->receipt, sizeof parcel->receipt);
    seen.gets++;
    seen.redeliveries += message->deliveries > 1;
}

static void play_get(struct worker *worker) {
    int max = 1 + random_below(TAKEN_MAX), foretold[TAKEN_MAX + 1];
    if (worker->holds + max > HELD_MAX) return;
    long long window_ms = SECOND_MS + some_ms(5);
    redisReply *got =
        ask(worker->client, pool_print("QUEUE.GET jobs COUNT %d VISIBILITY %s", max, seconds(window_ms)));
    int count = first_numbers(is_visible, foretold, max);
    expect_elements(got, (size_t)count);
    for (int index = 0; index < count; index++)
        deliver(worker, foretold[index], window_ms, got->element[index]);
}

/* Whatever it is that a worker does with a message that it has, or once had. Answers the message when it may. */
static struct message *claim(struct worker *worker, const char *verb, const char *rest, redisReply **reply) {
    struct parcel_held *parcel = &worker->held[random_below(worker->holds)], held = *parcel;
    struct message *message = &messages[held.number];
    *parcel = worker->held[--worker->holds];
    *reply = ask(worker->client, pool_print("QUEUE.%s jobs %s %s %s", verb, message->id, held.receipt, rest));
    if (message->state == LIVING && !strcmp(message->receipt, held.receipt)) return message;
    expect_error(*reply, GONE);
    seen.stale++;
    return NULL;
}

static void play_delete(struct worker *worker) {
    redisReply *reply;
    struct message *message = claim(worker, "DELETE", "", &reply);
    if (!message) return;
    expect_ok(reply);
    message->state = ABSENT;
}

static void play_update(struct worker *worker) {
    redisReply *reply;
    long long window_ms = random_below(4) ? some_ms(5) : 0;
    struct message *message =
        claim(worker, "UPDATE", pool_print("VISIBILITY %s", seconds(window_ms)), &reply);
    if (!message) return;
    message->shows_ms = now_ms + window_ms;
    message->turn = 0;
    if (!window_ms) go_behind(message);
    expect_number(field(reply, "visible-at"), message->shows_ms);
    note(message->receipt, field(reply, "receipt"));
    end_what_is_over(); /* its last window, if that is over now */
    struct parcel_held *parcel = &worker->held[worker->holds++];
    parcel->number = (int)(message - messages);
    memcpy(parcel->receipt, message->receipt, sizeof parcel->receipt);
}

static void play_release(struct worker *worker) {
    redisReply *reply;
    long long delay_ms = random_below(2) ? some_ms(2) : 0;
    struct message *message =
        claim(worker, "RELEASE", pool_print("VISIBILITY %s", seconds(delay_ms)), &reply);
    if (!message) return;
    expect_ok(reply);
    bool dies = message->last;
    message->state = dies ? DEAD : LIVING;
    message->shows_ms = dies ? now_ms : now_ms + delay_ms;
    message->last = false;
    message->turn = 0;
    if (!dies && !delay_ms) go_behind(message);
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
    enum { MAX = 5 };
    int found[MAX + 1], max = 1 + random_below(MAX);
    redisReply *reply = ask(worker->client, pool_print("QUEUE.REDRIVE jobs COUNT %d", max));
    int count = first_numbers(is_dead, found, max);
    expect_number(reply, count);
    for (int index = 0; index < count; index++) {
        struct message *message = &messages[found[index]];
        if (message->expires_ms != FOREVER_MS) message->expires_ms += now_ms - message->inserted_ms;
        message->inserted_ms = message->shows_ms = now_ms;
        message->state = LIVING;
        message->order = orders++;
        message->deliveries = 0;
        message->last = false;
        go_behind(message);
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
    static int found[MESSAGES + 1];
    int count = first_numbers(is_dead, found, (int)shown->elements + 1);
    require(count == (int)shown->elements, "%d are dead, %zu are shown", count, shown->elements);
    for (int index = 0; index < count; index++) {
        const struct message *message = &messages[found[index]];
        expect_text(field(shown->element[index], "message"), pool_print("%d", found[index]));
        expect_number(field(shown->element[index], "dequeue-count"), message->deliveries);
        expect_number(field(shown->element[index], "died"), message->shows_ms);
    }
}

static void play_look(struct worker *worker) {
    redisReply *stat = ask(worker->client, "QUEUE.STAT jobs");
    int living = count_of(is_living), visible = count_of(is_visible);
    expect_number(field(stat, "messages"), living);
    expect_number(field(stat, "visible"), visible);
    expect_number(field(stat, "invisible"), living - visible);
    if (living) expect_number(field(stat, "oldest-ms"), now_ms - oldest()->inserted_ms);
    if (letters_die) expect_dead(ask(worker->client, "QUEUE.DEAD jobs COUNT 1000"));
    enum { PEEKED = 32 };
    int foretold[PEEKED + 1];
    redisReply *peeked = ask(worker->client, "QUEUE.PEEK jobs COUNT 32");
    int count = first_numbers(is_visible, foretold, PEEKED);
    expect_elements(peeked, (size_t)count);
    for (int index = 0; index < count; index++)
        expect_text(field(peeked->element[index], "message"), pool_print("%d", foretold[index]));
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

/* Whoever is left takes everything until nothing is there, as long as it takes. */
static void drain(void) {
    struct worker *worker = &workers[0];
    for (int turn = 0; count_of(is_living) || count_of(is_dead); turn++) {
        require(turn < MESSAGES, "there is no end to it");
        worker->holds = 0;
        worker->stalls_until_ms = 0;
        play_get(worker);
        if (!worker->holds) let_time_pass(MINUTE_MS);
        if (!worker->holds && count_of(is_dead)) play_redrive(worker);
        while (worker->holds) play_delete(worker);
    }
    time_passes(0);
    expect_depth(0, 0);
    for (int number = 0; number < numbers; number++)
        require(messages[number].delivered || messages[number].expires_ms != FOREVER_MS,
                "%d was never delivered", number);
}

static void look_elsewhere(void) {
    expect_ok(call(primary, "DEBUG RELOAD"));
    await_replicas();
    require_same(primary, chained, "in the middle");
}

static void forget_workers(void *thing) {
    (void)thing;
    for (int index = 0; index < WORKERS; index++) client_close(workers[index].client);
    memset(workers, 0, sizeof workers);
}

static void play_sequence(bool groups, bool deaths) {
    random_begin();
    memset(&seen, 0, sizeof seen);
    groups_are_used = groups;
    letters_die = deaths;
    numbers = orders = 0;
    max_deliveries = deaths ? 2 : 0;
    queue_setup(pool_print("MAXDELIVERIES %d", max_deliveries));
    let_time_pass(0);
    configure(primary, "holdfast.queue-max-count", "1000");
    pool_keep(workers, forget_workers);
    for (int index = 0; index < WORKERS; index++) workers[index].client = client_open(primary->server);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN(workers_crash_stall_and_come_back),
        RUN(workers_of_a_queue_with_dead_letters),
        RUN(workers_of_a_queue_with_groups),
        RUN(workers_of_a_queue_with_both),
    };
    return harness_run("queue_workers", tests);
}
