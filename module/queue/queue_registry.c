#include "queue/queue_registry.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t census_lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(census);
static atomic_size_t census_count; /* also read without the lock */

void queue_register(struct list_node *node) {
    pthread_mutex_lock(&census_lock);
    list_add_tail(&census, node);
    census_count++;
    pthread_mutex_unlock(&census_lock);
}

void queue_unregister(struct list_node *node) {
    pthread_mutex_lock(&census_lock);
    list_del(node);
    census_count--;
    pthread_mutex_unlock(&census_lock);
}

size_t queue_registry_count(void) {
    return census_count;
}

void queue_registry_visit(bool (*visit)(void *context, const struct list_node *node), void *context) {
    const struct list_node *node;
    pthread_mutex_lock(&census_lock);
    list_for_each_off (&census, node, 0)
        if (!visit(context, node)) break;
    pthread_mutex_unlock(&census_lock);
}
