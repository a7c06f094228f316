/* The servers of all tests of a program: a primary, a replica of it with another configuration, and
 * a replica of that replica, which keeps an append-only file.
 *
 * Every test begins with empty databases, and ends with require_same_everywhere and notifications_require_alike. */
#ifndef HOLDFAST_TESTS_HARNESS_H
#define HOLDFAST_TESTS_HARNESS_H

#include "await.h"
#include "ccan/array_size/array_size.h"
#include "client.h"
#include "expect.h"
#include "test_list.h"

/* Connections to the three servers. */
extern struct client *primary;
extern struct client *replica;
extern struct client *chained;

/* For the main() of a program. */
int harness_open(void **state);
int harness_close(void **state);
int test_open(void **state);
int test_close(void **state);

/* How many servers ended badly. */
int harness_bad_ends(void);

/* A test that plays effects which do not fit the state they meet says so; otherwise they are a failure. */
void expect_misfits(void);

/* How many effects it could not read, or did not fit the state that they met: they betray a difference that digests may
 * not show. */
long long misfits_of(struct client *client);

/* Waits until all three have applied all that the primary sent. */
void await_replicas(void);

/* Makes one server a replica of another one and waits until it has its data. */
void follow(struct client *follower, struct client *leader);

/* Whether `follower` has applied all that `leader` sent; waits until it has. */
bool is_in_step(struct client *follower, struct client *leader);
void await_in_step(struct client *follower, struct client *leader);

/* Sets a configuration value and puts back the old one when the test ends. */
void configure(struct client *client, const char *name, const char *value);

/* A number of INFO, all sections looked through. */
long long info_of(struct client *client, const char *name);
/* How often the command was called. */
long long info_calls_of(struct client *client, const char *command);
/* Waits until it is that. */
void await_info(struct client *client, const char *name, long long number);

/* CONTAINER.CREATE and BLOB.PUT that must succeed, for tests that begin with something there. */
const char *create(const char *container);
const char *put(const char *container, const char *blob, const char *content);

/* BLOB.STAT of the primary, and one of its fields as a number. */
redisReply *stat_of(const char *container, const char *blob);
long long instant_of(const char *container, const char *blob);

#endif
