#include "queue/queue_registry.h"

#include "core/memory.h"

#include <pthread.h>
#include <stdatomic.h>

/* A shelf with so few messages is freed where it is cleared. */
enum { FREED_AT_ONCE_MAX = 256 };

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
    sum->over += depth.over;
    sum->unsettled += depth.unsettled;
}

size_t queue_census_depth(int64_t now_ms, size_t most, struct queue_depth *sum) {
    const struct queue *queue = NULL;
    size_t count = 0;
    *sum = (struct queue_depth){.arrived_ms = -1};
    pthread_mutex_lock(&census_lock);
    list_for_each (&census, queue, census) {
        if (count == most) break;
        add_depth(sum, queue_depth(queue, now_ms));
        count++;
    }
    pthread_mutex_unlock(&census_lock);
    return count;
}

/* --- What was cleared --- */

struct cleared {
    struct list_node node;
    struct shelf shelf;
};

static LIST_HEAD(cleared_shelves);

void queue_discard(struct shelf *shelf) {
    if (shelf_count(shelf) <= FREED_AT_ONCE_MAX) {
        shelf_end(shelf);
        return;
    }
    struct cleared *cleared = memory_alloc(sizeof(*cleared));
    cleared->shelf = *shelf;
    list_add_tail(&cleared_shelves, &cleared->node);
    shelf_start(shelf);
}

bool queue_sweep_cleared(size_t most) {
    struct cleared *cleared = list_top(&cleared_shelves, struct cleared, node);
    if (!cleared) return false;
    if (!shelf_sweep(&cleared->shelf, most)) {
        list_del(&cleared->node);
        memory_free(cleared);
    }
    return !list_empty(&cleared_shelves);
}
