/* How changes are applied to a queue. */
#ifndef HOLDFAST_QUEUE_APPLY_H
#define HOLDFAST_QUEUE_APPLY_H

#include "queue/queue.h"

/* Applies a change. False, and nothing done, if it does not fit the state. If a list names a message twice, the second
 * item is skipped. */
bool queue_apply(struct queue *queue, const struct queue_change *change);

#endif
