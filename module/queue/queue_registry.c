#include "queue/queue_registry.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t census_lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(census);
static atomic_size_t census_count; /* also read without the lock */

void queue_register(struct queue *queue) {
    pthread_mutex_lock(&census_lock);
    list_add_tail(&census, &queue->census);
    census_count++;
    pthread_mutex_unlock(&census_lock);
}

void queue_unregister(struct queue *queue) {
    pthread_mutex_lock(&census_lock);
    list_del(&queue->census);
    census_count--;
    pthread_mutex_unlock(&census_lock);
}

size_t queue_census_count(void) {
    return census_count;
}

static void add_depth(struct queue_depth *sum, struct queue_depth depth) {
    bool older = depth.arrived_ms >= 0 && (sum->arrived_ms < 0 || depth.arrived_ms < sum->arrived_ms);
    if (older) sum->arrived_ms = depth.arrived_ms;
    sum->visible += depth.visible;
    sum->invisible += depth.invisible;
    sum->dead += depth.dead;
    sum->died += depth.died;
    sum->expired += depth.expired;
    sum->unsettled += depth.unsettled;
}

size_t queue_census_depth(int64_t now_ms, size_t max, struct queue_depth *sum) {
    const struct queue *queue = NULL;
    size_t count = 0;
    *sum = (struct queue_depth){.arrived_ms = -1};
    pthread_mutex_lock(&census_lock);
    list_for_each (&census, queue, census) {
        if (count == max) break;
        add_depth(sum, queue_depth(queue, now_ms));
        count++;
    }
    pthread_mutex_unlock(&census_lock);
    return count;
}
