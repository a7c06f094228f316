/* The replication stream, read by attaching to a server as one more replica. */
#ifndef HOLDFAST_TESTS_STREAM_H
#define HOLDFAST_TESTS_STREAM_H

#include "client.h"

struct stream;

/* Attaches with a full synchronisation, whose RDB is read over. Lasts until the end of the test. */
struct stream *stream_attach(struct server *server);

/* The commands that came through since the last time, each as an array of its words. `client` must talk to
 * the primary: it is used to mark the end. SELECT and the marks themselves are left out. */
redisReply *stream_commands(struct stream *stream, struct client *client);

/* Its words up to the second one: "HOLDFAST.APPLY box", which travels as HFA. */
const char *stream_line(const redisReply *command);

/* Requires exactly these lines (as stream_line shows them), separated by newlines. */
void stream_expect(struct stream *stream, struct client *client, const char *lines);

#endif
