/* A connection that costs the client as little as possible: requests are prepared in advance, replies are parsed in
 * the receive buffer and never copied. Reads RESP2. */
#ifndef BENCH_CONNECTION_H
#define BENCH_CONNECTION_H

#include "server.h"

struct reply {
    char kind;        /* the first byte: + - : $ * */
    bool is_null;     /* of $ and * */
    const char *text; /* the rest of the line, or the bytes of a bulk string */
    size_t length;    /* of the text; for an array the number of its elements */
    const char *next; /* where the first element of an array starts; otherwise the end of the reply */
    const char *end;  /* of all that has been received */
};

struct connection;

struct connection *connection_open(const struct server *server, unsigned database);
void connection_close(struct connection *connection);

/* One of very many: it has a small buffer, so replies must be small. Database 0. */
struct connection *connection_open_small(const struct server *server);

/* One that takes replies of so many bytes. Database 0. */
struct connection *connection_open_large(const struct server *server, size_t bytes);

int connection_socket(const struct connection *connection);

void connection_send(struct connection *connection, const char *bytes, size_t length);

/* Waits for the next reply, which is valid until connection_send. An error reply gives up; `what`
 * names the request. */
struct reply connection_receive(struct connection *connection, const char *what);

/* The same, but returns an error like any other reply. */
struct reply connection_receive_any(struct connection *connection);

/* Sends one request, formatted as by redisCommand. */
void connection_ask(struct connection *connection, const char *format, ...);

/* Sends one request, formatted as by redisCommand, and waits for its reply. */
struct reply connection_call(struct connection *connection, const char *format, ...);

/* An element of an array, which must exist. */
struct reply reply_element(const struct reply *array, size_t index);

/* The part of a reply that follows this one, which must exist. The head of an array is followed by
 * its first element. */
struct reply reply_next(const struct reply *element);

/* The same, so many parts further on. */
struct reply reply_further(struct reply element, unsigned count);

/* Very many connections at once, most of which wait. */

struct connection_set {
    struct connection **connections;
    unsigned count;
    int events;
};

/* The number of connections that the process may open, at most the number wanted. */
unsigned connection_limit(unsigned wanted);

struct connection_set *connection_set_open(const struct server *server, unsigned count);
void connection_set_close(struct connection_set *set);

enum { NO_CONNECTION = -1 };

/* The index of a connection that has received a reply, or NO_CONNECTION if none has by that time. */
int connection_set_next(const struct connection_set *set, int64_t until_ns);

#endif
