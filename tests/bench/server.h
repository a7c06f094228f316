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
#include <stdint.h>
#include <sys/types.h>

#include "options.h"

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

#endif
