#define _GNU_SOURCE
#include "servers.h"

#include <errno.h>
#include <glob.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ccan/array_size/array_size.h"
#include "failure.h"
#include "pool.h"
#include "processes.h"
#include "text.h"

enum {
    SERVERS_MAX = 32,
    START_SECONDS = 30,
    STOP_SECONDS = 30,
    START_ATTEMPTS = 5,
    DEATH_SECONDS = 5,
    LOG_BYTES_SHOWN = 2500
};

/* What all servers of the tests have in common: quick reactions, and no traffic but what the tests cause. */
static const char common_settings[] = "bind 127.0.0.1\n"
                                      "save \"\"\n"
                                      "appendonly no\n"
                                      "hz 500\n"
                                      "dynamic-hz no\n"
                                      "enable-debug-command yes\n"
                                      "repl-diskless-sync no\n"
                                      "repl-diskless-load on-empty-db\n"
                                      "repl-ping-replica-period 3600\n"
                                      "repl-timeout 7200\n"
                                      "shutdown-timeout 0\n"
                                      "appendfsync no\n"
                                      "notify-keyspace-events KEAd\n";

static struct server *servers[SERVERS_MAX];

static const char *environment(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void kill_all(void) {
    for (int i = 0; i < SERVERS_MAX; i++) {
        if (servers[i] && servers[i]->process) kill(servers[i]->process, SIGKILL);
    }
}

static void server_register(struct server *server) {
    static bool is_prepared;
    if (!is_prepared) {
        is_prepared = true;
        atexit(kill_all);
    }
    for (int i = 0; i < SERVERS_MAX; i++) {
        if (!servers[i]) {
            servers[i] = server;
            return;
        }
    }
    failure("more than %d servers at once", SERVERS_MAX);
}

static void server_unregister(const struct server *server) {
    for (int i = 0; i < SERVERS_MAX; i++) {
        if (servers[i] == server) servers[i] = NULL;
    }
}

static char *scratch_folder(const char *name) {
    char *folder = folder_make_new(environment("HOLDFAST_TMP", "build/tmp"), name);
    require(folder, "no scratch folder for %s: %s", name, strerror(errno));
    return folder;
}

static void write_configuration(const struct server *server) {
    const char *module = environment("HOLDFAST_MODULE", "build/holdfast.so");
    char *module_path = realpath(module, NULL);
    require(module_path, "no module at %s", module);
    FILE *file = fopen(pool_print("%s/redis.conf", server->folder), "w");
    require(file, "cannot write the configuration in %s", server->folder);
    if (!server->is_sentinel) fputs(common_settings, file);
    fprintf(file, "port %d\ndir %s\nlogfile %s/log\n%s\n", server->port, server->folder, server->folder,
            server->settings);
    if (!server->is_sentinel) fprintf(file, "loadmodule %s %s\n", module_path, server->arguments);
    fclose(file);
    free(module_path);
}

/* Reports go to the server's folder. Redis asks for as much memory as a payload says that it needs, and takes
 * no for an answer; a sanitizer must give that answer, too. */
static void preload(const struct server *server, const char *library) {
    static const char *const variables[] = {"ASAN_OPTIONS", "UBSAN_OPTIONS"};
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
        const char *options = environment(variables[i], "print_stacktrace=1");
        setenv(variables[i],
               pool_print("%s:log_path=%s/sanitizer:allocator_may_return_null=1", options, server->folder),
               1);
    }
    setenv("LD_PRELOAD", library, 1);
}

/* Runs in the child. */
static void become_server(const void *what) {
    const struct server *server = what;
    const char *preloaded = environment("HOLDFAST_PRELOAD", "");
    if (*preloaded) preload(server, preloaded);
    const char *program = environment("HOLDFAST_SERVER", "redis-server");
    execlp(program, program, pool_print("%s/redis.conf", server->folder),
           server->is_sentinel ? "--sentinel" : NULL, (char *)NULL);
}

static void server_run(struct server *server) {
    write_configuration(server);
    server->process = process_start(pool_print("%s/output", server->folder), become_server, server);
    require(server->process >= 0, "cannot fork: %s", strerror(errno));
}

static struct server *server_new(const char *name, const char *settings, const char *arguments) {
    struct server *server = calloc(1, sizeof(*server));
    require(server, "out of memory");
    server->name = strdup(name);
    server->settings = strdup(settings);
    server->arguments = strdup(arguments);
    server->folder = scratch_folder(name);
    server->port = free_port();
    server_register(server);
    return server;
}

struct server *server_launch_with(const char *name, const char *settings, const char *arguments) {
    struct server *server = server_new(name, settings, arguments);
    server_run(server);
    return server;
}

struct server *server_launch_sentinel(const char *name, const char *settings) {
    struct server *server = server_new(name, settings, "");
    server->is_sentinel = true;
    server_run(server);
    return server;
}

struct server *server_launch(const char *name, const char *settings) {
    return server_launch_with(name, settings, "");
}

static bool server_answers(const struct server *server) {
    redisContext *context = redisConnect("127.0.0.1", server->port);
    bool answers = false;
    if (context && !context->err) {
        redisReply *reply = redisCommand(context, "INFO server");
        const char *process = pool_print("process_id:%d\r", (int)server->process);
        /* Another server may have taken the port meanwhile. While a file is loaded, INFO answers, PING does not. */
        answers = reply && reply->type == REDIS_REPLY_STRING && strstr(reply->str, process);
        if (reply) freeReplyObject(reply);
        reply = answers ? redisCommand(context, "PING") : NULL;
        answers = reply && reply->type != REDIS_REPLY_ERROR;
        if (reply) freeReplyObject(reply);
    }
    if (context) redisFree(context);
    return answers;
}

bool server_runs(struct server *server) {
    return process_runs(&server->process);
}

static bool server_comes_up(struct server *server) {
    for (int attempt = 0; attempt < START_SECONDS * 200; attempt++) {
        if (!server_runs(server)) return false;
        if (server_answers(server)) return true;
        usleep(5000);
    }
    return false;
}

/* From the report of a crash on, or else the last bytes. */
static const char *file_telling(const char *path) {
    static const char *const reports[] = {"REDIS BUG REPORT START", "ERROR: AddressSanitizer",
                                          "runtime error:", "ERROR: LeakSanitizer"};
    FILE *file = fopen(path, "r");
    if (!file) return "";
    struct text text = EMPTY_TEXT;
    char part[4096];
    for (size_t length = fread(part, 1, sizeof(part), file); length;
         length = fread(part, 1, sizeof(part), file)) {
        text_add(&text, part, length);
    }
    fclose(file);
    for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
        const char *report = strstr(text.bytes, reports[i]);
        if (report) return pool_print("%.*s", LOG_BYTES_SHOWN, report);
    }
    return text.bytes + (text.length > LOG_BYTES_SHOWN ? text.length - LOG_BYTES_SHOWN : 0);
}

const char *server_log(const struct server *server) {
    static const char *const files[] = {"sanitizer.*", "output", "log"};
    struct text text = EMPTY_TEXT;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        glob_t found;
        if (glob(pool_print("%s/%s", server->folder, files[i]), 0, NULL, &found)) continue;
        for (size_t place = 0; place < found.gl_pathc; place++)
            text_print(&text, "%s\n", file_telling(found.gl_pathv[place]));
        globfree(&found);
    }
    return text.bytes;
}

const char *server_obituary(struct server *server) {
    /* A connection ends before the process does, which first writes its report. */
    for (int attempt = 0; attempt < DEATH_SECONDS * 200 && server_runs(server); attempt++) usleep(5000);
    if (server_runs(server)) return pool_print("server %s still runs", server->name);
    return pool_print("server %s has died; its log:\n%s", server->name, server_log(server));
}

void server_await(struct server *server) {
    for (int attempt = 0; attempt < START_ATTEMPTS; attempt++) {
        if (server_comes_up(server)) return;
        if (!strstr(server_log(server), "in use")) break;
        server->port = free_port();
        server_run(server);
    }
    failure("server %s does not come up; its log ends:\n%s", server->name, server_log(server));
}

static void server_end_kept(void *kept) {
    struct server *server = kept;
    const char *ending = server_ending(server);
    server_forget(server);
    if (ending) failure("%s", ending);
}

struct server *server_for_test(struct server *server) {
    pool_keep(server, server_end_kept);
    return server;
}

struct server *server_start(const char *name, const char *settings) {
    struct server *server = server_for_test(server_launch(name, settings));
    server_await(server);
    return server;
}

void server_set(struct server *server, const char *settings) {
    free(server->settings);
    server->settings = strdup(settings);
}

void server_restart(struct server *server) {
    require(!server_runs(server), "server %s still runs", server->name);
    server_run(server);
    server_await(server);
}

const char *server_ending(struct server *server) {
    if (!server->process) return NULL;
    redisContext *context = redisConnect("127.0.0.1", server->port);
    if (context) {
        redisReply *reply = redisCommand(context, "SHUTDOWN NOSAVE FORCE");
        if (reply) freeReplyObject(reply);
        redisFree(context);
    }
    int status = process_await_end(&server->process, STOP_SECONDS);
    if (!status) return NULL;
    const char *log = server_log(server);
    server_kill(server);
    return pool_print("server %s ended with status %d; its log:\n%s", server->name, status, log);
}

void server_stop(struct server *server) {
    const char *ending = server_ending(server);
    if (ending) failure("%s", ending);
}

void server_kill(struct server *server) {
    process_kill(&server->process);
}

void server_forget(struct server *server) {
    server_kill(server);
    server_unregister(server);
    folder_remove(server->folder);
    free(server->name);
    free(server->settings);
    free(server->arguments);
    free(server->folder);
    free(server);
}
