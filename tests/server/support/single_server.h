/* Servers beside the three of the harness: alone, with an append-only file that loses nothing, as a
 * cluster of one node, or a pair. */
#ifndef HOLDFAST_TESTS_SINGLE_SERVER_H
#define HOLDFAST_TESTS_SINGLE_SERVER_H

#include "client.h"

/* Settings under which what was answered is in the file. */
extern const char settings_with_file[];

/* The path of a library that is built beside the tests: "listener.so" is tests/server/modules/listener.c. */
const char *test_library(const char *name);

/* A node that serves all slots, with further settings. Lasts until the end of the test. */
struct client *cluster_of_one(const char *settings);

/* Two servers with the same settings, of which the second one follows the first. They last until the end of the test. */
void pair_start(struct client **first, struct client **second, const char *settings);

/* Ends a server by server_kill or server_stop, starts it again with its files, and answers a connection to it. */
struct client *restarted(struct server *server, void (*end)(struct server *server));
/* The same, and it has the data that it had. */
struct client *restarted_as_it_was(struct client *client, void (*end)(struct server *server));

/* The bytes that a server has in use, when the buffers of those who were connected are gone. */
long long memory_in_use(struct server *server);

/* The file in the server's append-only folder whose name has this in it: ".base.aof", ".incr.aof". */
const char *append_only_path(const struct server *server, const char *part);

/* Cuts so many bytes off the file of commands, as a power cut would. */
void append_only_cut(const struct server *server, long bytes);

#endif
