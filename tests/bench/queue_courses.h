/*
 * A message's life, and its parts, in four ways: in a queue, in a stream with a group of consumers, in a sorted set
 * with a hash beside it that scripts keep, as queue libraries have it, and in a list, where nothing comes back by itself. Whoever takes messages is not who has put
 * them: it learns their ids from the server.
 */
#ifndef BENCH_QUEUE_COURSES_H
#define BENCH_QUEUE_COURSES_H

#include "course.h"

extern const struct course queue_life, stream_life, script_life, list_life;
extern const struct course queue_put, stream_put, script_put, list_put;
extern const struct course queue_batch, stream_batch; /* taken and deleted */
extern const struct course queue_take, stream_take, script_take, list_take;
extern const struct course queue_put_later; /* at many different instants, none of which comes soon */
extern const struct course set_again;

/* A second key: for a sorted set the hash with its messages, for a list the one with what workers have taken. */
#define BESIDE_SUFFIX ":beside"

#endif
