#define _GNU_SOURCE
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "processes.h"

enum { SERVERS_MAX = 8, START_SECONDS = 60, STOP_SECONDS = 20, SETTLE_US = 200, PORT_ATTEMPTS = 20 };
enum { LOG_BYTES_SHOWN = 4000, SENT_AT_ONCE = 500 };

static struct server *servers[SERVERS_MAX];

static struct server **server_place(const struct server *server) {
    for (int i = 0; i < SERVERS_MAX; i++) {
        if (servers[i] == server) return &servers[i];
    }
    give_up("more than %d servers at once", SERVERS_MAX);
}

static void show_end(const char *folder, const char *name) {
    char *path = format_text("%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    free(path);
    if (!file) return;
    char text[LOG_BYTES_SHOWN] = {0};
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, size > LOG_BYTES_SHOWN ? size - LOG_BYTES_SHOWN : 0, SEEK_SET);
    fwrite(text, 1, fread(text, 1, sizeof(text), file), stderr);
    fclose(file);
}

/* What a server that does not answer has said. */
static void show_last_words(const struct server *server) {
    show_end(server->folder, "output");
    show_end(server->folder, "log");
}

/* Calls nothing that a signal handler must not call: those two make system calls only. */
static void end_all(void) {
    for (int i = 0; i < SERVERS_MAX; i++) {
        if (!servers[i]) continue;
        process_kill(&servers[i]->process); /* NOLINT(bugprone-signal-handler) */
        unlink(servers[i]->socket);
        folder_remove(servers[i]->folder); /* NOLINT(bugprone-signal-handler) */
    }
}

static void end_by_signal(int number) {
    end_all();
    _exit(128 + number);
}

/* A server that has gone by itself has said why in its log, most likely. */
static void end_at_exit(void) {
    for (int i = 0; i < SERVERS_MAX; i++) {
        if (!servers[i] || process_runs(&servers[i]->process)) continue;
        show_last_words(servers[i]);
    }
    end_all();
}

/* The number of the first or the second processor that we may use; negative if there is only one. */
static int processor_number(size_t which) {
    static cpu_set_t at_first;
    static bool is_known;
    if (!is_known && sched_getaffinity(0, sizeof(at_first), &at_first)) return -1;
    is_known = true;
    if (CPU_COUNT(&at_first) < 2) return -1;
    for (int processor = 0; processor < CPU_SETSIZE; processor++)
        if (CPU_ISSET((size_t)processor, &at_first) && which-- == 0) return processor;
    return -1;
}

/* The processor for one side: the first is that of the server that is measured, the second is everybody else's. */
static void take_processor(size_t which) {
    int processor = processor_number(which);
    if (processor < 0) return;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    CPU_SET((size_t)processor, &allowed);
    sched_setaffinity(0, sizeof(allowed), &allowed);
}

char *settings_with_children_aside(const char *settings) {
    int processor = processor_number(1);
    if (processor < 0) return format_text("%s", settings);
    return format_text("%sbgsave_cpulist %d\naof_rewrite_cpulist %d\n", settings, processor, processor);
}

static char *write_configuration(const struct server *server, const struct options *options,
                                 const char *settings) {
    char *path = format_text("%s/redis.conf", server->folder);
    FILE *file = fopen(path, "w");
    require(file, "cannot write %s: %s", path, strerror(errno));
    fprintf(file,
            "port 0\nunixsocket %s\ndir %s\nlogfile %s/log\nsave \"\"\nappendonly no\nloadmodule "
            "%s\nloadmodule %s\n%s",
            server->socket, server->folder, server->folder, options->module, options->bare, settings);
    fclose(file);
    return path;
}

static void become_server(const struct program *program, size_t processor) {
    take_processor(processor);
    execlp(program->server, program->server, program->configuration, (char *)NULL);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", program->server, strerror(errno));
}

static void become_measured(const void *program) {
    become_server(program, 0);
}

void become_other(const void *program) {
    become_server(program, 1);
}

static void start_await(struct server *server) {
    for (int attempt = 0; attempt < START_SECONDS * 100; attempt++) {
        if (!process_runs(&server->process)) break;
        server->context = redisConnectUnix(server->socket);
        require(server->context, "out of memory");
        redisReply *reply = server->context->err ? NULL : redisCommand(server->context, "PING");
        bool answers = reply && reply->type == REDIS_REPLY_STATUS;
        if (reply) freeReplyObject(reply);
        if (answers) return;
        redisFree(server->context);
        server->context = NULL;
        usleep(10000);
    }
    show_last_words(server);
    give_up("the server did not come up, see above");
}

static void server_run(struct server *server, const struct options *options, const char *settings,
                       void (*become)(const void *program)) {
    char *output = format_text("%s/output", server->folder);
    char *configuration = write_configuration(server, options, settings);
    const struct program program = {options->server, configuration, server->folder};
    server->process = process_start(output, become, &program);
    require(server->process >= 0, "cannot fork: %s", strerror(errno));
    free(output);
    free(configuration);
}

struct server *server_launch(const struct options *options, const char *settings,
                             void (*become)(const void *program)) {
    static unsigned started;
    struct server *server = allocate(1, sizeof(*server));
    if (!started++) {
        atexit(end_at_exit);
        signal(SIGINT, end_by_signal);
        signal(SIGTERM, end_by_signal);
    }
    server->folder = folder_make_new(options->output, "server");
    require(server->folder, "cannot make a folder in %s: %s", options->output, strerror(errno));
    /* Not in that folder: the path of a socket must be short. */
    server->socket = format_text("/tmp/holdfast-bench-%d-%u.sock", (int)getpid(), started);
    *server_place(NULL) = server;
    server_run(server, options, settings, become);
    take_processor(1);
    start_await(server);
    char *path = format_text("/proc/%d/task/%d/schedstat", (int)server->process, (int)server->process);
    server->scheduler_file = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    return server;
}

struct server *server_start(const struct options *options, const char *settings) {
    return server_launch(options, settings, become_measured);
}

void server_stop(struct server *server) {
    redisFree(server->context);
    if (server->scheduler_file >= 0) close(server->scheduler_file);
    kill(server->process, SIGTERM);
    if (process_await_end(&server->process, STOP_SECONDS) < 0) process_kill(&server->process);
    unlink(server->socket);
    *server_place(server) = NULL;
    folder_remove(server->folder);
    free(server->folder);
    free(server->socket);
    free(server);
}

int server_listen(struct server *server) {
    /* Somebody else may take the port before the server does. */
    for (int attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
        int port = free_port();
        redisReply *reply = redisCommand(server->context, "CONFIG SET port %d", port);
        require(reply, "the server is gone");
        bool listens = reply->type == REDIS_REPLY_STATUS;
        freeReplyObject(reply);
        if (listens) return port;
    }
    give_up("the server finds no free port");
}

static redisReply *reply_checked(struct server *server, redisReply *reply, const char *command) {
    require(reply, "the server is gone at '%s': %s", command, server->context->errstr);
    require(reply->type != REDIS_REPLY_ERROR, "'%s' was answered by: %s", command, reply->str);
    return reply;
}

redisReply *server_command(struct server *server, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    redisReply *reply = redisvCommand(server->context, format, arguments);
    va_end(arguments);
    return reply_checked(server, reply, format);
}

void server_tell(struct server *server, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    redisReply *reply = redisvCommand(server->context, format, arguments);
    va_end(arguments);
    freeReplyObject(reply_checked(server, reply, format));
}

redisReply *server_command_words(struct server *server, int count, const char **words) {
    return reply_checked(server, redisCommandArgv(server->context, count, words, NULL), *words);
}

void server_send(struct server *server, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    redisvAppendCommand(server->context, format, arguments);
    va_end(arguments);
    if (++server->unanswered == SENT_AT_ONCE) server_await(server);
}

void server_await(struct server *server) {
    for (; server->unanswered; server->unanswered--) {
        redisReply *reply = NULL;
        redisGetReply(server->context, (void **)&reply);
        freeReplyObject(reply_checked(server, reply, "one of many"));
    }
}

static bool is_followed(struct server *primary, struct server *replica) {
    redisReply *reply = server_command(primary, "INFO replication");
    char *status = server_info(replica, "master_link_status");
    bool is_up = text_is(status, "up") && strstr(reply->str, "state=online");
    freeReplyObject(reply);
    free(status);
    return is_up;
}

struct server *replica_launch(const struct options *options, const char *settings, struct server *primary,
                              void (*become)(const void *program)) {
    char *with_primary = format_text("%sreplicaof 127.0.0.1 %d\n", settings, server_listen(primary));
    struct server *replica = server_launch(options, with_primary, become);
    free(with_primary);
    for (int attempt = 0; attempt < START_SECONDS * 100; attempt++) {
        if (is_followed(primary, replica)) return replica;
        usleep(10000);
    }
    give_up("the replica does not come up");
}

void server_load_script(struct server *server, const char *script, char *digest) {
    redisReply *reply = server_command(server, "SCRIPT LOAD %s", script);
    memcpy(digest, reply->str, DIGEST_BYTES);
    freeReplyObject(reply);
}

char *server_info(struct server *server, const char *field) {
    redisReply *reply = server_command(server, "INFO everything");
    size_t length;
    const char *found = info_value(reply->str, field, &length);
    require(found, "INFO has no field %s", field);
    char *value = format_text("%.*s", (int)length, found);
    freeReplyObject(reply);
    return value;
}

int64_t server_info_number(struct server *server, const char *field) {
    char *value = server_info(server, field);
    int64_t number = strtoll(value, NULL, 10);
    free(value);
    return number;
}

int64_t server_memory(struct server *server) {
    return server_info_number(server, "used_memory");
}

double server_memory_each(struct server *server, int64_t before, double count) {
    return (double)(server_memory(server) - before) / count;
}

static int64_t clock_ns(clockid_t clock) {
    struct timespec time = {0};
    require(!clock_gettime(clock, &time), "cannot read a clock: %s", strerror(errno));
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A number of the kernel's account of a thread: how long it has run, and how long it has been ready to and did not.
 * Negative when there is no such account. */
enum account { RUN_NS, DELAYED_NS };

static int64_t account_read(int file, enum account which) {
    char text[96];
    ssize_t length = file < 0 ? -1 : pread(file, text, sizeof(text) - 1, 0);
    if (length <= 0) return -1;
    text[length] = '\0';
    char *rest;
    int64_t run_ns = strtoll(text, &rest, 10);
    return which == RUN_NS ? run_ns : strtoll(rest, NULL, 10);
}

int64_t server_cpu_ns(const struct server *server) {
    int64_t cpu_ns = account_read(server->scheduler_file, RUN_NS);
    if (cpu_ns >= 0) return cpu_ns;
    /* All threads together, of which only the main one has much to do. */
    clockid_t clock;
    require(!clock_getcpuclockid(server->process, &clock), "the server's processor time cannot be read");
    return clock_ns(clock);
}

int64_t delays_ns(const struct server *server) {
    static int own_file = -1;
    if (own_file < 0) own_file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    int64_t own_ns = account_read(own_file, DELAYED_NS);
    int64_t servers_ns = account_read(server->scheduler_file, DELAYED_NS);
    return own_ns < 0 || servers_ns < 0 ? 0 : own_ns + servers_ns;
}

void server_settle(void) {
    usleep(SETTLE_US);
}

int64_t monotonic_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}
