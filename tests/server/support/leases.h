/* What tests of leases have in common: ids, a clock that is moved, and clients that wait.
 *
 * The clock goes forwards only, through all tests of a program, and is the same on all three servers,
 * so that all of them show the same leases as held. */
#ifndef HOLDFAST_TESTS_LEASES_H
#define HOLDFAST_TESTS_LEASES_H

#include "client.h"
#include "expect.h"

#define ID_A "aaaaaaaa-0000-4000-8000-00000000000a"
#define ID_B "bbbbbbbb-0000-4000-8000-00000000000b"
#define ID_C "cccccccc-0000-4000-8000-00000000000c"

/* Where a lease is: what comes behind the key in LEASE.*, and what it is called. */
struct lease_place {
    const char *noun;
    const char *clause;
};

extern const struct lease_place on_container, on_blob;

/* Makes `box` with the blob `cat`, nothing leased, and the clocks alike. */
void lease_setup(void);
void time_passes(long long ms);

/* The value of holdfast.clock-offset-ms at which so much more time will have passed, for a test that sets it itself. */
long long clock_after(long long ms);

/* Unix milliseconds by the primary's own clock. */
long long server_time(void);

/* Milliseconds that only serve to be subtracted. */
long long stopwatch(void);

/* Leases shorter than the service allows, so that a test can wait for their end: 50 ms and more. */
void allow_short_leases(void);

/* Acquires for the primary's client; what follows the duration is `rest`. Answers the token. */
const char *acquire(const char *container, const char *duration, const char *rest);

/* The id and the token of a granted, renewed or changed lease. */
const char *lease_id_at(struct place place, const redisReply *reply);
const char *lease_token_at(struct place place, const redisReply *reply);

#define lease_id(reply)    lease_id_at(HERE, reply)
#define lease_token(reply) lease_token_at(HERE, reply)

/* LEASE.GET of the primary. */
redisReply *lease_of(const char *container, const struct lease_place *where);
void expect_state_at(struct place place, const char *container, const struct lease_place *where,
                     const char *state);

#define expect_state(container, where, state) expect_state_at(HERE, container, where, state)

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
