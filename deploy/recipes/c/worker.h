/* deploy/recipes/c/worker.h */
/* Takes messages, extends their windows while it works, and settles them: deleted, or given back with a reason. */
#ifndef WORKER_H
#define WORKER_H

#include "holdfast.h"

struct message {
    char id[ID_SIZE], receipt[64];
    const char *text;
    size_t length;
    int64_t deliveries;
    bool is_lost; /* somebody else has it, or may have */
};

/* Whether somebody else has the message, or it has died: an answer by holdfast.queue-receipt-mismatch. */
bool message_is_lost(const redisReply *reply);

/* A message of QUEUE.GET; its text lasts as long as the reply. */
struct message message_of(const redisReply *map);

/* NULL when the work is done, or what went wrong. */
typedef const char *handle_message(const struct message *message, void *what);

enum work { WORK_NONE, WORK_DONE, WORK_GIVEN_BACK, WORK_BROKEN };

/* Handles one message; none may come in time. WORK_BROKEN: the connection broke, or the server is no primary any more or not yet. What we had
 * comes back to the queue by itself; connect anew after a pause, and go on. */
enum work work_one(redisContext *redis, const char *queue, handle_message *handle, void *what, int window,
                   double wait);

/* Calls tell for the dead letters, the oldest first. */
bool each_dead(redisContext *redis, const char *queue, void (*tell)(const redisReply *letter, void *what),
               void *what);

#endif
