#include "queue/queue_registry.h"

#include "core/census.h"

#include <pthread.h>

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(registry);
static struct census all_queues;

void queue_register(struct list_node *node) {
    pthread_mutex_lock(&registry_lock);
    list_add_tail(&registry, node);
    pthread_mutex_unlock(&registry_lock);
    census_count(&all_queues, 0, 1);
}

void queue_unregister(struct list_node *node) {
    pthread_mutex_lock(&registry_lock);
    list_del(node);
    pthread_mutex_unlock(&registry_lock);
    census_count(&all_queues, 1, 0);
}

size_t queue_registry_count(void) {
    return census_sum(&all_queues);
}

void queue_registry_visit(bool (*visit)(void *context, const struct list_node *node), void *context) {
    const struct list_node *node;
    pthread_mutex_lock(&registry_lock);
    list_for_each_off (&registry, node, 0)
        if (!visit(context, node)) break;
    pthread_mutex_unlock(&registry_lock);
}
