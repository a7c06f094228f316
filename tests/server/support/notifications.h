/* Keyspace notifications: what a server tells, and whether its replicas tell the same. */
#ifndef HOLDFAST_TESTS_NOTIFICATIONS_H
#define HOLDFAST_TESTS_NOTIFICATIONS_H

#include "client.h"

/* A connection that hears what the server tells; lasts until the end of the test. */
struct client *notifications_listener(struct server *server);

/* What it has heard since the last time, as "event key, event key". */
const char *notifications_heard(struct client *listener);

/* Listens to the three servers of the harness. */
void notifications_begin(void);

/* The two replicas must have told of changes what the primary told since the last time. The order of what one
 * transaction changes may differ: the primary tells in the order of its commands. */
void notifications_require_alike(const char *what);

#endif
