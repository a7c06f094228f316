/* The process-wide list of queues, and deferred freeing of cleared messages. For the other files of this folder.
 *
 * The list of queues knows values and no keys, so nothing that happens to keys concerns it. Queues may be freed on
 * another thread; they leave the list before anything of them is freed. */
#ifndef HOLDFAST_QUEUE_REGISTRY_H
#define HOLDFAST_QUEUE_REGISTRY_H

#include "queue/queue.h"

void queue_register(struct queue *queue);
void queue_unregister(struct queue *queue);

/* Empties a message store at once; its messages are freed later. */
void queue_discard(struct message_store *message_store);

#endif
