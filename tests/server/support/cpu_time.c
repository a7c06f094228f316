#include "cpu_time.h"

#include <stdio.h>

#include "failure.h"
#include "pool.h"

long long cpu_time_us(const struct server *server) {
    long long nanoseconds = 0;
    FILE *file = fopen(pool_print("/proc/%d/schedstat", (int)server->process), "r");
    require(file, "nobody tells how long the server worked");
    int read = fscanf(file, "%lld", &nanoseconds);
    fclose(file);
    require(read == 1, "nobody tells how long the server worked");
    return nanoseconds / 1000;
}
