/* All queues of the process.
 *
 * The list has queues and no keys, so it does not depend on what happens to keys. A queue may be freed on another
 * thread: it is removed from the list first. */
#ifndef HOLDFAST_QUEUE_REGISTRY_H
#define HOLDFAST_QUEUE_REGISTRY_H

#include "queue/queue.h"

void queue_register(struct queue *queue);
void queue_unregister(struct queue *queue);

#endif
