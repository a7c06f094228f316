/* deploy/recipes/c/lock.c */
#include "lock.h"

#include <string.h>
#include <time.h>

static bool renew(struct lock *lock) {
    int64_t sent = holdfast_clock();
    redisReply *reply =
        redisCommand(lock->keeper, "LEASE.RENEW %s %s BLOB %s", lock->container, lock->id, lock->blob);
    if (!reply && redisReconnect(lock->keeper) != REDIS_OK)
        return true; /* there is time for another attempt */
    bool lost = holdfast_refused(reply, "CONFLICT") || holdfast_refused(reply, "NOTFOUND");
    if (lost) atomic_store(&lock->ends, 0); /* broken, or somebody else's by now */
    if (reply && reply->type == REDIS_REPLY_ARRAY)
        atomic_store(&lock->ends, sent + (int64_t)lock->seconds * 1000);
    if (reply) freeReplyObject(reply);
    return !lost;
}

/* False when the lock is over before. */
static bool sleep_unless_over(struct lock *lock, int milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
    pthread_mutex_lock(&lock->mutex);
    while (!lock->is_over && !pthread_cond_timedwait(&lock->over, &lock->mutex, &until)) continue;
    bool is_over = lock->is_over;
    pthread_mutex_unlock(&lock->mutex);
    return !is_over;
}

static void *keep(void *of) {
    struct lock *lock = of;
    while (sleep_unless_over(lock, lock->seconds * 1000 / 3) && renew(lock)) continue;
    return NULL;
}

static redisReply *acquire(struct lock *lock, redisContext *redis, const char *owner, int wait) {
    if (!wait)
        return redisCommand(redis, "LEASE.ACQUIRE %s %d BLOB %s ID %s OWNER %s", lock->container,
                            lock->seconds, lock->blob, lock->id, owner);
    return redisCommand(redis, "LEASE.ACQUIRE %s %d BLOB %s ID %s OWNER %s BLOCK %d", lock->container,
                        lock->seconds, lock->blob, lock->id, owner, wait);
}

bool lock_take(struct lock *lock, redisContext *redis, const char *container, const char *blob,
               const char *owner, int seconds, int wait) {
    *lock = (struct lock){.container = container,
                          .blob = blob,
                          .seconds = seconds,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .over = PTHREAD_COND_INITIALIZER};
    holdfast_new_id(
        lock->id); /* proposed by us, so that an ACQUIRE whose answer was lost can be sent again */
    redisReply *reply = acquire(lock, redis, owner, wait);
    if (holdfast_refused(reply, "NOTFOUND BlobNotFound")) {
        freeReplyObject(reply);
        reply = redisCommand(redis, "BLOB.PUT %s %s %b IFNONEMATCH *", container, blob, "", (size_t)0);
        if (reply) freeReplyObject(reply); /* somebody else may have made it just now */
        reply = acquire(lock, redis, owner, wait);
    }
    if (!reply || reply->type != REDIS_REPLY_ARRAY) return holdfast_done(reply);
    memcpy(lock->token, reply->element[1]->str, ETAG_SIZE);
    freeReplyObject(reply);
    lock->keeper = holdfast_connect(redis->tcp.host, redis->tcp.port);
    /* The answer may have been long on its way: from here on we know when the lease ends. */
    if (lock->keeper && renew(lock) && !pthread_create(&lock->thread, NULL, keep, lock)) return true;
    if (lock->keeper) redisFree(lock->keeper);
    return false;
}

bool lock_held(const struct lock *lock) {
    return holdfast_clock() < atomic_load(&lock->ends);
}

redisReply *lock_put(const struct lock *lock, redisContext *redis, const char *content, size_t length) {
    return redisCommand(redis, "BLOB.PUT %s %s %b LEASE %s", lock->container, lock->blob, content, length,
                        lock->id);
}

void lock_release(struct lock *lock, redisContext *redis) {
    pthread_mutex_lock(&lock->mutex);
    lock->is_over = true;
    pthread_cond_signal(&lock->over);
    pthread_mutex_unlock(&lock->mutex);
    pthread_join(lock->thread, NULL);
    redisFree(lock->keeper);
    redisReply *reply =
        redisCommand(redis, "LEASE.RELEASE %s %s BLOB %s", lock->container, lock->id, lock->blob);
    if (reply) freeReplyObject(reply);
}
