/* Clients that wait: for a lease, a message, a change, an open or a lock. */
#ifndef HOLDFAST_TESTS_WAITING_H
#define HOLDFAST_TESTS_WAITING_H

#include "client.h"
#include "expect.h"

/* A client of its own that sends the line and has to wait for the answer; returns when it is in line. */
struct client *waiting(const char *line);
struct client *waiting_at(struct server *server, int database, const char *line);

/* The same, with the number by which the server knows it. */
struct client *waiting_known(const char *line, long long *id);

/* The same, for the user guest, who may do everything at first. */
struct client *waiting_user(const char *line, long long *id);

/* Sends the line, for an answer that comes later. */
void send_line(struct client *client, const char *line);

/* How many wait, for whatever it is. */
long long waiters_at(struct client *client);

/* Its answer, which must have come already, or within the time. */
redisReply *answer_of_at(struct place place, struct client *client);
redisReply *answer_within_at(struct place place, struct client *client, int ms);
void expect_still_waiting_at(struct place place, struct client *client);

#define answer_of(client)            answer_of_at(HERE, client)
#define answer_within(client, ms)    answer_within_at(HERE, client, ms)
#define expect_still_waiting(client) expect_still_waiting_at(HERE, client)

/* Waits until so many wait at the server. */
void await_waiters(struct client *client, long long count);

#endif
