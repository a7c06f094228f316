/* Sequences: requests of which each is made of earlier replies, as when a worker deletes a message by the id that it
 * got from the server.
 *
 *   step     a workload whose check keeps what the next step needs
 *   sequence steps in their order
 *   client   runs a sequence, and keeps what it got: a message, or a batch of them
 *   pool     the clients that run at once: 16 on each of several connections */
#ifndef BENCH_SEQUENCE_H
#define BENCH_SEQUENCE_H

#include "template.h"

enum { MESSAGES_AT_ONCE = 50, STEPS_MAX = 3, HELD_BYTES = 40, KEY_BYTES = 40 };

struct word {
    char text[HELD_BYTES];
    size_t length;
};

/* Copies a part of a reply, which must not be longer than HELD_BYTES. */
void word_keep(struct word *word, struct reply element);

struct client {
    uint64_t number; /* unique within the pool */
    struct {
        struct word id, receipt;
    } held[MESSAGES_AT_ONCE];
};

struct client_pool;

struct sequence {
    const char *name;            /* under which it is reported; NULL if it only fills */
    const struct family *family; /* to which that belongs */
    const char *create;          /* the command that makes its key, with %s; may be NULL */
    const struct workload *steps[STEPS_MAX + 1];
    void (*prepare)(struct client_pool *pool); /* where it takes more; may be NULL */
    uint64_t (*own)(uint64_t number);          /* of the client; may be NULL */
};

struct client_pool {
    const struct sequence *sequence;
    struct dataset *data;
    char key[KEY_BYTES];
    struct template steps[STEPS_MAX];
    struct word *granted; /* what the preparation got from the server */
    unsigned granted_count;
    uint64_t started;
    struct pipeline {
        struct client clients[PIPELINE];
        unsigned step;
        bool is_busy;
    } pipelines[CONNECTIONS];
    char *requests; /* buffer for those of a connection */
};

/* Uses the connections and the content of the dataset. */
struct client_pool *client_pool_open(const struct sequence *sequence, struct dataset *data, const char *key);
void client_pool_close(struct client_pool *pool);

/* Makes what is there before the first operation. */
void client_pool_prepare(struct client_pool *pool);

/* Runs the sequence so many times, rounded up to whole pipelines. */
void client_pool_run(struct client_pool *pool, uint64_t operations);

/* One step of a pipeline of clients on one connection: asks, and checks the answers. */
void clients_ask(struct client_pool *pool, const struct client *clients, unsigned step, unsigned connection);
void clients_await(struct client_pool *pool, struct client *clients, unsigned step, unsigned connection);

#endif
