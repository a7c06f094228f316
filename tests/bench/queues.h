/* What is done with messages, in a queue and in what one would use in its place: see queue_workloads.c. */
#ifndef BENCH_QUEUES_H
#define BENCH_QUEUES_H

#include "workload.h"

extern const struct sequence queue_life, stream_life, script_life, list_life;
extern const struct sequence queue_put, stream_put, script_put, list_put;
extern const struct sequence queue_batch, stream_batch; /* taken and deleted */
extern const struct sequence queue_take, stream_take, script_take, list_take;
extern const struct sequence queue_put_later; /* at many different instants, none of which comes soon */
extern const struct sequence set_again;

/* A second key: for a sorted set the hash with its messages, for a list the one with what workers have taken. */
#define SECOND_KEY_SUFFIX ":beside"

#endif
