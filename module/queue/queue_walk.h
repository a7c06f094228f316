/* Walks: the changes that rebuild a queue, for files, digests and copies. */
#ifndef HOLDFAST_QUEUE_WALK_H
#define HOLDFAST_QUEUE_WALK_H

#include "queue/queue.h"

/* The queue, its messages and dead letters in order of arrival, then its dedup entries. */
void queue_walk(const struct queue *queue, const struct change_walk *walk);

/* A copy with the same ids and receipts. */
struct queue *queue_copy(const struct queue *source);

#endif
