#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "instructions.h"

enum { LINE_BYTES = 512, MARKER_ROUNDS = 10 };

/* What the server does by itself once in a while would be counted, too; so it is to do it as seldom as it can. */
#define AS_SELDOM_AS_IT_CAN                                                                                  \
    "hz 1\ndynamic-hz no\nactiverehashing no\nenable-debug-command yes\nrepl-diskless-sync-delay 0\n"

static const char *environment_needed(const char *name) {
    const char *value = getenv(name);
    require(value, "%s is not set: run this by 'make bench-instructions'", name);
    return value;
}

static void become_counted(const void *what) {
    const struct program *program = what;
    char *counts = format_text("--callgrind-out-file=%s/counts", program->folder);
    char *log = format_text("--log-file=%s/valgrind", program->folder);
    /* The allocator gives memory back by the clock. JE_: the name in a server with an allocator of its own. */
    setenv("MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1", 1);
    setenv("JE_MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1", 1);
    setenv("LD_PRELOAD", environment_needed("HOLDFAST_MARKER"), 1);
    personality(ADDR_NO_RANDOMIZE);
    execlp("valgrind", "valgrind", "--tool=callgrind", "--vgdb=no", "--dump-line=no", counts, log,
           program->server, program->configuration, (char *)NULL);
}

/* What is counted when nothing is done: the least of several counts, since the server may do
 * something of its own in between. */
static void measure_markers(struct counted *counted) {
    uint64_t least = UINT64_MAX;
    for (int round = 0; round < MARKER_ROUNDS; round++) {
        count_start(counted);
        uint64_t instructions = count_stop(counted);
        if (instructions < least) least = instructions;
    }
    counted->marker_instructions = least;
}

struct counted counted_start(enum propagation propagation) {
    const struct options options = {.module = environment_needed("HOLDFAST_MODULE"),
                                    .bare = environment_needed("HOLDFAST_BARE"),
                                    .server = environment_needed("HOLDFAST_SERVER"),
                                    .output = environment_needed("HOLDFAST_TMP")};
    struct counted counted = {.propagation = propagation};
    char *settings =
        format_text("loadmodule %s\n" AS_SELDOM_AS_IT_CAN "%s", environment_needed("HOLDFAST_MARKER"),
                    propagation == TO_A_FILE ? APPEND_ONLY_FILE("everysec") : "");
    counted.called =
        server_launch(&options, settings, propagation == ON_A_REPLICA ? become_other : become_counted);
    counted.server = counted.called;
    if (propagation == TO_A_REPLICA)
        counted.replica = replica_launch(&options, settings, counted.called, become_other);
    if (propagation == ON_A_REPLICA)
        counted.server = counted.replica = replica_launch(&options, settings, counted.called, become_counted);
    if (propagation != ON_A_REPLICA) server_tell(counted.called, "DEBUG REPLYBUFFER RESIZING 0");
    if (propagation != TO_NOBODY) server_tell(counted.called, "BARE.SEND");
    measure_markers(&counted);
    free(settings);
    return counted;
}

void counted_stop(const struct counted *counted) {
    if (counted->replica) server_stop(counted->replica);
    server_stop(counted->called);
}

void count_start(const struct counted *counted) {
    server_tell(counted->called, "COUNT.START");
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

uint64_t count_stop(struct counted *counted) {
    server_tell(counted->called, "COUNT.STOP");
    if (counted->propagation == ON_A_REPLICA) server_tell(counted->called, "WAIT 1 0");
    char *path = format_text("%s/counts.%u", counted->server->folder, ++counted->counts);
    uint64_t total = read_total(path);
    unlink(path);
    free(path);
    return total - counted->marker_instructions;
}
