/* What a server can do, found out by trying, never by its version: a test that needs what this one
 * lacks is skipped, and says why. */
#ifndef HOLDFAST_TESTS_PROBES_H
#define HOLDFAST_TESTS_PROBES_H

enum ability {
    /* CONFIG SET activedefrag yes */
    CAN_DEFRAGMENT,
    /* MOVE and COPY ... DB leave the client in the database that it selected. Valkey 8.1 did not, while a module
     * listens to key events: what the client sends next, and what replicas get of it, goes to another database. */
    KEEPS_DATABASE,
    /* ACL SETUSER ... db=0 */
    LIMITS_USERS_TO_DATABASES,
    /* Commands tell the server which keys they have at no fixed place. Where servers ask in several threads, they do not:
     * in clusters, and from Redis 8.4 on. */
    ASKS_FOR_KEYS,
    ABILITIES
};

/* Ends the test as skipped, unless the server can do it. Only at a test's beginning. */
void needs(enum ability ability);

#endif
