#define _GNU_SOURCE
#include "work.h"

#include <stdio.h>
#include <unistd.h>

#include "failure.h"
#include "pool.h"
#include "world.h"

enum { PATIENCE_MS = 10000, PAUSE_MS = 20 };

long long worked_us(const struct server *server) {
    long long nanoseconds = 0;
    FILE *file = fopen(pool_print("/proc/%d/schedstat", (int)server->process), "r");
    require(file, "nobody tells how long the server worked");
    int read = fscanf(file, "%lld", &nanoseconds);
    fclose(file);
    require(read == 1, "nobody tells how long the server worked");
    return nanoseconds / 1000;
}

/* The buffers come and go with traffic; a fresh connection asks when they are gone. */
long long memory_used_by(struct server *server) {
    client_close(client_open(server));
    struct client *asking = client_open(server);
    long long used = 0, before = -1;
    for (int attempt = 0; attempt < PATIENCE_MS / PAUSE_MS && used != before; attempt++) {
        before = used;
        usleep(PAUSE_MS * 1000);
        used = info_of(asking, "used_memory");
    }
    client_close(asking);
    return used;
}
