/* deploy/recipes/c/lock.h */
/* A lock that is waited for in line, renewed in the background, and checked by Redis with every write: the lease of a blob. */
#ifndef LOCK_H
#define LOCK_H

#include "holdfast.h"

#include <pthread.h>
#include <stdatomic.h>

struct lock {
    const char *container, *blob;
    int seconds;
    char id[ID_SIZE], token[ETAG_SIZE];
    redisContext *keeper; /* a connection of the thread's own */
    _Atomic int64_t ends; /* by our clock, and never later than by the server's; 0 when it is lost */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t over;
    bool is_over;
};

/* Makes the blob when there is none. False when somebody else has the lease, or the server cannot be had. */
bool lock_take(struct lock *lock, redisContext *redis, const char *container, const char *blob,
               const char *owner, int seconds, int wait);

/* For what you do elsewhere. Redis itself checks every write that says LEASE. */
bool lock_held(const struct lock *lock);

/* NULL, or a refusal, when the lock is lost. */
redisReply *lock_put(const struct lock *lock, redisContext *redis, const char *content, size_t length);

/* Gives it back; there may be nothing left to give. */
void lock_release(struct lock *lock, redisContext *redis);

#endif
