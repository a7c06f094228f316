/* Keyspace notifications: what a server tells, and whether its replica tells the same. */
#ifndef HOLDFAST_TESTS_NOTIFICATIONS_H
#define HOLDFAST_TESTS_NOTIFICATIONS_H

#include "client.h"

/* A connection that hears what the server tells; lasts until the end of the test. */
struct client *notifications_listener(struct server *server);

/* What it has heard since the last time, as "event key, event key". */
const char *notifications_heard(struct client *listener);

/* Of each test: the replica must tell of changes what the primary tells. The order of what one transaction changes may
 * differ: the primary tells in the order of its commands. A replica that has connected anew since notifications_begin
 * may have missed some, or may have been a primary: then nothing is compared. */
void notifications_begin(void);
void notifications_require_alike(void);

#endif
