/* What is done with messages, in a queue and in what one would use in its place. */
#ifndef BENCH_QUEUE_WORKLOADS_H
#define BENCH_QUEUE_WORKLOADS_H

#include "sequence.h"

/* The parts of a message of QUEUE.GET behind its receipt. */
enum { DELIVERED_AFTER_RECEIPT = 10 };

/* A message's whole life. */
extern const struct sequence queue_put_take_delete, stream_put_take_delete, script_put_take_delete,
    list_put_take_delete;

/* Parts of it. */
extern const struct sequence queue_put, stream_put, script_put, list_put;
extern const struct sequence queue_put_later; /* at many different instants, none of which comes soon */
extern const struct sequence queue_take_many, stream_take_many, script_take, list_take;
extern const struct sequence queue_take_delete_many, stream_take_delete_many;

/* What all is measured by. */
extern const struct sequence string_set;

/* A second key: for a sorted set the hash with its messages, for a list the one with what workers have taken. */
#define SECOND_KEY_SUFFIX ":beside"

#endif
