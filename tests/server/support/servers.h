/* redis-server processes with the module loaded, each in a scratch folder of its own, on a free port.
 *
 * They die with the test program whatever happens: by its regular end, by a failing check, and by its death.
 * The environment tells where things are: HOLDFAST_SERVER, HOLDFAST_MODULE, HOLDFAST_PRELOAD (a library that
 * is preloaded into the servers only, for sanitizers), HOLDFAST_TMP. */
#ifndef HOLDFAST_TESTS_SERVERS_H
#define HOLDFAST_TESTS_SERVERS_H

#include <stdbool.h>
#include <sys/types.h>

struct server {
    char *name;
    char *folder;
    char *settings;  /* lines of redis.conf that the test asked for */
    char *arguments; /* what comes behind loadmodule */
    int port;
    pid_t process; /* 0 when it does not run */
    bool is_sentinel;
};

/* `settings` are lines of redis.conf. The server lasts until the end of the test. */
struct server *server_start(const char *name, const char *settings);

/* The same in steps, so that several servers can start at the same time. */
struct server *server_launch(const char *name, const char *settings);
struct server *server_launch_with(const char *name, const char *settings, const char *arguments);
struct server *server_launch_sentinel(const char *name, const char *settings);
void server_await(struct server *server);

/* Has the end of the test stop the server, if it runs, and forget it. */
struct server *server_for_test(struct server *server);

/* Other settings from its next start on. */
void server_set(struct server *server, const char *settings);

/* Runs it again, with the files that it left in its folder. */
void server_restart(struct server *server);

/* Asks it to end, and fails when it ends in any way but cleanly (a sanitizer's report is one). */
void server_stop(struct server *server);

/* The same without failing: answers what was wrong with its end, or NULL. */
const char *server_ending(struct server *server);

/* Kills it without a word, as a power cut would. */
void server_kill(struct server *server);

/* Ends it if need be, and forgets it together with its folder. */
void server_forget(struct server *server);

/* Whether the process is still there. */
bool server_runs(struct server *server);

/* What to print about a server that gave no answer: whether it lives, and if not, how it died. */
const char *server_obituary(struct server *server);

/* Its log from the report of a crash on, or else the end of the log. */
const char *server_log(const struct server *server);

#endif
