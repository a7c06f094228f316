/* What tests of leases have in common: ids, where leases are, and what is said of them. */
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

#endif
