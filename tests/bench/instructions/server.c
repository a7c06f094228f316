#define _GNU_SOURCE
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum {
    START_SECONDS = 60,
    POLL_US = 50000,
    POLLS_PER_SECOND = 1000000 / POLL_US,
    LINE_BYTES = 512,
    MARKER_ROUNDS = 10
};

static const char *environment(const char *name) {
    const char *value = getenv(name);
    require(value, "%s is not set: run this by 'make bench-instructions'", name);
    return value;
}

/* What the server does by itself once in a while would be counted, too; so it is to do it as seldom as it can. */
static void write_configuration(const struct server *server, bool writes_aof) {
    char path[PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/redis.conf", server->folder);
    FILE *file = fopen(path, "w");
    require(file, "cannot write %s: %s", path, strerror(errno));
    fprintf(
        file,
        "port 0\nunixsocket %s\ndir %s\nlogfile %s/log\nsave \"\"\nhz 1\ndynamic-hz no\nactiverehashing no\n"
        "appendonly %s\nappendfsync everysec\nauto-aof-rewrite-percentage 0\nenable-debug-command yes\n"
        "loadmodule %s\nloadmodule %s\n",
        server->socket, server->folder, server->folder, writes_aof ? "yes" : "no",
        environment("HOLDFAST_MODULE"), environment("HOLDFAST_MARKER"));
    fclose(file);
}

/* Runs in the child. */
static void become_server(const struct server *server, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    char counts[PATH_BYTES + 64], log[PATH_BYTES + 64], configuration[PATH_BYTES + 16];
    snprintf(counts, sizeof counts, "--callgrind-out-file=%s/counts", server->folder);
    snprintf(log, sizeof log, "--log-file=%s/valgrind", server->folder);
    snprintf(configuration, sizeof configuration, "%s/redis.conf", server->folder);
    /* The allocator gives memory back by the clock. JE_: the name in a server with an allocator of its own. */
    setenv("MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1", 1);
    setenv("JE_MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1", 1);
    setenv("LD_PRELOAD", environment("HOLDFAST_MARKER"), 1);
    personality(ADDR_NO_RANDOMIZE);
    execlp("valgrind", "valgrind", "--tool=callgrind", "--vgdb=no", "--dump-line=no", counts, log,
           environment("HOLDFAST_SERVER"), configuration, (char *)NULL);
    _exit(1);
}

static redisContext *try_to_connect(const struct server *server) {
    redisContext *client = redisConnectUnix(server->socket);
    if (client && !client->err) return client;
    if (client) redisFree(client);
    return NULL;
}

redisContext *server_connect(const struct server *server) {
    for (int poll = 0; poll < START_SECONDS * POLLS_PER_SECOND; poll++) {
        redisContext *client = try_to_connect(server);
        if (client) return client;
        require(!waitpid(server->process, NULL, WNOHANG), "the server ended: see %s", server->folder);
        usleep(POLL_US);
    }
    require(false, "the server did not start: see %s", server->folder);
    return NULL;
}

redisReply *server_call(redisContext *client, const char *command) {
    redisReply *reply = redisCommand(client, command);
    require(reply, "%s: %s", command, client->errstr);
    require(reply->type != REDIS_REPLY_ERROR, "%s: %s", command, reply->str);
    return reply;
}

/* What is counted when nothing is done: the least of several counts, since the server may do something of its own in between. */
static void measure_markers(struct server *server) {
    uint64_t least = UINT64_MAX;
    for (int round = 0; round < MARKER_ROUNDS; round++) {
        server_count_start(server);
        uint64_t instructions = server_count_stop(server);
        if (instructions < least) least = instructions;
    }
    server->marker_instructions = least;
}

void server_start(struct server *server, bool writes_aof) {
    *server = (struct server){0};
    snprintf(server->folder, sizeof server->folder, "%s/instructions.XXXXXX", environment("HOLDFAST_TMP"));
    require(mkdtemp(server->folder), "cannot make %s: %s", server->folder, strerror(errno));
    /* The name of a socket is at most about 100 characters long, that of a folder may be longer. */
    snprintf(server->socket, sizeof server->socket, "/tmp/holdfast-instructions.%d.%d", (int)getpid(),
             writes_aof);
    write_configuration(server, writes_aof);
    pid_t parent = getpid();
    server->process = fork();
    require(server->process >= 0, "cannot fork: %s", strerror(errno));
    if (server->process == 0) become_server(server, parent);
    server->client = server_connect(server);
    freeReplyObject(server_call(server->client, "DEBUG REPLYBUFFER RESIZING 0"));
    measure_markers(server);
}

void server_stop(struct server *server) {
    redisFree(server->client);
    kill(server->process, SIGKILL);
    waitpid(server->process, NULL, 0);
    unlink(server->socket);
    char command[PATH_BYTES + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", server->folder);
    require(system(command) == 0, "cannot remove %s", server->folder); /* NOLINT(cert-env33-c) */
}

void server_count_start(struct server *server) {
    freeReplyObject(server_call(server->client, "COUNT.START"));
}

/* Callgrind writes "totals: NUMBER" at the end of each file. */
static uint64_t read_total(const char *path) {
    FILE *file = fopen(path, "r");
    require(file, "cannot read %s: %s", path, strerror(errno));
    uint64_t total = 0;
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, file)) {
        if (!strncmp(line, "totals: ", strlen("totals: ")))
            total = strtoull(line + strlen("totals: "), NULL, 10);
    }
    fclose(file);
    require(total > 0, "%s holds no total", path);
    return total;
}

uint64_t server_count_stop(struct server *server) {
    freeReplyObject(server_call(server->client, "COUNT.STOP"));
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/counts.%u", server->folder, ++server->counts);
    uint64_t total = read_total(path);
    unlink(path);
    return total - server->marker_instructions;
}
