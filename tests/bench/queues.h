/*
 * The parts of the section `queues`.
 */
#ifndef BENCH_QUEUES_H
#define BENCH_QUEUES_H

#include "part.h"

enum { MESSAGE_BYTES = 100 };
#define LARGE_BATCHES "holdfast.queue-max-count 1000\n"

/* What a message costs in memory: waiting, and in somebody's hands. */
void measure_queue_memory(const struct part *part);

/* A million messages that come due in one millisecond, and consumers that wait for them. */
void measure_queue_due(const struct part *part);

/* From a put to a consumer that waits. */
void measure_queue_delay(const struct part *part);

#endif
