/* A connection that reads the protocol itself, for what hiredis 0.14 cannot read: RESP3, deeply nested
 * replies, pushed messages, and the stream that a primary sends to its replicas. */
#ifndef HOLDFAST_TESTS_WIRE_H
#define HOLDFAST_TESTS_WIRE_H

#include "reply.h"
#include "servers.h"
#include "words.h"

struct wire;

/* Lasts until the end of the test. */
struct wire *wire_open(struct server *server);

/* The same after HELLO 3. */
struct wire *wire_open_resp3(struct server *server);

void wire_send(struct wire *wire, const struct words *words);

/* Sends bytes as they are, protocol or not. */
void wire_send_raw(struct wire *wire, const void *bytes, size_t length);

/* The next value, whatever it is; fails when none comes within seconds. */
redisReply *wire_receive(struct wire *wire);

/* The next `length` bytes. */
const char *wire_receive_raw(struct wire *wire, size_t length);

/* Sends what is on the line, separated by spaces, and answers the reply. */
redisReply *wire_call(struct wire *wire, const char *line);
redisReply *wire_call_words(struct wire *wire, const struct words *words);

#endif
