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
#include "settings.h"

struct server {
    pid_t process;
    char *folder;
    char *socket;
    redisContext *context; /* for commands that are not measured */
    int scheduler_file;    /* the kernel's account of the main thread, or -1 */
};

/* Settings that sections share: an append-only file; more messages at once than by default. */
#define WITH_AOF      APPEND_ONLY_FILE("everysec")
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

#endif
