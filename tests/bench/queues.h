/*
 * The parts of the section `queues`.
 */
#ifndef BENCH_QUEUES_H
#define BENCH_QUEUES_H

#include "results.h"
#include "sections.h"

struct queues {
    const struct section *section;
    const struct options *options;
    struct results *results;
    bool is_quick;
};

enum { MESSAGE_BYTES = 100 };
#define LARGE_BATCHES "holdfast.queue-max-count 1000\n"

void queues_tell(const struct queues *queues, const char *name, double value, const char *unit);
void queues_tell_and_judge(const struct queues *queues, const char *name, double value, double limit,
                           const char *unit);

/* What a message costs in memory: waiting, and in somebody's hands. */
void measure_queue_memory(const struct queues *queues);

/* A million messages that come due in one millisecond, and consumers that wait for them. */
void measure_queue_due(const struct queues *queues);

/* From a put to a consumer that waits. */
void measure_queue_delay(const struct queues *queues);

#endif
