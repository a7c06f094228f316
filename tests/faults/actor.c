#include "actor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ccan/array_size/array_size.h"
#include "failure.h"
#include "text.h"
#include "trial.h"

enum {
    CONNECT_MS = 500,
    PATIENCE_MS = 6000,       /* then a call counts as forgotten */
    SHORT_PATIENCE_MS = 1000, /* where silence is to be expected */
    RETRY_MS = 5,
    TURNS_MAX = 5, /* from one node of a cluster to the next */
};

int actor_chance(struct actor *actor, int below) {
    return rand_r(&actor->seed) % below;
}

void actor_pause_ms(struct actor *actor, int min, int max) {
    pause_us((min + actor_chance(actor, max - min + 1)) * INT64_C(1000));
}

long long actor_operation(struct actor *actor) {
    return (actor->number + 1) * 10000000LL + ++actor->operations;
}

bool actor_is_first(const struct actor *actor) {
    return actor == actor->part->trial->actors || actor[-1].part != actor->part;
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

static int patience_ms(const struct actor *actor) {
    return actor->part->trial->fault->silence ? SHORT_PATIENCE_MS : PATIENCE_MS;
}

static bool connect_to(struct actor *actor, struct address address) {
    if (address.server < 0) return false;
    actor->server = address.server;
    actor->context = redisConnectWithTimeout("127.0.0.1", address.port, interval(CONNECT_MS));
    if (!actor->context || actor->context->err) disconnect(actor);
    if (actor->context) redisSetTimeout(actor->context, interval(patience_ms(actor)));
    return actor->context != NULL;
}

static bool is_connected(struct actor *actor) {
    return actor->context || connect_to(actor, stage_address(&actor->part->trial->stage));
}

/* What every client has to expect of a server in trouble. */
static bool is_of_the_server(const char *error) {
    static const char *const servers_own[] = {"READONLY", "LOADING",     "MASTERDOWN", "UNBLOCKED", "MISCONF",
                                              "TRYAGAIN", "CLUSTERDOWN", "NOREPLICAS", "MOVED",     "ASK"};
    for (size_t i = 0; i < ARRAY_SIZE(servers_own); i++)
        if (text_begins(error, servers_own[i])) return true;
    return false;
}

static bool is_of_the_state(const char *error) {
    return text_begins(error, "PRECONDITION ") || text_begins(error, "CONFLICT ") ||
           text_begins(error, "NOTFOUND ");
}

static void judge_error(struct actor *actor, const redisReply *reply) {
    actor->told = is_of_the_state(reply->str);
    if (actor->told) return;
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

/* --- Asking ------------------------------------------------------------------------------------------------ */

struct command {
    char *bytes;
    size_t length;
};

static redisReply *send_to(redisContext *context, const struct command *command) {
    void *reply = NULL;
    redisAppendFormattedCommand(context, command->bytes, command->length);
    return redisGetReply(context, &reply) == REDIS_OK ? reply : NULL;
}

/* For one command alone, at a node to which its slot is on the way. */
static redisReply *send_asking(struct actor *actor, const struct command *command, int port) {
    redisContext *context = redisConnectWithTimeout("127.0.0.1", port, interval(CONNECT_MS));
    redisReply *reply = NULL;
    if (context && !context->err) {
        redisSetTimeout(context, interval(patience_ms(actor)));
        redisReply *ready = redisCommand(context, "ASKING");
        if (ready) reply = send_to(context, command);
        if (ready) freeReplyObject(ready);
    }
    if (context) redisFree(context);
    return reply;
}

/* "MOVED 1234 127.0.0.1:7000": nothing has happened, and this is where to ask. */
static bool is_sent_on(const redisReply *reply, const char *how, int *port) {
    bool sent_on = reply && reply->type == REDIS_REPLY_ERROR && text_begins(reply->str, how);
    if (sent_on) *port = atoi(strrchr(reply->str, ':') + 1);
    return sent_on;
}

/* The answer of the node that serves the key: as clients of a cluster, it goes where it is sent. NULL when there is none. */
static redisReply *converse(struct actor *actor, const struct command *command) {
    struct stage *stage = &actor->part->trial->stage;
    for (int turn = 0, port; turn < TURNS_MAX; turn++) {
        actor->begin_us = now_us();
        redisReply *reply = send_to(actor->context, command);
        bool moved = is_sent_on(reply, "MOVED ", &port);
        if (!moved && !is_sent_on(reply, "ASK ", &port)) return reply;
        freeReplyObject(reply);
        if (!moved) {
            actor->server = stage_server_at(stage, port);
            actor->begin_us = now_us();
            reply = send_asking(actor, command, port);
            disconnect(actor); /* it is connected to another server than the one that has answered */
            return reply;
        }
        disconnect(actor);
        if (!connect_to(actor, (struct address){stage_server_at(stage, port), port})) return NULL;
    }
    return NULL;
}

static struct command formatted(const char *format, va_list arguments) {
    struct command command = {0};
    int length = redisvFormatCommand(&command.bytes, format, arguments);
    require(length > 0, "%s is no format", format);
    command.length = (size_t)length;
    return command;
}

static redisReply *judge(struct actor *actor, redisReply *reply) {
    actor->outcome = !reply ? IN_DOUBT : reply->type == REDIS_REPLY_ERROR ? REFUSED : DONE;
    if (!reply) {
        judge_silence(actor);
        return NULL;
    }
    if (actor->outcome == REFUSED) {
        judge_error(actor, reply);
        freeReplyObject(reply);
        return NULL;
    }
    require(actor->reply_count < REPLIES_MAX, "too many replies in one step");
    return actor->replies[actor->reply_count++] = reply;
}

redisReply *actor_asks(struct actor *actor, const char *format, ...) {
    actor->begin_us = actor->end_us = now_us();
    actor->outcome = REFUSED;
    actor->told = false;
    if (!is_connected(actor)) {
        actor_pause_ms(actor, RETRY_MS, 2 * RETRY_MS);
        return NULL;
    }
    va_list arguments;
    va_start(arguments, format);
    struct command command = formatted(format, arguments);
    va_end(arguments);
    redisReply *reply = converse(actor, &command);
    actor->end_us = now_us();
    redisFreeCommand(command.bytes);
    atomic_fetch_add(&actor->part->operations, 1);
    return judge(actor, reply);
}

/* --- Its life ---------------------------------------------------------------------------------------------- */

static void forget_replies(struct actor *actor) {
    while (actor->reply_count) freeReplyObject(actor->replies[--actor->reply_count]);
}

void *actor_life(void *data) {
    struct actor *actor = data;
    while (!atomic_load(&actor->part->trial->stop)) {
        actor->part->workload->step(actor);
        forget_replies(actor);
        actor_pause_ms(actor, 1, 3);
    }
    disconnect(actor);
    return NULL;
}
