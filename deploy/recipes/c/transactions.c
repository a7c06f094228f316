/* deploy/recipes/c/transactions.c */
#include "transactions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hiredis formats '*3\r\n' and the words. The words are kept; how many they are becomes a word itself. */
static void add_formatted(struct transaction *transaction, const char *formatted, size_t length,
                          bool counted) {
    const char *words = strstr(formatted, "\r\n") + 2;
    int count = atoi(formatted + 1);
    char number[16], before[48] = "";
    if (counted) {
        snprintf(number, sizeof number, "%d", count);
        snprintf(before, sizeof before, "$%zu\r\n%s\r\n", strlen(number), number);
    }
    length -= (size_t)(words - formatted);
    transaction->words = realloc(transaction->words, transaction->length + strlen(before) + length);
    if (!transaction->words) abort();
    memcpy(transaction->words + transaction->length, before, strlen(before));
    memcpy(transaction->words + transaction->length + strlen(before), words, length);
    transaction->length += strlen(before) + length;
    transaction->count += count + counted;
    transaction->commands += counted;
}

void transaction_add(struct transaction *transaction, const char *words, ...) {
    char *formatted;
    va_list values;
    va_start(values, words);
    int length = redisvFormatCommand(&formatted, words, values);
    va_end(values);
    if (length < 0) abort();
    add_formatted(transaction, formatted, (size_t)length, true);
    redisFreeCommand(formatted);
}

static void add_token(struct transaction *transaction, const char *token) {
    char *formatted;
    int length = redisFormatCommand(&formatted, "ONCE %s", token);
    if (length < 0) abort();
    add_formatted(transaction, formatted, (size_t)length, false);
    redisFreeCommand(formatted);
}

redisReply *transaction_send(struct transaction *transaction, redisContext *redis, const char *token) {
    char head[96], number[16];
    if (token) add_token(transaction, token);
    snprintf(number, sizeof number, "%d", transaction->commands);
    int length = snprintf(head, sizeof head, "*%d\r\n$15\r\nHOLDFAST.ATOMIC\r\n$%zu\r\n%s\r\n",
                          2 + transaction->count, strlen(number), number);
    redisReply *reply = NULL;
    redisAppendFormattedCommand(redis, head, (size_t)length);
    redisAppendFormattedCommand(redis, transaction->words,
                                transaction->length); /* the rest of the same command */
    redisGetReply(redis, (void **)&reply);
    free(transaction->words);
    *transaction = (struct transaction){.words = NULL};
    return reply;
}

/* Whether to decide again, since what was decided on has changed. */
static bool is_stale(const redisReply *reply) {
    return holdfast_refused(reply, "PRECONDITION") || holdfast_refused(reply, "CONFLICT");
}

static enum work decide_and_send(redisContext *redis, const char *queue, const struct message *message,
                                 decide_step *decide, void *what) {
    for (int attempt = 1; attempt < 100; attempt++) {
        struct transaction transaction = {.words = NULL};
        transaction_add(&transaction, "QUEUE.DELETE %s %s %s", queue, message->id, message->receipt);
        if (!decide(redis, message, &transaction, what)) {
            free(transaction.words);
            return WORK_GIVEN_BACK; /* it comes back when its window ends */
        }
        redisReply *reply = transaction_send(&transaction, redis, NULL);
        bool again = is_stale(reply), late = message_is_lost(reply) && strstr(reply->str, " 0: ");
        if (again || late) freeReplyObject(reply);
        if (late) return WORK_DONE; /* somebody else has the message, and does it */
        if (!again) return holdfast_done(reply) ? WORK_DONE : WORK_BROKEN;
        holdfast_pause(attempt);
    }
    return WORK_GIVEN_BACK;
}

enum work step_one(redisContext *redis, const char *queue, decide_step *decide, void *what, int window,
                   double wait) {
    redisReply *taken = redisCommand(redis, "QUEUE.GET %s VISIBILITY %d BLOCK %f", queue, window, wait);
    if (!taken || taken->type == REDIS_REPLY_ERROR) return holdfast_done(taken) ? WORK_NONE : WORK_BROKEN;
    enum work work = WORK_NONE;
    if (taken->elements) {
        struct message message = message_of(taken->element[0]);
        work = decide_and_send(redis, queue, &message, decide, what);
    }
    freeReplyObject(taken);
    return work;
}
