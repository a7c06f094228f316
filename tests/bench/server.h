/* The servers that are measured. They run with the module and otherwise default settings, listen on a unix socket,
 * and are stopped at the end whatever happens.
 *
 * Where there are two processors, server and client get one each, so that neither waits for the other or migrates. */
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
    redisContext *context; /* for commands that are not measured */
    int scheduler_file;    /* the kernel's account of the main thread, or -1 */
};

/* Settings that sections share: an append-only file, without a rewrite in the middle, which would be measured as if
 * it were the writers'; more messages at once than by default. */
#define WITH_AOF      "appendonly yes\nappendfsync everysec\nauto-aof-rewrite-percentage 0\n"
#define LARGE_BATCHES "holdfast.queue-max-count 1000\n"

/* `settings` are lines of redis.conf. */
struct server *server_start(const struct options *options, const char *settings);

/* The same for one that is not measured, such as a replica: it does not run on the processor of those that are. */
struct server *server_start_beside(const struct options *options, const char *settings);

/* With these settings the server's children run on the processor of the bench, as they would on another one if the
 * server were not bound to its own. */
char *settings_with_children_aside(const char *settings);
void server_stop(struct server *server);

/* Makes the server listen on a free port of the loopback interface, and returns it. */
int server_listen(struct server *server);

/* Like redisCommand, but an error gives up. The reply is the caller's. */
redisReply *server_command(struct server *server, const char *format, ...);
void server_tell(struct server *server, const char *format, ...); /* the same, and frees the reply */

/* Reads the replies to so many commands that were appended to the context. An error gives up. */
void server_await(struct server *server, unsigned count);

/* Loads a script, and stores its digest. */
enum { DIGEST_BYTES = 40 };
void server_load_script(struct server *server, const char *script, char *digest);

/* A field of INFO; gives up when it is missing. */
char *server_info(struct server *server, const char *field);
int64_t server_info_number(struct server *server, const char *field);

/* Nanoseconds of processor time that the server's main thread has used, exact once it sleeps. */
int64_t server_cpu_ns(const struct server *server);

/* Nanoseconds during which other programs kept the server's main thread, and the bench itself, from running. */
int64_t delays_ns(const struct server *server);

/* Gives the server time to finish its work after a reply, and to go to sleep. */
void server_settle(void);

int64_t monotonic_ns(void);

/* --- Connections --- */

/* A connection that costs the client as little as possible: requests are prepared in advance, replies are parsed in
 * the receive buffer and never copied. Reads RESP2. */

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

/* An id that is different for each number. Valid until the next call. */
const char *numbered_id(unsigned which);

#endif
