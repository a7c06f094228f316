/* Servers that stand alone: with an append-only file that loses nothing, or as a cluster of one node. */
#ifndef HOLDFAST_TESTS_LONE_H
#define HOLDFAST_TESTS_LONE_H

#include "client.h"

/* Settings under which what was answered is in the file. */
extern const char lone_with_file[];

/* A node that serves all slots. Lasts until the end of the test. */
struct client *lone_cluster(void);

/* The bytes that a server has in use, when the buffers of those who were connected are gone. */
long long lone_memory(struct server *server);

/* The file in the server's append-only folder whose name has this in it: ".base.aof", ".incr.aof". */
const char *lone_file(const struct server *server, const char *part);

/* Cuts so many bytes off the file of commands, as a power cut would. */
void lone_tear(const struct server *server, long bytes);

#endif
