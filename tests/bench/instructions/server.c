#define _GNU_SOURCE
#include "instructions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "processes.h"
#include "settings.h"

enum {
    START_SECONDS = 60,
    POLL_US = 50000,
    POLLS_PER_SECOND = 1000000 / POLL_US,
    LINE_BYTES = 512,
    MARKER_ROUNDS = 10
};

static const char *environment_needed(const char *name) {
    const char *value = getenv(name);
    require(value, "%s is not set: run this by 'make bench-instructions'", name);
    return value;
}

/* The socket of the replica, if there is one; the other server's is server->socket. */
static const char *replica_socket(const struct server *server) {
    static char socket[PATH_BYTES + 16];
    snprintf(socket, sizeof(socket), "%s.replica", server->socket);
    return socket;
}

/* What the server does by itself once in a while would be counted, too; so it is to do it as seldom as it can. */
static void write_configuration(const struct server *server, int port) {
    char path[PATH_BYTES + 16];
    snprintf(path, sizeof(path), "%s/redis.conf", server->folder);
    bool is_replica = server->propagation == ON_A_REPLICA;
    FILE *file = fopen(path, "w");
    require(file, "cannot write %s: %s", path, strerror(errno));
    fprintf(
        file,
        "port %d\nunixsocket %s\ndir %s\nlogfile %s/log\nsave \"\"\nhz 1\ndynamic-hz no\n"
        "activerehashing no\n%s"
        "enable-debug-command yes\nrepl-diskless-sync-delay 0\nloadmodule %s\nloadmodule %s\nloadmodule %s\n",
        is_replica ? 0 : port, is_replica ? replica_socket(server) : server->socket, server->folder,
        server->folder, server->propagation == AN_AOF ? APPEND_ONLY_FILE("everysec") : "",
        environment_needed("HOLDFAST_MODULE"), environment_needed("HOLDFAST_MARKER"),
        environment_needed("HOLDFAST_BARE"));
    if (is_replica) fprintf(file, "replicaof 127.0.0.1 %d\n", port);
    fclose(file);
}

/* What runs in a child. A replica knows its primary by a port only. */
struct program {
    const struct server *server;
    int port; /* of the primary, if one of the two is a replica */
};

/* The server beside the one that is counted: its replica, or its primary. */
static void become_companion(const void *what) {
    const struct program *program = what;
    const struct server *server = program->server;
    bool is_primary = server->propagation == ON_A_REPLICA;
    char number[16], log[PATH_BYTES + 16];
    snprintf(number, sizeof(number), "%d", program->port);
    snprintf(log, sizeof(log), "%s/companion.log", server->folder);
    execlp(environment_needed("HOLDFAST_SERVER"), "redis-server", "--port", is_primary ? number : "0",
           "--unixsocket", is_primary ? server->socket : replica_socket(server), "--save", "", "--dir",
           server->folder, "--dbfilename", "companion.rdb", "--logfile", log, "--repl-diskless-sync-delay",
           "0", "--loadmodule", environment_needed("HOLDFAST_MODULE"), "--loadmodule",
           environment_needed("HOLDFAST_MARKER"), "--loadmodule", environment_needed("HOLDFAST_BARE"),
           is_primary ? (char *)NULL : "--replicaof", "127.0.0.1", number, (char *)NULL);
}

static void become_server(const void *what) {
    const struct program *program = what;
    const char *folder = program->server->folder;
    char counts[PATH_BYTES + 64], log[PATH_BYTES + 64], configuration[PATH_BYTES + 16];
    snprintf(counts, sizeof(counts), "--callgrind-out-file=%s/counts", folder);
    snprintf(log, sizeof(log), "--log-file=%s/valgrind", folder);
    snprintf(configuration, sizeof(configuration), "%s/redis.conf", folder);
    /* The allocator gives memory back by the clock. JE_: the name in a server with an allocator of its own. */
    setenv("MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1", 1);
    setenv("JE_MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1", 1);
    setenv("LD_PRELOAD", environment_needed("HOLDFAST_MARKER"), 1);
    personality(ADDR_NO_RANDOMIZE);
    execlp("valgrind", "valgrind", "--tool=callgrind", "--vgdb=no", "--dump-line=no", counts, log,
           environment_needed("HOLDFAST_SERVER"), configuration, (char *)NULL);
}

static redisContext *try_to_connect(const struct server *server) {
    redisContext *client = redisConnectUnix(server->socket);
    if (client && !client->err) return client;
    if (client) redisFree(client);
    return NULL;
}

redisContext *server_connect(struct server *server) {
    for (int poll = 0; poll < START_SECONDS * POLLS_PER_SECOND; poll++) {
        redisContext *client = try_to_connect(server);
        if (client) return client;
        require(process_runs(&server->process), "the server ended: see %s", server->folder);
        usleep(POLL_US);
    }
    give_up("the server did not start: see %s", server->folder);
}

redisReply *server_call(redisContext *client, const char *command) {
    redisReply *reply = redisCommand(client, command);
    require(reply, "%s: %s", command, client->errstr);
    require(reply->type != REDIS_REPLY_ERROR, "%s: %s", command, reply->str);
    return reply;
}

/* What is counted when nothing is done: the least of several counts, since the server may do
 * something of its own in between. */
static void measure_markers(struct server *server) {
    uint64_t least = UINT64_MAX;
    for (int round = 0; round < MARKER_ROUNDS; round++) {
        server_count_start(server);
        uint64_t instructions = server_count_stop(server);
        if (instructions < least) least = instructions;
    }
    server->marker_instructions = least;
}

static void start_companion(struct server *server, int port) {
    server->companion = process_start(NULL, become_companion, &(struct program){server, port});
    require(server->companion >= 0, "cannot fork: %s", strerror(errno));
}

static void await_replica(struct server *server) {
    for (int poll = 0; poll < START_SECONDS * POLLS_PER_SECOND; poll++) {
        redisReply *reply = server_call(server->client, "INFO replication");
        bool is_online = strstr(reply->str, "state=online");
        freeReplyObject(reply);
        if (is_online) return;
        usleep(POLL_US);
    }
    give_up("the replica does not come: see %s", server->folder);
}

void server_start(struct server *server, enum propagation propagation) {
    bool has_companion = propagation == A_REPLICA || propagation == ON_A_REPLICA;
    *server = (struct server){.propagation = propagation};
    server->folder = folder_make_new(environment_needed("HOLDFAST_TMP"), "instructions");
    require(server->folder, "cannot make a folder: %s", strerror(errno));
    /* The name of a socket is at most about 100 characters long, that of a folder may be longer. */
    snprintf(server->socket, sizeof(server->socket), "/tmp/holdfast-instructions.%d.%d", (int)getpid(),
             (int)propagation);
    int port = has_companion ? free_port() : 0;
    write_configuration(server, port);
    server->process = process_start(NULL, become_server, &(struct program){server, 0});
    require(server->process >= 0, "cannot fork: %s", strerror(errno));
    if (has_companion) start_companion(server, port);
    server->client = server_connect(server);
    if (propagation != ON_A_REPLICA)
        freeReplyObject(server_call(server->client, "DEBUG REPLYBUFFER RESIZING 0"));
    if (has_companion) await_replica(server);
    if (propagation != NOBODY) freeReplyObject(server_call(server->client, "BARE.SEND"));
    measure_markers(server);
}

void server_stop(struct server *server) {
    redisFree(server->client);
    process_kill(&server->process);
    process_kill(&server->companion);
    unlink(server->socket);
    unlink(replica_socket(server));
    folder_remove(server->folder);
    free(server->folder);
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
    while (fgets(line, sizeof(line), file)) {
        if (!strncmp(line, "totals: ", strlen("totals: ")))
            total = strtoull(line + strlen("totals: "), NULL, 10);
    }
    fclose(file);
    require(total > 0, "%s holds no total", path);
    return total;
}

uint64_t server_count_stop(struct server *server) {
    freeReplyObject(server_call(server->client, "COUNT.STOP"));
    if (server->propagation == ON_A_REPLICA) freeReplyObject(server_call(server->client, "WAIT 1 0"));
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof(path), "%s/counts.%u", server->folder, ++server->counts);
    uint64_t total = read_total(path);
    unlink(path);
    return total - server->marker_instructions;
}
