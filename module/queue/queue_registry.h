/* All queues of the process.
 *
 * The list has queues and no keys, so it does not depend on what happens to keys. A queue may be freed on another
 * thread: it is removed from the list first. */
#ifndef HOLDFAST_QUEUE_REGISTRY_H
#define HOLDFAST_QUEUE_REGISTRY_H

#include "ccan/list/list.h"

#include <stdbool.h>
#include <stddef.h>

/* A queue is known by a node in it. */
void queue_register(struct list_node *node);
void queue_unregister(struct list_node *node);

size_t queue_registry_count(void);

/* Visits the queues until `visit` returns false. Must not be called while the process shuts down. */
void queue_registry_visit(bool (*visit)(void *context, const struct list_node *node), void *context);

#endif
