/* deploy/recipes/c/transactions.h */
/* Several commands as one: all of them happen, or none. In a cluster their keys share a slot: orders{7}, mail{7}. */
#ifndef TRANSACTIONS_H
#define TRANSACTIONS_H

#include "holdfast.h"
#include "worker.h"

/* Zeroed: no commands. */
struct transaction {
    char *words; /* as they go over the wire */
    size_t length;
    int count, commands;
};

/* The words are as in redisCommand. */
void transaction_add(struct transaction *transaction, const char *words, ...);

/* Sends it, with a token or NULL, and empties it. Answers an array of the replies, or the refusal. */
redisReply *transaction_send(struct transaction *transaction, redisContext *redis, const char *token);

/* Adds the commands that are to happen. It may run more than once, so it reads, and changes nothing itself. */
typedef bool decide_step(redisContext *redis, const struct message *message, struct transaction *transaction,
                         void *what);

/* A step of work that happens exactly once: the message goes, and its results and the next messages come, in one transaction. Whenever this
 * program dies, the message comes back, or all of it has happened. Deciding takes less time than the window. */
enum work step_one(redisContext *redis, const char *queue, decide_step *decide, void *what, int window,
                   double wait);

#endif
