#define _GNU_SOURCE
#include "trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "failure.h"
#include "pool.h"
#include "text.h"

enum {
    CONNECT_MS = 500,
    PATIENCE_MS = 6000,       /* then a call counts as forgotten */
    SHORT_PATIENCE_MS = 1000, /* where silence is to be expected */
    RETRY_MS = 5,
    WARM_UP_MS = 300,
    COOL_DOWN_MS = 400,
    TOLD_AT_MOST = 5, /* violations of one part */
};

void violation(struct part *part, const char *format, ...) {
    if (atomic_fetch_add(&part->violations, 1) >= TOLD_AT_MOST) return;
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("# %s, %s: %s\n", part->trial->fault->name, part->workload->name, text);
}

int trial_chance(struct trial *trial, int below) {
    return rand_r(&trial->seed) % below;
}

void trial_pause_ms(struct trial *trial, int least, int most) {
    pause_us((least + trial_chance(trial, most - least + 1)) * INT64_C(1000));
}

bool trial_keeps_all(const struct trial *trial) {
    return trial->fault->promise == NOTHING_LOST;
}

int event_term(const struct part *part, const struct event *event) {
    return stage_term(&part->trial->stage, event->server, event->begin_us, event->end_us);
}

/* --- Actors ------------------------------------------------------------------------------------------------ */

int actor_chance(struct actor *actor, int below) {
    return rand_r(&actor->seed) % below;
}

void actor_pause_ms(struct actor *actor, int least, int most) {
    pause_us((least + actor_chance(actor, most - least + 1)) * INT64_C(1000));
}

long long actor_operation(struct actor *actor) {
    return (actor->number + 1) * 10000000LL + ++actor->operations;
}

struct event actor_event(const struct actor *actor, enum event_kind kind) {
    return (struct event){.kind = kind,
                          .outcome = actor->outcome,
                          .begin_us = actor->begin_us,
                          .end_us = actor->end_us,
                          .actor = actor->number,
                          .server = actor->server};
}

int64_t belief_us(int duration_ms) {
    return duration_ms * INT64_C(995) - 1000;
}

void actor_notes(struct actor *actor, struct event event) {
    history_add(&actor->history, event);
}

static struct timeval interval(int ms) {
    return (struct timeval){ms / 1000, ms % 1000 * 1000L};
}

static void disconnect(struct actor *actor) {
    if (actor->context) redisFree(actor->context);
    actor->context = NULL;
}

static bool is_connected(struct actor *actor) {
    if (actor->context) return true;
    struct stage *stage = &actor->part->trial->stage;
    struct address address = stage_address(stage);
    if (address.server < 0) return false;
    actor->server = address.server;
    actor->context = redisConnectWithTimeout("127.0.0.1", address.port, interval(CONNECT_MS));
    if (!actor->context || actor->context->err) disconnect(actor);
    int patience = actor->part->trial->fault->silence ? SHORT_PATIENCE_MS : PATIENCE_MS;
    if (actor->context) redisSetTimeout(actor->context, interval(patience));
    return actor->context != NULL;
}

/* What all trials have in common: leases that last for less than grace, and little else. */
static const char common_settings[] = "appendonly yes\n"
                                      "appendfsync always\n"
                                      "auto-aof-rewrite-percentage 0\n"
                                      "repl-ping-replica-period 1\n"
                                      "repl-backlog-size 16mb\n"
                                      "hz 100\n"
                                      "holdfast.lease-min-seconds 0.05\n"
                                      "holdfast.lease-max-seconds 0.5\n"
                                      "holdfast.grace-seconds 1\n";

/* What every client has to expect of a server in trouble. */
static bool is_of_the_server(const char *error) {
    static const char *const servers_own[] = {"READONLY", "LOADING",     "MASTERDOWN", "UNBLOCKED", "MISCONF",
                                              "TRYAGAIN", "CLUSTERDOWN", "NOREPLICAS", "NOTREADY"};
    for (size_t index = 0; index < sizeof servers_own / sizeof *servers_own; index++)
        if (text_begins(error, servers_own[index])) return true;
    return false;
}

static bool is_of_the_state(const char *error) {
    return text_begins(error, "PRECONDITION ") || text_begins(error, "CONFLICT ") ||
           text_begins(error, "NOTFOUND ");
}

static void judge_error(struct actor *actor, const redisReply *reply) {
    if (is_of_the_state(reply->str)) return;
    if (!is_of_the_server(reply->str)) violation(actor->part, "an actor is told %s", reply->str);
    disconnect(actor);
    actor_pause_ms(actor, RETRY_MS, 2 * RETRY_MS);
}

/* It was sent, and the connection is good for nothing more. A server that lives and says nothing has forgotten it. */
static void judge_silence(struct actor *actor) {
    int64_t waited_ms = (actor->end_us - actor->begin_us) / 1000;
    bool forgotten = !actor->part->trial->fault->silence && waited_ms >= PATIENCE_MS;
    if (forgotten) violation(actor->part, "no answer within %lld ms", (long long)waited_ms);
    disconnect(actor);
}

redisReply *actor_asks(struct actor *actor, const char *format, ...) {
    actor->begin_us = actor->end_us = now_us();
    actor->outcome = REFUSED;
    if (!is_connected(actor)) {
        actor_pause_ms(actor, RETRY_MS, 2 * RETRY_MS);
        return NULL;
    }
    va_list arguments;
    va_start(arguments, format);
    actor->begin_us = now_us();
    redisReply *reply = redisvCommand(actor->context, format, arguments);
    actor->end_us = now_us();
    va_end(arguments);
    atomic_fetch_add(&actor->part->operations, 1);
    actor->outcome = !reply ? IN_DOUBT : reply->type == REDIS_REPLY_ERROR ? REFUSED : DONE;
    if (!reply) judge_silence(actor);
    if (!reply) return NULL;
    actor->replies[actor->reply_count++] = reply;
    if (reply->type != REDIS_REPLY_ERROR) return reply;
    judge_error(actor, reply);
    return NULL;
}

static void forget_replies(struct actor *actor) {
    while (actor->reply_count) freeReplyObject(actor->replies[--actor->reply_count]);
}

static void *act(void *data) {
    struct actor *actor = data;
    while (!atomic_load(&actor->part->trial->stop)) {
        actor->part->workload->step(actor);
        forget_replies(actor);
        actor_pause_ms(actor, 1, 3);
    }
    disconnect(actor);
    return NULL;
}

/* --- The trial --------------------------------------------------------------------------------------------- */

static void prepare_parts(struct trial *trial, const struct workload *const *workloads) {
    struct client *client = visitor(stage_primary(&trial->stage));
    for (; *workloads; workloads++) {
        struct part *part = &trial->parts[trial->part_count++];
        part->workload = *workloads;
        part->trial = trial;
        part->workload->prepare(client);
    }
}

static void begin_load(struct trial *trial) {
    for (int index = 0; index < trial->part_count; index++)
        for (int number = 0; number < trial->parts[index].workload->actors; number++) {
            struct actor *actor = &trial->actors[trial->actor_count];
            actor->part = &trial->parts[index];
            actor->number = trial->actor_count++;
            actor->seed = trial->seed + (unsigned)actor->number * 7919;
            require(!pthread_create(&actor->thread, NULL, act, actor), "no thread for an actor");
        }
}

static void end_load(struct trial *trial) {
    atomic_store(&trial->stop, true);
    for (int index = 0; index < trial->actor_count; index++) {
        struct actor *actor = &trial->actors[index];
        pthread_join(actor->thread, NULL);
        history_join(&actor->part->history, &actor->history);
        history_free(&actor->history);
    }
}

static void check_all(struct trial *trial) {
    struct client *client = visitor(stage_primary(&trial->stage));
    for (int index = 0; index < trial->part_count; index++)
        trial->parts[index].workload->check(&trial->parts[index], client);
    ledger_check(trial);
}

static void close_all(struct trial *trial) {
    const char *ending = stage_close(&trial->stage);
    if (ending) violation(&trial->parts[0], "%s", ending);
    for (int index = 0; index < trial->part_count; index++) history_free(&trial->parts[index].history);
    if (trial->fault->clean) trial->fault->clean(trial);
    pool_drain();
}

void trial_play(struct trial *trial, const struct fault *fault, const struct workload *const *workloads,
                unsigned seed) {
    memset(trial, 0, sizeof *trial);
    trial->fault = fault;
    trial->seed = seed;
    if (fault->prepare) fault->prepare(trial);
    stage_open(&trial->stage, fault->servers, pool_print("%s%s", common_settings, fault->settings));
    prepare_parts(trial, workloads);
    stage_difference(&trial->stage);
    begin_load(trial);
    trial_pause_ms(trial, WARM_UP_MS, WARM_UP_MS);
    fault->strike(trial);
    trial_pause_ms(trial, COOL_DOWN_MS, COOL_DOWN_MS);
    end_load(trial);
    const char *difference = stage_difference(&trial->stage);
    if (difference) violation(&trial->parts[0], "%s", difference);
    check_all(trial);
    close_all(trial);
}
