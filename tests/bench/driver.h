/* Drivers: a workload on its objects, with requests in flight. This is what is run in rounds. */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include "template.h"

struct driver {
    struct template template;
    unsigned pipeline;
    unsigned connections; /* how many of the dataset's are used */
    unsigned position;    /* in the dataset's order */
    struct {
        const unsigned *objects;
        unsigned count;
    } batches[CONNECTIONS]; /* in flight */
    char *requests;         /* buffer for a batch */
};

struct driver driver_open(const struct workload *workload, struct dataset *data,
                          struct object_set *object_set, unsigned pipeline, unsigned connections);
void driver_close(struct driver *driver);

/* Sends batches and checks the replies for that time, starting over after the last object. Returns the number of
 * operations, which is the number of objects visited. */
uint64_t driver_run(struct driver *driver, int64_t nanoseconds);

/* Visits the next `count` objects once. */
void driver_visit(struct driver *driver, unsigned count);

/* Visits all objects that many times. Returns the number of operations. */
uint64_t driver_visit_all(struct driver *driver, unsigned times);

#endif
