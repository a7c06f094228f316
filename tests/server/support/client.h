/* Talking to a server. Replies live in the pool, that is until the test ends.
 *
 * A connection that breaks fails the test, and shows the end of the server's log: the server has most likely died. */
#ifndef HOLDFAST_TESTS_CLIENT_H
#define HOLDFAST_TESTS_CLIENT_H

#include "reply.h"
#include "servers.h"
#include "words.h"

struct client {
    redisContext *context;
    struct server *server;
};

/* Lasts until client_close. */
struct client *client_open(struct server *server);
void client_close(struct client *client);

/* Lasts until the end of the test. */
struct client *test_client(struct server *server);

/* One command, one reply. The format is that of hiredis: %s, %b, %d, %lld. */
redisReply *call(struct client *client, const char *format, ...);
redisReply *call_words(struct client *client, const struct words *words);

/* The same with the words of a line, see words_add_line. */
redisReply *call_line(struct client *client, const char *line);

/* For pipelines, and for connections that others talk to. What is to be sent leaves with
 * send_now, or when the first answer is waited for. */
void send_call(struct client *client, const char *format, ...);
void send_words(struct client *client, const struct words *words);
void send_now(struct client *client);
redisReply *receive(struct client *client);

/* So many commands in one go, with a number from 0 on in each if the format has %d; none may be refused. */
void call_many(struct client *client, int count, const char *format);

#endif
