/* Clients that wait: for a lease, how it is handed over, and what it would be to ask again and again; for a message or a
 * change, until they know of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* --- Handed over --- */

/* One lease that goes from client to client: whoever has it gives it back and gets in line again. A hop is what
 * that costs, and how long it takes until the next in line knows. PINGs sent in the same way tell what the
 * machine has to do with it. */

enum { LINES = 4, HOPS = 500, ROUNDS_MAX = 20, AIMED_AT = 1000 };
#define HOP_P99_MS 1
#define FLAT_MAX   1.3

static const unsigned lengths[LINES] = {10, 100, AIMED_AT, 10000};

/* By round: what else the machine does at times falls into some of them only. */
struct hop_times {
    double cpu_us[ROUNDS_MAX], median_ms[ROUNDS_MAX], p99_ms[ROUNDS_MAX];
};

struct line {
    const struct connection_set *set;
    unsigned length, first; /* these of the set */
    unsigned holder;        /* counted from first */
    struct hop_times times;
};

/* Each line has a container of its own. */
static void line_acquire(const struct line *line, unsigned who) {
    connection_ask(line->set->connections[line->first + who],
                   "LEASE.ACQUIRE line:%u -1 BLOB lock ID %s BLOCK 0", line->length, holder_id(who));
}

static struct line line_make(struct server *server, const struct connection_set *set, unsigned first,
                             unsigned length) {
    struct line line = {.set = set, .length = length, .first = first};
    server_tell(server, "CONTAINER.CREATE line:%u", length);
    server_tell(server, "BLOB.PUT line:%u lock x", length);
    /* One holds it, so the others are as many as the line is to be long. */
    for (unsigned who = 0; who <= length; who++) {
        line_acquire(&line, who);
        if (!who) connection_receive(set->connections[first], "LEASE.ACQUIRE");
    }
    return line;
}

/* Nobody but the next in line is listened to, so a wrong order would come to light. */
static double hop_once(void *context) {
    struct line *line = context;
    unsigned next = (line->holder + 1) % (line->length + 1);
    struct connection **connections = line->set->connections + line->first;
    int64_t before = monotonic_ns();
    connection_ask(connections[line->holder], "LEASE.RELEASE line:%u %s BLOB lock", line->length,
                   holder_id(line->holder));
    connection_receive(connections[next], "LEASE.ACQUIRE");
    int64_t after = monotonic_ns();
    connection_receive(connections[line->holder], "LEASE.RELEASE");
    line_acquire(line, line->holder);
    line->holder = next;
    return (double)(after - before) / 1e6;
}

static double ping_once(void *context) {
    int64_t before = monotonic_ns();
    connection_call(context, "PING");
    return (double)(monotonic_ns() - before) / 1e6;
}

static void hops_measure(struct server *server, struct hop_times *times, unsigned round,
                         double (*step)(void *context), void *context) {
    double ms[HOPS];
    server_settle();
    int64_t before = server_cpu_ns(server);
    for (unsigned count = 0; count < HOPS; count++) ms[count] = step(context);
    server_settle();
    times->cpu_us[round] = (double)(server_cpu_ns(server) - before) / 1e3 / HOPS;
    times->median_ms[round] = percentile(ms, HOPS, 0.5);
    times->p99_ms[round] = percentile(ms, HOPS, 0.99);
}

static void add_hop_facts(const struct context *context, const char *name, const struct hop_times *times,
                          unsigned rounds, bool is_aside) {
    (is_aside ? add_aside : add_fact)(context, format_text("%s: CPU", name),
                                      spread_of(times->cpu_us, rounds).median, "us");
    add_aside(context, format_text("%s: time, median", name), spread_of(times->median_ms, rounds).median,
              "ms");
    add_aside(context, format_text("%s: time, p99", name), spread_of(times->p99_ms, rounds).median, "ms");
}

static void add_hand_over_bars(struct results *results, const struct line *shortest, const struct line *line,
                               unsigned rounds) {
    if (line->length == AIMED_AT)
        results_add_bar(results, ABOUT_LEASES, format_text("hand-over with %u in line, p99", line->length),
                        spread_of(line->times.p99_ms, rounds).median, HOP_P99_MS, "ms");
    if (line != shortest)
        results_add_bar(results, ABOUT_LEASES,
                        format_text("CPU per hand-over, %u in line / %u", line->length, shortest->length),
                        spread_of_ratios(line->times.cpu_us, shortest->times.cpu_us, rounds).median, FLAT_MAX,
                        "x");
}

/* As many lines as connections allow; returns how many people are in them. */
static unsigned lines_plan(unsigned *firsts, unsigned *count) {
    unsigned people = 0;
    for (*count = 0; *count < LINES; ++*count) {
        unsigned more = people + lengths[*count] + 1;
        if (connection_limit(more) < more) break;
        firsts[*count] = people;
        people = more;
    }
    return people;
}

void measure_handover(const struct context *context) {
    unsigned rounds = context->options->rounds < ROUNDS_MAX ? context->options->rounds : ROUNDS_MAX;
    unsigned firsts[LINES], count;
    unsigned people = lines_plan(firsts, &count);
    struct server *server = server_start(context->options, "maxclients 20000\n");
    struct connection_set *set = connection_set_open(server, people);
    struct connection *idler = connection_open_small(server);
    struct hop_times pings;
    struct line *lines = allocate(LINES, sizeof(*lines));
    for (unsigned i = 0; i < count; i++) lines[i] = line_make(server, set, firsts[i], lengths[i]);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < count; i++)
            hops_measure(server, &lines[i].times, round, hop_once, &lines[i]);
        hops_measure(server, &pings, round, ping_once, idler);
    }
    for (unsigned i = 0; i < count; i++) {
        add_hop_facts(context, format_text("%u in line", lines[i].length), &lines[i].times, rounds, false);
        add_hand_over_bars(context->results, lines, &lines[i], rounds);
    }
    add_hop_facts(context, "PING, for comparison", &pings, rounds, true);
    free(lines);
    connection_close(idler);
    connection_set_close(set);
    server_stop(server);
}

/* --- Messages and changes, told to one who waits --- */

/* One message or one change at a time, until a client that waits for it knows, next to the
 * hand-over of an element of a list. */

enum { TELLINGS = 500, DELAY_ROUNDS = 20, DELAY_ROUNDS_QUICK = 8, MESSAGE_BYTES = 100, BOOKMARK_BYTES = 80 };
#define DELAY_MAX 1.2

struct pair {
    struct connection *producer, *consumer;
    char content[MESSAGE_BYTES], bookmark[BOOKMARK_BYTES];
};

static void nothing_clean(struct pair *pair, const struct reply *reply) {
    (void)pair;
    (void)reply;
}

static void queue_wait(struct pair *pair) {
    connection_ask(pair->consumer, "QUEUE.GET delay BLOCK 0");
}

static void queue_send(struct pair *pair) {
    connection_ask(pair->producer, "QUEUE.PUT delay %b", pair->content, sizeof(pair->content));
}

static void queue_clean(struct pair *pair, const struct reply *reply) {
    struct reply message = reply_element(reply, 0);
    struct reply id = reply_element(&message, 1), receipt = reply_element(&message, 3);
    connection_call(pair->consumer, "QUEUE.DELETE delay %b %b", id.text, id.length, receipt.text,
                    receipt.length);
}

static void list_wait(struct pair *pair) {
    connection_ask(pair->consumer, "BLPOP list 0");
}

static void list_send(struct pair *pair) {
    connection_ask(pair->producer, "RPUSH list %b", pair->content, sizeof(pair->content));
}

static void changes_wait(struct pair *pair) {
    connection_ask(pair->consumer, "CONTAINER.CHANGES followed SINCE %s BLOCK 0", pair->bookmark);
}

static void changes_send(struct pair *pair) {
    connection_ask(pair->producer, "BLOB.PUT followed blob %b", pair->content, sizeof(pair->content));
}

static void bookmark_keep(struct pair *pair, const struct reply *reply) {
    struct reply bookmark = reply_element(reply, 0);
    snprintf(pair->bookmark, sizeof(pair->bookmark), "%.*s", (int)bookmark.length, bookmark.text);
}

static const struct transport {
    const char *name;
    void (*wait)(struct pair *pair);
    void (*send)(struct pair *pair);
    void (*clean)(struct pair *pair, const struct reply *reply);
    enum subject subject;
} transports[] = {
    {"RPUSH to BLPOP", list_wait, list_send, nothing_clean, ABOUT_QUEUES},
    {"QUEUE.PUT to QUEUE.GET BLOCK", queue_wait, queue_send, queue_clean, ABOUT_QUEUES},
    {"BLOB.PUT to CONTAINER.CHANGES BLOCK", changes_wait, changes_send, bookmark_keep, ABOUT_FEEDS}};
enum { TRANSPORTS = ARRAY_SIZE(transports) };

static double telling_us(const struct transport *transport, struct pair *pair) {
    transport->wait(pair);
    connection_call(pair->producer, "PING"); /* whatever came before it has been looked at then */
    int64_t before = monotonic_ns();
    transport->send(pair);
    struct reply reply = connection_receive(pair->consumer, transport->name);
    int64_t after = monotonic_ns();
    connection_receive(pair->producer, transport->name);
    transport->clean(pair, &reply);
    return (double)(after - before) / 1e3;
}

static void tellings_measure(const struct transport *transport, struct pair *pair, double *median,
                             double *p99) {
    double us[TELLINGS];
    for (unsigned telling = 0; telling < TELLINGS; telling++) us[telling] = telling_us(transport, pair);
    *median = percentile(us, TELLINGS, 0.5);
    *p99 = percentile(us, TELLINGS, 0.99);
}

void measure_delays(const struct context *context) {
    unsigned rounds = context->is_quick ? DELAY_ROUNDS_QUICK : DELAY_ROUNDS;
    double medians[TRANSPORTS][DELAY_ROUNDS], p99s[TRANSPORTS][DELAY_ROUNDS];
    struct server *server = server_start(context->options, "");
    struct pair pair = {.producer = connection_open(server, 0), .consumer = connection_open(server, 0)};
    memset(pair.content, 'x', sizeof(pair.content));
    server_tell(server, "QUEUE.CREATE delay");
    server_tell(server, "CONTAINER.CREATE followed");
    server_tell(server, "CONTAINER.FEED followed ON");
    struct reply now = connection_call(pair.consumer, "CONTAINER.CHANGES followed SINCE $");
    bookmark_keep(&pair, &now);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned turn = 0; turn < TRANSPORTS; turn++) {
            unsigned which = (turn + round) % TRANSPORTS;
            tellings_measure(&transports[which], &pair, &medians[which][round], &p99s[which][round]);
        }
    }
    for (unsigned which = 0; which < TRANSPORTS; which++) {
        const char *name = transports[which].name;
        add_fact(context, format_text("%s: median", name), spread_of(medians[which], rounds).median, "us");
        add_fact(context, format_text("%s: p99", name), spread_of(p99s[which], rounds).median, "us");
        if (which)
            add_bar(context, transports[which].subject, format_text("%s / %s, p99", name, transports[0].name),
                    spread_of_ratios(p99s[which], p99s[0], rounds).median, DELAY_MAX, "x");
    }
    connection_close(pair.producer);
    connection_close(pair.consumer);
    server_stop(server);
}

/* --- One lock, twenty clients --- */

/* One lock that twenty clients want all the time. Each holds it for a moment, as long as a small piece of
 * guarded work takes, gives it back, and wants it again.
 *
 *   asking     what client libraries do: SET NX PX; if somebody has it, a pause of random length, then again;
 *              given back by a script. Whoever had it pauses, too, or it would be the first again each time.
 *   in line    LEASE.ACQUIRE with BLOCK, LEASE.RELEASE
 *
 * A wait is the time from wanting the lock to having it. */

enum { CLIENTS = 20, HOLD_US = 2000, PAUSE_MIN_US = 50000, PAUSE_MAX_US = 200000 };
enum { RUN_MS = 4000, RUN_MS_QUICK = 1500, IDLE_MS = 500 };

enum stage { PAUSING, ASKING, HOLDING, GIVING_BACK };

struct lock_client {
    enum stage stage;
    int64_t due_ns; /* when pausing and holding end */
    int64_t wanted_ns;
};

struct method {
    const char *name;
    void (*prepare)(struct server *server);
    void (*ask)(struct connection *connection, unsigned who);
    void (*give_back)(struct connection *connection, unsigned who);
    int64_t pause_min_us, pause_max_us;
};

struct contention {
    const struct method *method;
    struct connection_set *set;
    struct lock_client clients[CLIENTS];
    unsigned holders; /* how many have it now: never more than one */
    unsigned long hand_overs;
    double wait_sum_ms, wait_longest_ms;
};

static char release_digest[DIGEST_BYTES + 1];

static void asking_prepare(struct server *server) {
    server_load_script(server, release_script, release_digest);
}

static void asking_ask(struct connection *connection, unsigned who) {
    connection_ask(connection, "SET lock %s NX PX 30000", holder_id(who));
}

static void asking_give_back(struct connection *connection, unsigned who) {
    connection_ask(connection, "EVALSHA %s 1 lock %s", release_digest, holder_id(who));
}

static void in_line_prepare(struct server *server) {
    server_tell(server, "CONTAINER.CREATE locks");
    server_tell(server, "BLOB.PUT locks lock x");
}

static void in_line_ask(struct connection *connection, unsigned who) {
    connection_ask(connection, "LEASE.ACQUIRE locks 30 BLOB lock ID %s BLOCK 30", holder_id(who));
}

static void in_line_give_back(struct connection *connection, unsigned who) {
    connection_ask(connection, "LEASE.RELEASE locks %s BLOB lock", holder_id(who));
}

static const struct method methods[] = {
    {"asking", asking_prepare, asking_ask, asking_give_back, PAUSE_MIN_US, PAUSE_MAX_US},
    {"in line", in_line_prepare, in_line_ask, in_line_give_back, 0, 0},
};

static void client_pause(struct contention *contention, struct lock_client *client, int64_t now_ns) {
    const struct method *method = contention->method;
    int64_t span_us = method->pause_max_us - method->pause_min_us;
    client->stage = PAUSING;
    client->due_ns = now_ns + (method->pause_min_us + (span_us ? rand() % span_us : 0)) * 1000;
}

static double waited_ms(const struct lock_client *client, int64_t now_ns) {
    return (double)(now_ns - client->wanted_ns) / 1e6;
}

static void note_wait(struct contention *contention, double ms) {
    contention->wait_longest_ms = greater(contention->wait_longest_ms, ms);
}

static void client_answered(struct contention *contention, struct lock_client *client,
                            const struct reply *reply, int64_t now_ns) {
    if (client->stage == GIVING_BACK) {
        client->wanted_ns = now_ns;
        client_pause(contention, client, now_ns);
    } else if (reply->is_null) {
        client_pause(contention, client, now_ns);
    } else {
        require(!contention->holders++, "two clients have the lock");
        note_wait(contention, waited_ms(client, now_ns));
        contention->wait_sum_ms += waited_ms(client, now_ns);
        contention->hand_overs++;
        client->stage = HOLDING;
        client->due_ns = now_ns + HOLD_US * 1000LL;
    }
}

static void client_resume(struct contention *contention, unsigned who) {
    struct lock_client *client = &contention->clients[who];
    struct connection *connection = contention->set->connections[who];
    if (client->stage == PAUSING) {
        client->stage = ASKING;
        contention->method->ask(connection, who);
    } else {
        client->stage = GIVING_BACK;
        contention->holders--;
        contention->method->give_back(connection, who);
    }
}

static bool has_time(const struct lock_client *client) {
    return client->stage == PAUSING || client->stage == HOLDING;
}

/* Whose time has come first, or who comes first, at most until then. */
static void contention_step(struct contention *contention, int64_t until_ns) {
    unsigned first = CLIENTS;
    for (unsigned who = 0; who < CLIENTS; who++) {
        const struct lock_client *client = &contention->clients[who];
        if (!has_time(client) || client->due_ns >= until_ns) continue;
        first = who;
        until_ns = client->due_ns;
    }
    int who = connection_set_next(contention->set, until_ns);
    if (who != NO_CONNECTION) {
        struct reply reply = connection_receive(contention->set->connections[who], contention->method->name);
        client_answered(contention, &contention->clients[who], &reply, monotonic_ns());
    } else if (first < CLIENTS && monotonic_ns() >= until_ns) {
        client_resume(contention, first);
    }
}

static void add_method_facts(const struct context *context, const struct contention *contention,
                             double seconds, double cpu_us) {
    const char *name = contention->method->name;
    double hand_overs = (double)contention->hand_overs, mean_ms = contention->wait_sum_ms / hand_overs;
    add_fact(context, format_text("%s: hand-overs", name), hand_overs / seconds, "per second");
    add_fact(context, format_text("%s: mean wait", name), mean_ms, "ms");
    add_fact(context, format_text("%s: longest wait", name), contention->wait_longest_ms, "ms");
    add_fact(context, format_text("%s: longest wait to mean wait", name),
             contention->wait_longest_ms / mean_ms, "x");
    add_fact(context, format_text("%s: CPU per hand-over", name), cpu_us / hand_overs, "us");
}

static void measure_method(const struct context *context, struct server *server, const struct method *method,
                           int64_t run_ms) {
    struct contention contention = {.method = method, .set = connection_set_open(server, CLIENTS)};
    method->prepare(server);
    double idle = idle_share(server, IDLE_MS);
    int64_t cpu_ns = server_cpu_ns(server), start_ns = monotonic_ns(), end_ns = start_ns + run_ms * 1000000;
    for (unsigned who = 0; who < CLIENTS; who++) {
        contention.clients[who].wanted_ns = start_ns;
        client_pause(&contention, &contention.clients[who], start_ns);
    }
    while (monotonic_ns() < end_ns) contention_step(&contention, end_ns);
    int64_t stop_ns = monotonic_ns();
    double cpu_us = ((double)(server_cpu_ns(server) - cpu_ns) - idle * (double)(stop_ns - start_ns)) / 1e3;
    /* Those who wait still have waited so long, at least. */
    for (unsigned who = 0; who < CLIENTS; who++) {
        const struct lock_client *client = &contention.clients[who];
        bool is_waiting = client->stage == ASKING || client->stage == PAUSING;
        if (is_waiting) note_wait(&contention, waited_ms(client, stop_ns));
    }
    add_method_facts(context, &contention, (double)(stop_ns - start_ns) / 1e9, cpu_us);
    connection_set_close(contention.set);
}

void measure_passing(const struct context *context) {
    struct server *server = server_start(context->options, "");
    int64_t run_ms = context->is_quick ? RUN_MS_QUICK : RUN_MS;
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++) measure_method(context, server, &methods[i], run_ms);
    server_stop(server);
}
