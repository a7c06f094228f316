/*
 * Very many connections at a time, most of which wait for something.
 */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <stdbool.h>
#include <stdint.h>

#include "server.h"
#include "wire.h"

struct crowd {
    struct wire **wires;
    unsigned count;
    int events;
};

/* How many connections a process may have here, at most the number that is wanted. */
unsigned crowd_limit(unsigned wanted);

struct crowd *crowd_open(const struct server *server, unsigned count);
void crowd_close(struct crowd *crowd);

enum { CROWD_NOBODY = -1 };

/* The number of somebody who has been answered, or CROWD_NOBODY when that instant has come before. */
int crowd_next(const struct crowd *crowd, int64_t until_ns);

/* An id for each, that differs from all others'. Valid until the next call. */
const char *crowd_id(unsigned which);

#endif
