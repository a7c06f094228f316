/* All queues of the process, and the messages of cleared queues, which are freed later. For the files of this folder.
 *
 * The list has queues and no keys, so it does not depend on what happens to keys. A queue may be freed on another
 * thread: it is removed from the list first. */
#ifndef HOLDFAST_QUEUE_REGISTRY_H
#define HOLDFAST_QUEUE_REGISTRY_H

#include "queue/queue.h"

void queue_register(struct queue *queue);
void queue_unregister(struct queue *queue);

/* Empties a store. Its messages are freed later if there are many: see queue_sweep_cleared. */
void queue_clear_store(struct message_store *store);

#endif
