/*
 * The redis-server processes that are measured: started with the module and otherwise default settings,
 * reached through a unix socket, stopped at the end whatever happens.
 *
 * Server and client get a processor of their own where there are two, so that neither waits for the other nor
 * wanders.
 */
#ifndef BENCH_SERVER_H
#define BENCH_SERVER_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench.h"

struct server {
    pid_t process;
    char *folder;
    char *socket;
    redisContext *context; /* for whatever is not measured */
    int scheduler_file;    /* the kernel's account of the main thread, or -1 */
};

/* `settings` are lines of redis.conf. */
struct server *server_start(const struct options *options, const char *settings);
void server_stop(struct server *server);

/* Makes the server listen on a free port of the loopback interface, and returns it. */
int server_listen(struct server *server);

/* Like redisCommand, but an error gives up. The reply is the caller's. */
redisReply *server_command(struct server *server, const char *format, ...);
void server_tell(struct server *server, const char *format, ...); /* the same where no reply is needed */

/* The replies to so many commands that were appended to the context. An error gives up. */
void server_await(struct server *server, unsigned count);

/* The script can be called by its digest from now on. */
enum { DIGEST_BYTES = 40 };
void server_load_script(struct server *server, const char *script, char *digest);

/* A field of INFO; gives up when it is missing. */
char *server_info(struct server *server, const char *field);
int64_t server_info_number(struct server *server, const char *field);

/* Nanoseconds of processor time that the server's main thread has used, exact once it has gone to sleep. */
int64_t server_cpu_ns(const struct server *server);

/* Nanoseconds for which other programs have kept the server's main thread, and the bench itself, from running. */
int64_t delays_ns(const struct server *server);

/* Gives the server time to finish what follows a reply, and to go to sleep. */
void server_settle(void);

int64_t monotonic_ns(void);

/* --- Connections --- */

/*
 * A connection that costs the client as little as possible: requests are bytes made beforehand, replies are
 * looked at where they lie and never copied. Reads RESP2.
 */

struct reply {
    char kind;        /* the first byte: + - : $ * */
    bool is_null;     /* of $ and * */
    const char *text; /* what stands in the line, or the bytes of a bulk string */
    size_t length;    /* of the text; for an array the number of its elements */
    const char *next; /* where the first element of an array starts; otherwise the end of the reply */
    const char *end;  /* of all that has been received */
};

struct connection;

struct connection *connection_open(const struct server *server, unsigned database);
void connection_close(struct connection *connection);

/* One of very many: it takes little memory, so what comes at a time must be small. Database 0. */
struct connection *connection_open_small(const struct server *server);

int connection_socket(const struct connection *connection);

void connection_send(struct connection *connection, const char *bytes, size_t length);

/* Waits for the next reply. It stays readable until connection_send. An error reply gives up; `what` names the
 * request. */
struct reply connection_receive(struct connection *connection, const char *what);

/* Likewise, but an error is a reply like any other. */
struct reply connection_receive_any(struct connection *connection);

/* One request, in the language of redisCommand. */
void connection_ask(struct connection *connection, const char *format, ...);

/* One request and its reply, in the language of redisCommand. */
struct reply connection_call(struct connection *connection, const char *format, ...);

/* An element of an array that has so many. */
struct reply reply_element(const struct reply *array, size_t index);

/* What stands behind a part of a reply: behind the head of an array its first element. There must be something. */
struct reply reply_next(const struct reply *part);

/*
 * Very many connections at a time, most of which wait for something.
 */

struct connection_set {
    struct connection **connections;
    unsigned count;
    int events;
};

/* How many connections a process may have here, at most the number that is wanted. */
unsigned connection_limit(unsigned wanted);

struct connection_set *connection_set_open(const struct server *server, unsigned count);
void connection_set_close(struct connection_set *set);

enum { NO_CONNECTION = -1 };

/* The number of somebody who has been answered, or NO_CONNECTION when that instant has come before. */
int connection_set_next(const struct connection_set *set, int64_t until_ns);

/* An id for each, that differs from all others'. Valid until the next call. */
const char *numbered_id(unsigned which);

#endif
