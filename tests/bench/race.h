/*
 * Courses in turns: each is gone through by a troop of its own, for as many hands in each round.
 */
#ifndef BENCH_RACE_H
#define BENCH_RACE_H

#include "course.h"
#include "part.h"

enum { RACERS_AT_MOST = 16 };

/* A troop that is measured again and again. */
struct racer {
    struct troop *troop;
    const struct course
        *filler; /* what puts there what it takes, before each slice; NULL for a course that does itself */
    bool starts_anew; /* whether its key is made anew before each slice */
    uint64_t hands;
    size_t measurement;
};

struct race {
    const struct part *part;
    struct server *server;
    struct dataset *data;
    struct racer racers[RACERS_AT_MOST];
    unsigned count;
};

/* Prepares the key. The workload of the course's name is in that family. */
struct racer *race_add(struct race *race, const struct setting *setting, const struct family *family,
                       const struct course *course, const char *key, uint64_t hands);

/* So many go through the course, unmeasured. */
void race_fill(const struct race *race, const struct course *filler, const char *key, uint64_t hands);

/* Measures all that were added, and leaves none. */
void race_run(struct race *race);

#endif
