/* deploy/recipes/c/try.c */
/* Tries the recipes on the server of PORT, RESP2 or RESP3: try NAME. */
#include "compare_and_set.h"
#include "feed.h"
#include "lock.h"
#include "log.h"
#include "retries.h"
#include "transactions.h"
#include "worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void require_at(bool holds, const char *what, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, line, what);
    exit(1);
}
#define require(condition) require_at(condition, #condition, __LINE__)

static redisContext *server_to_try(void) {
    const char *port = getenv("PORT"), *resp = getenv("RESP");
    redisContext *redis = holdfast_connect("127.0.0.1", port ? atoi(port) : 6379);
    require(redis != NULL);
    if (resp && !strcmp(resp, "3")) require(holdfast_done(redisCommand(redis, "HELLO 3")));
    return redis;
}

static redisContext *server_with(const char *command) {
    redisContext *redis = server_to_try();
    redisReply *words = redisCommand(redis, "DEL %s", strchr(command, ' ') + 1);
    require(holdfast_done(words));
    require(holdfast_done(redisCommand(redis, command)));
    return redis;
}

static void try_holdfast(void) {
    redisContext *redis = server_with("TABLE.CREATE try:t");
    require(holdfast_done(redisCommand(redis, "TABLE.INSERT try:t p r PROPS 1 n:int64 9223372036854775807")));
    redisReply *seen = redisCommand(redis, "TABLE.GET try:t p r");
    require(holdfast_number(seen->element[1], "n:int64") == INT64_MAX);
    require(!holdfast_field(seen->element[1], "missing"));
    freeReplyObject(seen);
    redisReply *refusal = redisCommand(redis, "TABLE.INSERT try:t p r PROPS 0");
    require(holdfast_refused(refusal, "CONFLICT") &&
            holdfast_refused(refusal, "CONFLICT EntityAlreadyExists"));
    require(!holdfast_refused(refusal, "CONFLICT Entity") && !holdfast_refused(NULL, "CONFLICT"));
    freeReplyObject(refusal);
    redisFree(redis);
}

static size_t one_more(const char *old, size_t length, char *content, size_t room, void *what) {
    (void)what;
    return (size_t)snprintf(content, room, "%ld", old ? strtol(old, NULL, 10) + (length > 0) : 1);
}

static void *count(void *what) {
    redisContext *redis = server_to_try();
    for (int time = 0; time < 25; time++) require(update(redis, "try:docs", "visits", one_more, what));
    redisFree(redis);
    return NULL;
}

static void together(int times, void *(*call)(void *)) {
    pthread_t threads[8];
    for (int at = 0; at < times; at++) require(!pthread_create(&threads[at], NULL, call, NULL));
    for (int at = 0; at < times; at++) pthread_join(threads[at], NULL);
}

static void try_compare_and_set(void) {
    redisContext *redis = server_with("CONTAINER.CREATE try:docs");
    together(4, count);
    redisReply *seen = redisCommand(redis, "BLOB.GET try:docs visits");
    require(!strcmp(seen->element[1]->str, "100"));
    freeReplyObject(seen);
    require(!update(redis, "try:none", "visits", one_more, NULL));
    redisFree(redis);
}

static _Atomic int inside;

static void *enter(void *what) {
    (void)what;
    struct lock lock;
    redisContext *redis = server_to_try();
    require(lock_take(&lock, redis, "try:docs", "report", "try", 15, LONGEST_BLOCK));
    require(atomic_fetch_add(&inside, 1) == 0);
    usleep(20000);
    atomic_fetch_sub(&inside, 1);
    lock_release(&lock, redis);
    redisFree(redis);
    return NULL;
}

static void try_lock(void) {
    redisContext *redis = server_with("CONTAINER.CREATE try:docs");
    together(3, enter);
    struct lock late, next;
    require(lock_take(&late, redis, "try:docs", "report", "late", 15, 0));
    require(lock_held(&late) && holdfast_done(lock_put(&late, redis, "part 1", 6)));
    require(!lock_take(&next, redis, "try:docs", "report", "next", 15, 0));
    require(holdfast_done(redisCommand(redis, "LEASE.BREAK try:docs PERIOD 0 BLOB report")));
    require(lock_take(&next, redis, "try:docs", "report", "next", 15, 0));
    require(strcmp(late.token, next.token) < 0);
    redisReply *refusal = lock_put(&late, redis, "too late", 8);
    require(holdfast_refused(refusal, "PRECONDITION"));
    freeReplyObject(refusal);
    lock_release(&late, redis);
    lock_release(&next, redis);
    redisFree(redis);
}

static const char *sleep_long(const struct message *message, void *what) {
    require(!strcmp(message->text, "long") && message->deliveries == 1);
    usleep(1600000); /* longer than the window of one second */
    *(bool *)what = message->is_lost;
    return NULL;
}

/* The connection that extends, which is the newest but ours, is gone before its UPDATE. */
static const char *sleep_alone(const struct message *message, void *what) {
    redisContext *redis = server_to_try();
    redisReply *own = redisCommand(redis, "CLIENT ID");
    require(own && own->type == REDIS_REPLY_INTEGER);
    require(holdfast_done(redisCommand(redis, "CLIENT KILL ID %lld", own->integer - 1)));
    freeReplyObject(own);
    redisFree(redis);
    usleep(1600000);
    *(bool *)what = message->is_lost;
    return NULL;
}

static const char *fail(const struct message *message, void *what) {
    (void)message;
    (void)what;
    return "cannot be done";
}

static void see_letter(const redisReply *letter, void *what) {
    *(bool *)what = !strcmp(holdfast_text(letter, "reason"), "cannot be done") &&
                    !strcmp(holdfast_text(letter, "message"), "poison");
}

static redisContext *thief;

static const char *steal(const struct message *message, void *what) {
    (void)what;
    require(
        holdfast_done(redisCommand(thief, "QUEUE.RELEASE try:jobs %s %s", message->id, message->receipt)));
    require(holdfast_done(redisCommand(thief, "QUEUE.GET try:jobs")));
    return NULL;
}

static bool steal_from_step(redisContext *redis, const struct message *message,
                            struct transaction *transaction, void *what) {
    (void)redis, (void)transaction;
    return !steal(message, what);
}

/* A late worker goes on with the next message, whatever it is answered. */
static void try_late(const char *answer) {
    redisContext *redis = server_with("QUEUE.CREATE try:jobs");
    thief = server_to_try();
    require(holdfast_done(redisCommand(redis, "CONFIG SET holdfast.queue-receipt-mismatch %s", answer)));
    require(holdfast_done(redisCommand(redis, "QUEUE.PUT try:jobs stolen")));
    require(work_one(redis, "try:jobs", steal, NULL, 30, LONGEST_BLOCK) == WORK_DONE);
    require(holdfast_done(redisCommand(redis, "QUEUE.PUT try:jobs stolen")));
    require(step_one(redis, "try:jobs", steal_from_step, NULL, 30, LONGEST_BLOCK) == WORK_DONE);
    redisFree(redis);
    redisFree(thief);
}

static void try_worker(void) {
    redisContext *redis = server_with("QUEUE.CREATE try:jobs");
    bool is_lost = true, is_seen = false;
    require(holdfast_done(redisCommand(redis, "QUEUE.CONFIGURE try:jobs MAXDELIVERIES 1")));
    require(holdfast_done(redisCommand(redis, "QUEUE.PUT try:jobs long")));
    require(work_one(redis, "try:jobs", sleep_long, &is_lost, 1, LONGEST_BLOCK) == WORK_DONE && !is_lost);
    require(holdfast_done(redisCommand(redis, "QUEUE.PUT try:jobs alone")));
    require(work_one(redis, "try:jobs", sleep_alone, &is_lost, 1, LONGEST_BLOCK) == WORK_DONE && !is_lost);
    require(work_one(redis, "try:jobs", fail, NULL, 1, 0.1) == WORK_NONE);
    require(holdfast_done(redisCommand(redis, "QUEUE.PUT try:jobs poison")));
    require(work_one(redis, "try:jobs", fail, NULL, 30, LONGEST_BLOCK) == WORK_GIVEN_BACK);
    require(each_dead(redis, "try:jobs", see_letter, &is_seen) && is_seen);
    require(work_one(redis, "try:none", fail, NULL, 30, LONGEST_BLOCK) == WORK_BROKEN);
    redisFree(redis);
    try_late("mismatch");
    try_late("notfound");
}

struct follower {
    char lines[1024];
    size_t length;
    int64_t position;
    int calls, most_calls;
};

static bool gather(const char *lines, size_t length, int64_t position, void *what) {
    struct follower *follower = what;
    require(follower->length + length <= sizeof follower->lines);
    memcpy(follower->lines + follower->length, lines, length);
    follower->length += length;
    follower->position = position;
    return ++follower->calls < follower->most_calls;
}

static void *follow(void *what) {
    (void)what;
    static struct follower follower = {.most_calls = 1};
    redisContext *redis = server_to_try();
    require(log_follow(redis, "try:docs", "log", 0, gather,
                       &follower)); /* stops after the first lines, and goes on */
    follower.most_calls = 1000;
    require(log_follow(redis, "try:docs", "log", follower.position, gather, &follower));
    require(follower.length == 12 && !memcmp(follower.lines, "one\ntwo\nend\n", 12));
    redisFree(redis);
    return NULL;
}

static void try_log(void) {
    redisContext *redis = server_with("CONTAINER.CREATE try:docs");
    pthread_t follower;
    require(holdfast_done(redisCommand(redis, "BLOB.CREATEAPPEND try:docs log")));
    require(!pthread_create(&follower, NULL, follow, NULL));
    static const char *const lines[] = {"one\n", "two\n", "end\n"};
    for (size_t at = 0; at < 3; at++)
        require(log_append(redis, "try:docs", "log", lines[at], 4) && !usleep(20000));
    require(holdfast_done(redisCommand(redis, "BLOB.SEAL try:docs log")));
    pthread_join(follower, NULL);
    require(!log_append(redis, "try:docs", "log", "too late\n", 9));
    redisFree(redis);
}

static void *promote_soon(void *nothing) {
    redisContext *redis = server_to_try();
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    require(holdfast_done(redisCommand(redis, "REPLICAOF NO ONE")));
    redisFree(redis);
    return nothing;
}

/* The answer is lost, since the connection is shut down before it is read: the command is sent again, and done once. So is one that is
 * refused until a replica is promoted. */
static void try_retries(void) {
    redisContext *redis = server_with("CONTAINER.CREATE try:docs"), *other = server_to_try();
    char token[ID_SIZE];
    holdfast_new_id(token);
    require(holdfast_done(redisCommand(redis, "BLOB.CREATEAPPEND try:docs log")));
    require(holdfast_done(redisCommand(other, "BLOB.APPEND try:docs log %s ONCE %s", "one", token)));
    shutdown(redis->fd, SHUT_RDWR);
    redisReply *reply = send_once(redis, token, "BLOB.APPEND try:docs log %s", "one");
    require(reply && reply->element[1]->integer == 0);
    freeReplyObject(reply);
    for (int time = 0; time < 2; time++) { /* a token of one's own, of any bytes but zero */
        reply = send_once(redis, "100 %s", "BLOB.APPEND try:docs log %b", "\0and ", (size_t)5);
        require(reply && reply->type == REDIS_REPLY_ARRAY && reply->element[1]->integer == 3);
        freeReplyObject(reply);
    }

    pthread_t promoter;
    require(holdfast_done(redisCommand(other, "REPLICAOF 127.0.0.1 1")));
    require(!pthread_create(&promoter, NULL, promote_soon, NULL));
    holdfast_new_id(token);
    reply = send_once(redis, token, "BLOB.APPEND try:docs log %s", "two");
    require(reply && reply->type == REDIS_REPLY_ARRAY);
    freeReplyObject(reply);
    require(!pthread_join(promoter, NULL));

    redisReply *seen = redisCommand(redis, "BLOB.GET try:docs log");
    require(seen->element[1]->len == 11 && !memcmp(seen->element[1]->str, "one\0and two", 11));
    freeReplyObject(seen);
    redisFree(redis);
    redisFree(other);
}

static int64_t coins_of(redisContext *redis, char etag[ETAG_SIZE]) {
    redisReply *seen = redisCommand(redis, "TABLE.GET try:bank bank anna");
    int64_t coins = holdfast_number(seen->element[1], "coins:int64");
    memcpy(etag, seen->element[0]->str, ETAG_SIZE);
    freeReplyObject(seen);
    return coins;
}

/* Adds a coin and sends a mail; the first worker dies before that, the second one meets somebody quicker. */
static bool count_and_mail(redisContext *redis, const struct message *message,
                           struct transaction *transaction, void *what) {
    int *times = what;
    char etag[ETAG_SIZE];
    if (++*times == 1) return false;
    int64_t coins = coins_of(redis, etag);
    if (*times == 2)
        require(holdfast_done(
            redisCommand(redis, "TABLE.MERGE try:bank bank anna IFMATCH * PROPS 1 coins:int64 10")));
    transaction_add(transaction, "TABLE.MERGE try:bank bank anna IFMATCH %s PROPS 1 coins:int64 %lld", etag,
                    (long long)coins + 1);
    transaction_add(transaction, "QUEUE.PUT try:mail %b", message->text, message->length);
    return true;
}

static void try_transactions(void) {
    redisContext *redis = server_with("TABLE.CREATE try:bank");
    redisFree(server_with("QUEUE.CREATE try:mail"));
    redisFree(server_with("QUEUE.CREATE try:jobs"));
    struct transaction transaction = {.words = NULL};
    char token[ID_SIZE], etag[ETAG_SIZE];
    holdfast_new_id(token);
    for (int time = 0; time < 3; time++) { /* asked for three times, done once */
        transaction_add(&transaction, "TABLE.INSERT try:bank bank anna PROPS 1 coins:int64 1");
        transaction_add(&transaction, "QUEUE.PUT try:mail %s", "anna has an account");
        redisReply *reply = transaction_send(&transaction, redis, token);
        require(reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2);
        freeReplyObject(reply);
    }
    transaction_add(&transaction, "TABLE.INSERT try:bank bank anna PROPS 0");
    transaction_add(&transaction, "QUEUE.PUT try:mail again");
    redisReply *refusal = transaction_send(&transaction, redis, NULL);
    require(holdfast_refused(refusal, "CONFLICT EntityAlreadyExists"));
    freeReplyObject(refusal);

    int times = 0;
    require(holdfast_done(redisCommand(redis, "QUEUE.PUT try:jobs job")));
    require(step_one(redis, "try:jobs", count_and_mail, &times, 1, LONGEST_BLOCK) == WORK_GIVEN_BACK);
    require(step_one(redis, "try:jobs", count_and_mail, &times, 1, 5) == WORK_DONE && times == 3);
    require(step_one(redis, "try:jobs", count_and_mail, &times, 1, 1.2) == WORK_NONE);
    require(coins_of(redis, etag) == 11);
    redisReply *mails = redisCommand(redis, "QUEUE.PEEK try:mail COUNT 10");
    require(mails->elements == 2);
    freeReplyObject(mails);
    redisFree(redis);
}

struct cache {
    int there, gone;
};

static void see_change(const char *name, const char *etag, bool is_gone, void *what) {
    struct cache *cache = what;
    require(!strncmp(name, "blob ", 5) && strlen(etag) == ETAG_SIZE - 1);
    cache->there += !is_gone;
    cache->gone += is_gone;
}

static void fail_over(redisContext *redis) {
    require(holdfast_done(redisCommand(redis, "REPLICAOF 127.0.0.1 1")));
    require(holdfast_done(redisCommand(redis, "REPLICAOF NO ONE")));
}

static void try_feed(void) {
    redisContext *redis = server_with("CONTAINER.CREATE try:docs");
    struct cache cache = {0};
    char bookmark[BOOKMARK_SIZE];
    require(holdfast_done(redisCommand(redis, "CONTAINER.FEED try:docs ON KEEP 2")));
    for (int number = 0; number < 1200; number++) /* more than a page */
        require(holdfast_done(redisCommand(redis, "BLOB.PUT try:docs %b x", "blob 0000", (size_t)9)) &&
                holdfast_done(redisCommand(redis, "BLOB.PUT try:docs %s%d x", "blob ", number)));
    require(feed_begin(redis, "try:docs", bookmark, see_change, &cache) && cache.there == 1201 &&
            !cache.gone);
    require(feed_follow(redis, "try:docs", bookmark, 0.01, see_change, &cache) == FEED_DONE &&
            cache.there == 1201);
    require(holdfast_done(redisCommand(redis, "BLOB.DELETE try:docs %s", "blob 7")));
    require(feed_follow(redis, "try:docs", bookmark, LONGEST_BLOCK, see_change, &cache) == FEED_DONE &&
            cache.gone == 1);
    for (int number = 10; number < 20; number++)
        require(holdfast_done(redisCommand(redis, "BLOB.DELETE try:docs blob%b%d", " ", (size_t)1, number)));
    require(feed_follow(redis, "try:docs", bookmark, 0.01, see_change, &cache) == FEED_LOST);
    cache = (struct cache){0};
    require(feed_begin(redis, "try:docs", bookmark, see_change, &cache) && cache.there == 1190);
    fail_over(redis); /* it may lose what was read, and not told yet */
    require(holdfast_done(redisCommand(redis, "BLOB.PUT try:docs %s x", "blob 0001")));
    require(feed_follow(redis, "try:docs", bookmark, LONGEST_BLOCK, see_change, &cache) == FEED_LOST);
    redisFree(redis);
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a broken connection is an error, not the end */
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {{"holdfast", try_holdfast},
                    {"compare_and_set", try_compare_and_set},
                    {"lock", try_lock},
                    {"worker", try_worker},
                    {"log", try_log},
                    {"retries", try_retries},
                    {"transactions", try_transactions},
                    {"feed", try_feed}};
    for (size_t at = 0; argc == 2 && at < sizeof programs / sizeof *programs; at++) {
        if (strcmp(programs[at].name, argv[1]) != 0) continue;
        programs[at].run();
        return 0;
    }
    fprintf(stderr, "usage: try NAME\n");
    return 2;
}
