/* deploy/recipes/c/worker.c */
#include "worker.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool message_is_lost(const redisReply *reply) {
    return holdfast_refused(reply, "NOTFOUND MessageNotFound") ||
           holdfast_refused(reply, "INVALID PopReceiptMismatch");
}

/* Prolongs the message's window in the background. Each UPDATE answers a new receipt. The old one is its token: an UPDATE whose answer
 * did not come is sent again, and answered as if for the first time. */
struct extension {
    redisContext *redis; /* a connection of its own */
    const char *queue;
    struct message *message;
    int window;
    int64_t end, asked; /* of the window; since when an answer is missing, or 0 */
    pthread_mutex_t mutex;
    pthread_cond_t done;
    bool is_done;
};

static void connect_again(struct extension *extension) {
    redisContext *redis = holdfast_connect(extension->redis->tcp.host, extension->redis->tcp.port);
    if (!redis) return;
    redisFree(extension->redis);
    extension->redis = redis;
}

static bool extend_once(struct extension *extension) {
    struct message *message = extension->message;
    if (extension->redis->err) connect_again(extension);
    if (!extension->asked) extension->asked = holdfast_clock();
    redisReply *reply =
        redisCommand(extension->redis, "QUEUE.UPDATE %s %s %s VISIBILITY %d ONCE %s", extension->queue,
                     message->id, message->receipt, extension->window, message->receipt);
    if (reply && reply->type != REDIS_REPLY_ERROR) {
        snprintf(message->receipt, sizeof message->receipt, "%s", holdfast_text(reply, "receipt"));
        extension->end = extension->asked + 1000 * extension->window;
        extension->asked = 0;
    } else {
        message->is_lost = message_is_lost(reply) || holdfast_clock() > extension->end;
    }
    if (reply) freeReplyObject(reply);
    return !message->is_lost;
}

static void *extend(void *of) {
    struct extension *extension = of;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&extension->mutex);
    do {
        until.tv_nsec += extension->window * 333333333L % 1000000000L;
        until.tv_sec += extension->window * 333333333L / 1000000000L + until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        while (!extension->is_done && !pthread_cond_timedwait(&extension->done, &extension->mutex, &until))
            continue;
    } while (!extension->is_done && extend_once(extension));
    if (extension->asked && !extension->message->is_lost) extend_once(extension);
    pthread_mutex_unlock(&extension->mutex);
    return NULL;
}

static const char *handle_extended(struct extension *extension, handle_message *handle, void *what) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, extend, extension)) return "no thread could be started";
    const char *failure = handle(extension->message, what);
    pthread_mutex_lock(&extension->mutex);
    extension->is_done = true;
    pthread_cond_signal(&extension->done);
    pthread_mutex_unlock(&extension->mutex);
    pthread_join(thread, NULL);
    return failure;
}

static enum work settle(redisContext *redis, const char *queue, const struct message *message,
                        const char *failure) {
    long pause = message->deliveries < 9 ? 1L << message->deliveries : 600;
    redisReply *reply =
        failure ? redisCommand(redis, "QUEUE.RELEASE %s %s %s VISIBILITY %ld REASON %s", queue, message->id,
                               message->receipt, pause, failure)
                : redisCommand(redis, "QUEUE.DELETE %s %s %s", queue, message->id, message->receipt);
    bool late = message_is_lost(reply); /* somebody else has it, or it has died */
    if (late) freeReplyObject(reply);
    if (!late && !holdfast_done(reply)) return WORK_BROKEN;
    return failure ? WORK_GIVEN_BACK : WORK_DONE;
}

struct message message_of(const redisReply *map) {
    struct message message = {.deliveries = holdfast_number(map, "dequeue-count")};
    const redisReply *text = holdfast_field(map, "message");
    snprintf(message.id, sizeof message.id, "%s", holdfast_text(map, "id"));
    snprintf(message.receipt, sizeof message.receipt, "%s", holdfast_text(map, "receipt"));
    message.text = text->str;
    message.length = text->len;
    return message;
}

enum work work_one(redisContext *redis, const char *queue, handle_message *handle, void *what, int window,
                   double wait) {
    redisReply *taken = redisCommand(redis, "QUEUE.GET %s VISIBILITY %d BLOCK %f", queue, window, wait);
    if (!taken || taken->type == REDIS_REPLY_ERROR) return holdfast_done(taken) ? WORK_NONE : WORK_BROKEN;
    enum work work = WORK_NONE;
    if (taken->elements) {
        struct message message = message_of(taken->element[0]);
        struct extension extension = {.redis = holdfast_connect(redis->tcp.host, redis->tcp.port),
                                      .queue = queue,
                                      .message = &message,
                                      .window = window,
                                      .end = holdfast_clock() + 1000 * window,
                                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                                      .done = PTHREAD_COND_INITIALIZER};
        work = WORK_BROKEN;
        if (extension.redis) {
            work = settle(redis, queue, &message, handle_extended(&extension, handle, what));
            redisFree(extension.redis);
        }
    }
    freeReplyObject(taken);
    return work;
}

bool each_dead(redisContext *redis, const char *queue, void (*tell)(const redisReply *letter, void *what),
               void *what) {
    redisReply *letters = redisCommand(redis, "QUEUE.DEAD %s COUNT 32", queue);
    for (size_t at = 0; letters && letters->type == REDIS_REPLY_ARRAY && at < letters->elements; at++)
        tell(letters->element[at], what);
    return holdfast_done(letters);
}
