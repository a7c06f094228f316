/*
 * A connection that costs the client as little as possible: requests are bytes made beforehand, replies are
 * looked at where they lie and never copied. Reads RESP2.
 */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "server.h"

struct reply {
    char kind;        /* the first byte: + - : $ * */
    bool is_null;     /* of $ and * */
    const char *text; /* what stands in the line, or the bytes of a bulk string */
    size_t length;    /* of the text; for an array the number of its elements */
    const char *next; /* where the first element of an array starts; otherwise the end of the reply */
    const char *end;  /* of all that has been received */
};

struct wire;

struct wire *wire_open(const struct server *server, unsigned database);
void wire_close(struct wire *wire);

/* One of very many: it takes little memory, so what comes at a time must be small. Database 0. */
struct wire *wire_open_narrow(const struct server *server);

int wire_socket(const struct wire *wire);

void wire_send(struct wire *wire, const char *bytes, size_t length);

/* Waits for the next reply. It stays readable until wire_send. An error reply gives up; `what` names the
 * request. */
struct reply wire_receive(struct wire *wire, const char *what);

/* Likewise, but an error is a reply like any other. */
struct reply wire_receive_any(struct wire *wire);

/* One request, in the language of redisCommand. */
void wire_ask(struct wire *wire, const char *format, ...);

/* One request and its reply, in the language of redisCommand. */
struct reply wire_call(struct wire *wire, const char *format, ...);

/* An element of an array that has so many. */
struct reply reply_element(const struct reply *array, size_t index);

/* What stands behind a part of a reply: behind the head of an array its first element. There must be something. */
struct reply reply_next(const struct reply *part);

#endif
