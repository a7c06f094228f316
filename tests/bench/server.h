/* The servers that are measured. They run with the module and otherwise default settings, listen on a unix socket,
 * and are stopped at the end whatever happens.
 *
 * Where there are two processors, server and client get one each, so that neither waits for the other or migrates. */
#ifndef BENCH_SERVER_H
#define BENCH_SERVER_H

#include <hiredis/hiredis.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench.h"
#include "settings.h"

struct server {
    pid_t process;
    char *folder;
    char *socket;
    redisContext *context; /* for commands that are not measured */
    unsigned unanswered;   /* of those that were sent */
    int scheduler_file;    /* the kernel's account of the main thread, or -1 */
};

/* Settings that sections share: an append-only file; more messages at once than by default. */
#define WITH_AOF      APPEND_ONLY_FILE("everysec")
#define LARGE_BATCHES "holdfast.queue-max-count 1000\n"

/* Who hears of the changes of a server. Of it and its replica, the one or the other is measured. */
enum propagation { TO_NOBODY, TO_A_FILE, TO_A_REPLICA, ON_A_REPLICA, PROPAGATIONS };

/* `settings` are lines of redis.conf. */
struct server *server_start(const struct options *options, const char *settings);

/* What a server's process is made of, and what it does to become a server. One that is not measured, such as a replica,
 * does not run on the processor of those that are. */
struct program {
    const char *server, *configuration, *folder;
};
void become_other(const void *program);
struct server *server_launch(const struct options *options, const char *settings,
                             void (*become)(const void *program));

/* Starts a replica of that server, and waits until it keeps up. */
struct server *replica_launch(const struct options *options, const char *settings, struct server *primary,
                              void (*become)(const void *program));

/* With these settings the server's children run on the processor of the bench, as they would on another one if the
 * server were not bound to its own. */
char *settings_with_children_aside(const char *settings);
void server_stop(struct server *server);

/* Makes the server listen on a free port of the loopback interface, and returns it. */
int server_listen(struct server *server);

/* Like redisCommand, but an error gives up. The reply is the caller's. */
redisReply *server_command(struct server *server, const char *format, ...);
void server_tell(struct server *server, const char *format, ...); /* the same, and frees the reply */

/* The same, with the words apart. */
redisReply *server_command_words(struct server *server, int count, const char **words);

/* Sends a command of very many, and goes on; server_await waits until all of them have been answered. An error gives up. */
void server_send(struct server *server, const char *format, ...);
void server_await(struct server *server);

/* Loads a script, and stores its digest. */
enum { DIGEST_BYTES = 40 };
void server_load_script(struct server *server, const char *script, char *digest);

/* A field of INFO; gives up when it is missing. */
char *server_info(struct server *server, const char *field);
int64_t server_info_number(struct server *server, const char *field);

/* used_memory, which is what maxmemory counts; and by how much it has grown since then, for each of so many. */
int64_t server_memory(struct server *server);
double server_memory_each(struct server *server, int64_t before, double count);

/* Nanoseconds of processor time that the server's main thread has used, exact once it sleeps. */
int64_t server_cpu_ns(const struct server *server);

/* Nanoseconds during which other programs kept the server's main thread, and the bench itself, from running. */
int64_t delays_ns(const struct server *server);

/* Gives the server time to finish its work after a reply, and to go to sleep. */
void server_settle(void);

int64_t monotonic_ns(void);

#endif
