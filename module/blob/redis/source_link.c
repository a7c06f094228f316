#include "blob/redis/source_link.h"

#include "blob/redis/source_server.h"
#include "core/memory.h"

#include "ccan/array_size/array_size.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    TRIES_MAX = 3,
    REST_MS = 100,
    STACK_BYTES = 512 << 10,
    ANSWER_TIMEOUTS = 10,
    READ_BYTES = 1 << 16,
    COPY_NICENESS = 5,
};

/* When nothing is waited for. */
#define AT_LEISURE INT64_MAX

struct source_link {
    struct source_server server; /* how to connect to the source */
    void (*news)(void);
    struct source_reader *reader;
    struct delivery *building;
    bool was_moved, has_progress;
    struct source_failure loss; /* why the last visit ended */
    pthread_t thread;

    /* Guarded by the lock. */
    redisContext *open; /* the connection that the thread reads from */
    int64_t due_us;     /* when the source must have answered; AT_LEISURE while it is not waited for */
    bool overdue;       /* it had not, so the connection was shut down */
    struct delivery *waiting;
    bool cancelled, ended;
    pthread_cond_t change;
};

/* One lock for all links, which is only held for moments. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- Deliveries --- */

static struct delivery *delivery_new(void) {
    struct delivery *delivery = memory_alloc(sizeof(*delivery));
    delivery->count = 0;
    delivery->bytes = 0;
    delivery->last = delivery->failed = false;
    arena_start(&delivery->arena);
    return delivery;
}

void delivery_free(struct delivery *delivery) {
    for (unsigned i = 0; i < delivery->count; i++)
        if (delivery->items[i].content) RedisModule_FreeString(NULL, delivery->items[i].content);
    arena_end(&delivery->arena);
    memory_free(delivery);
}

/* The content becomes a string like the argument of a command, so that it is stored and replicated without
 * being copied again. */
static void deliver_change(struct delivery *delivery, const struct container_change *change) {
    struct delivered *item = &delivery->items[delivery->count++];
    item->change = *change;
    item->change.block_id = arena_copy(&delivery->arena, change->block_id);
    item->change.properties.items = arena_copy(&delivery->arena, change->properties.items);
    item->change.metadata.items = arena_copy(&delivery->arena, change->metadata.items);
    item->change.content = bytes_of(NULL, 0);
    bool has_content = change->content.length;
    item->content =
        has_content ? RedisModule_CreateString(NULL, change->content.data, change->content.length) : NULL;
    delivery->bytes += change->content.length;
}

/* --- Hand-over, in the thread --- */

static bool guarded_flag(const bool *flag) {
    pthread_mutex_lock(&lock);
    bool is_set = *flag;
    pthread_mutex_unlock(&lock);
    return is_set;
}

/* Waits until the previous delivery has been taken. */
static void hand_over(struct source_link *link) {
    struct delivery *delivery = link->building;
    link->building = delivery_new();
    pthread_mutex_lock(&lock);
    while (link->waiting && !link->cancelled) pthread_cond_wait(&link->change, &lock);
    bool wanted = !link->cancelled;
    if (wanted) link->waiting = delivery;
    pthread_mutex_unlock(&lock);
    if (wanted)
        link->news();
    else
        delivery_free(delivery);
}

static bool nothing_waits(struct source_link *link) {
    pthread_mutex_lock(&lock);
    bool nothing = !link->waiting;
    pthread_mutex_unlock(&lock);
    return nothing;
}

/* Delivers the changes from the last answer. */
static void deliver_all(struct source_link *link) {
    struct container_change change;
    while (source_reader_next(link->reader, &change)) {
        deliver_change(link->building, &change);
        link->has_progress = true;
        if (link->building->count == DELIVERY_MAX || link->building->bytes >= SOURCE_PIECE_BYTES)
            hand_over(link);
    }
    if (link->building->count && nothing_waits(link)) hand_over(link);
}

static void end_with(struct source_link *link, const struct source_failure *failure) {
    link->building->last = true;
    link->building->failed = failure != NULL;
    if (failure) link->building->failure = *failure;
    if (failure) source_server_hide_password(&link->server, &link->building->failure);
    hand_over(link);
}

/* --- A visit --- */

enum visit { VISIT_ENDED, VISIT_LOST, VISIT_MOVED };

static enum visit lose_source(struct source_link *link, enum copy_failure reason, const char *text) {
    source_failure_say(&link->loss, reason, bytes_text(text));
    return VISIT_LOST;
}

static enum visit lose_connection(struct source_link *link, const redisContext *connection) {
    char text[200];
    bool silent = connection->err == REDIS_ERR_TIMEOUT ||
                  (connection->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK));
    if (silent)
        snprintf(text, sizeof(text), "the source does not answer within holdfast.copy-timeout-seconds");
    else
        snprintf(text, sizeof(text), "the connection to the source was lost: %s", connection->errstr);
    return lose_source(link, silent ? COPY_FAILED_SILENT : COPY_FAILED_UNREACHABLE, text);
}

/* Whether the error is temporary. */
static bool is_for_later(struct bytes error) {
    static const char *const classes[] = {"LOADING ", "MASTERDOWN ", "CLUSTERDOWN ", "TRYAGAIN "};
    for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
        if (bytes_start_with(error, bytes_text(classes[i]))) return true;
    return false;
}

static enum visit take_answer(struct source_link *link, const struct answer *answer) {
    if (answer->kind == ANSWER_ERROR && is_for_later(answer->text)) {
        source_failure_say(&link->loss, COPY_FAILED_REFUSED, answer->text);
        return VISIT_LOST;
    }
    if (answer->kind == ANSWER_ERROR && !link->was_moved) {
        enum redirection move = source_server_redirect(&link->server, answer->text, link->reader);
        if (move != REDIRECTION_NONE) link->was_moved = true;
        if (move == REDIRECTION_FOLLOWED) return VISIT_MOVED;
    }
    source_reader_take(link->reader, answer);
    deliver_all(link);
    return VISIT_ENDED;
}

/* The first answers are those to the greetings. */
static enum visit take_any(struct source_link *link, const struct answer *answer) {
    if (!link->server.greetings) return take_answer(link, answer);
    source_server_greeted(&link->server, answer, link->reader);
    return VISIT_ENDED;
}

static bool ask_what_is_next(struct source_link *link, redisContext *connection) {
    struct source_question question;
    int done = 0;
    while (source_reader_ask(link->reader, &question)) source_server_ask(connection, &question);
    while (!done)
        if (redisBufferWrite(connection, &done) != REDIS_OK) return false;
    return true;
}

/* Reads what has arrived. False when the connection has ended. */
static bool read_more(redisContext *connection, struct source_answers *answers, bool *garbled) {
    char bytes[READ_BYTES];
    long count = connection->funcs->read(connection, bytes, sizeof(bytes));
    if (count > 0) *garbled = !source_answers_feed(answers, bytes_of(bytes, (size_t)count));
    return count >= 0;
}

static bool copy_has_ended(struct source_link *link) {
    return source_reader_failure(link->reader) || source_reader_is_done(link->reader) ||
           guarded_flag(&link->cancelled);
}

static enum visit end_garbled(struct source_link *link) {
    const char *text = "the source's answer cannot be read";
    source_reader_fail(link->reader, COPY_FAILED_GARBLED, bytes_text(text));
    return VISIT_ENDED;
}

/* A handshake, and an answer, must also be complete in time: one that drips would never be silent. The main thread
 * shuts the connection down then, since a library that waits for bytes cannot be asked to stop. */
static void set_due(struct source_link *link, bool waits) {
    int64_t patience_us = link->server.timeout_ms * 1000 * ANSWER_TIMEOUTS;
    pthread_mutex_lock(&lock);
    link->due_us = waits ? api_elapsed_us() + patience_us : AT_LEISURE;
    pthread_mutex_unlock(&lock);
}

/* Sends requests and takes answers until the copy or the connection ends. */
static enum visit converse_with_source(struct source_link *link, redisContext *connection,
                                       struct source_answers *answers) {
    bool garbled = false;
    while (!copy_has_ended(link)) {
        if (!ask_what_is_next(link, connection)) return lose_connection(link, connection);
        const struct answer *answer = source_answers_next(answers, &garbled);
        if (garbled) return end_garbled(link);
        if (answer) {
            set_due(link, false);
            enum visit visit = take_any(link, answer);
            if (visit != VISIT_ENDED) return visit;
            set_due(link, true);
        } else if (!read_more(connection, answers, &garbled)) {
            return lose_connection(link, connection);
        } else if (garbled) {
            return end_garbled(link);
        }
    }
    return VISIT_ENDED;
}

/* Makes the connection known, so that source_link_cancel can shut it down; does so itself if that
 * was called before. */
static void set_open(struct source_link *link, redisContext *connection) {
    pthread_mutex_lock(&lock);
    link->open = connection;
    link->overdue = false;
    if (connection && link->cancelled) shutdown(connection->fd, SHUT_RDWR);
    pthread_mutex_unlock(&lock);
}

static enum visit talk_to_source(struct source_link *link, redisContext *connection) {
    if (!source_server_greet(&link->server, connection, &link->loss)) return VISIT_LOST;
    struct source_answers *answers = source_answers_new();
    source_reader_reconnected(link->reader);
    enum visit visit = converse_with_source(link, connection, answers);
    source_answers_free(answers);
    return visit;
}

static enum visit visit_source(struct source_link *link) {
    redisContext *connection = source_server_connect(&link->server, link->reader, &link->loss);
    if (!connection) return source_reader_failure(link->reader) ? VISIT_ENDED : VISIT_LOST;
    set_due(link, true);
    set_open(link, connection);
    enum visit visit = talk_to_source(link, connection);
    if (visit == VISIT_LOST && guarded_flag(&link->overdue))
        lose_source(link, COPY_FAILED_SILENT, "the source takes too long for an answer");
    set_open(link, NULL);
    redisFree(connection);
    return visit;
}

static void start_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Waits between two tries, by a clock that nobody sets. What was handed over may be taken meanwhile. */
static void rest_between_tries(struct source_link *link, int64_t ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms * 1000000);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    int waited = 0;
    while (!link->cancelled && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&link->change, &lock, &until);
    pthread_mutex_unlock(&lock);
}

/* Only tries in a row without progress count. */
static void visit_until_end(struct source_link *link) {
    for (int tries = 0; tries < TRIES_MAX && !guarded_flag(&link->cancelled);) {
        link->has_progress = false;
        enum visit visit = visit_source(link);
        if (visit == VISIT_ENDED) return;
        if (visit == VISIT_MOVED) continue;
        tries = link->has_progress ? 1 : tries + 1;
        if (tries < TRIES_MAX) rest_between_tries(link, (int64_t)REST_MS * tries);
    }
    source_reader_fail(link->reader, link->loss.reason, bytes_text(link->loss.text));
}

/* Where processors are short, the server's own thread comes first. */
static void give_way_to_main_thread(void) {
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), COPY_NICENESS);
}

static void *work_for_copy(void *data) {
    struct source_link *link = data;
    give_way_to_main_thread();
    visit_until_end(link);
    end_with(link, source_reader_failure(link->reader));
    pthread_mutex_lock(&lock);
    link->ended = true;
    pthread_mutex_unlock(&lock);
    link->news();
    return NULL;
}

/* --- On the main thread --- */

/* The thread blocks all signals, which are for the server's main thread. */
static bool start_thread(struct source_link *link) {
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(&link->thread, &attributes, work_for_copy, link);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

static void free_link(struct source_link *link) {
    if (link->waiting) delivery_free(link->waiting);
    delivery_free(link->building);
    source_reader_free(link->reader);
    source_server_end(&link->server);
    pthread_cond_destroy(&link->change);
    memory_free(link);
}

struct source_link *source_link_start(const struct copy_order *order, const struct source_settings *settings,
                                      void (*news)(void)) {
    struct source_link *link = memory_zeroed(sizeof(*link));
    link->news = news;
    link->reader = source_reader_new(order);
    link->building = delivery_new();
    source_server_start(&link->server, order, settings);
    start_condition(&link->change);
    if (start_thread(link)) return link;
    free_link(link);
    return NULL;
}

struct delivery *source_link_take(struct source_link *link) {
    pthread_mutex_lock(&lock);
    struct delivery *delivery = link->waiting;
    link->waiting = NULL;
    if (delivery) pthread_cond_signal(&link->change);
    pthread_mutex_unlock(&lock);
    return delivery;
}

void source_link_cancel(struct source_link *link) {
    pthread_mutex_lock(&lock);
    link->cancelled = true;
    if (link->open) shutdown(link->open->fd, SHUT_RDWR);
    pthread_cond_signal(&link->change);
    pthread_mutex_unlock(&lock);
}

void source_link_hurry(struct source_link *link) {
    pthread_mutex_lock(&lock);
    if (link->open && !link->overdue && api_elapsed_us() > link->due_us) {
        link->overdue = true;
        shutdown(link->open->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&lock);
}

bool source_link_has_ended(struct source_link *link) {
    return guarded_flag(&link->ended);
}

void source_link_free(struct source_link *link) {
    pthread_join(link->thread, NULL);
    free_link(link);
}
