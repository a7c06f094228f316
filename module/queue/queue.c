#include "queue/queue.h"

#include "core/memory.h"
#include "queue/queue_registry.h"

/* --- To be, and not to be any more --- */

struct queue *queue_new(const struct queue_change *change) {
    struct queue *queue = memory_zeroed(sizeof(*queue));
    queue->metadata = packed_new(change->metadata);
    queue->policies = packed_new(change->policies);
    queue->most_deliveries = change->most_deliveries;
    queue->orders = change->order;
    shelf_start(&queue->live);
    shelf_start(&queue->dead);
    originals_start(&queue->originals);
    queue_register(queue);
    return queue;
}

void queue_free(struct queue *queue) {
    queue_unregister(queue);
    shelf_end(&queue->live);
    shelf_end(&queue->dead);
    originals_end(&queue->originals);
    remembered_end(&queue->remembered);
    memory_free(queue->metadata);
    memory_free(queue->policies);
    memory_free(queue);
}

/* --- A queue as changes --- */

static void walk_messages(const struct queue *queue, const struct change_walk *walk) {
    struct timeline_cursor live = {0}, dead = {0};
    struct moment *one = timeline_next(&queue->live.arrivals, &live);
    struct moment *other = timeline_next(&queue->dead.arrivals, &dead);
    while (one || other) {
        bool lives = !other || (one && one->order < other->order);
        struct queue_change change = message_as_change(message_of_moment(lives ? one : other));
        walk->take(walk->context, &change);
        if (lives)
            one = timeline_next(&queue->live.arrivals, &live);
        else
            other = timeline_next(&queue->dead.arrivals, &dead);
    }
}

void queue_walk(const struct queue *queue, const struct change_walk *walk) {
    struct queue_change change = {
        .kind = QUEUE_CREATE,
        .metadata = packed_view(queue->metadata),
        .policies = packed_view(queue->policies),
        .most_deliveries = queue->most_deliveries,
        .order = queue->orders,
    };
    struct timeline_cursor cursor = {0};
    walk->take(walk->context, &change);
    walk_messages(queue, walk);
    for (struct moment *moment; (moment = timeline_next(&queue->originals.by_end, &cursor));) {
        change = original_as_change(original_of_moment(moment));
        walk->take(walk->context, &change);
    }
}

static void take_over(void *context, const void *taken) {
    const struct queue_change *change = taken;
    struct queue **copy = context;
    if (change->kind == QUEUE_CREATE)
        *copy = queue_new(change);
    else
        queue_apply(*copy, change);
}

struct queue *queue_copy(const struct queue *source) {
    struct queue *copy = NULL;
    queue_walk(source, &(struct change_walk){.take = take_over, .context = &copy});
    return copy;
}

/* --- Memory --- */

static size_t held_by(const void *memory) {
    return memory ? memory_size(memory) : 0;
}

size_t queue_held(const struct queue *queue) {
    return memory_size(queue) + held_by(queue->metadata) + held_by(queue->policies) +
           shelf_held(&queue->live) + shelf_held(&queue->dead) + originals_held(&queue->originals) +
           remembered_held(queue->remembered);
}

size_t queue_parts(const struct queue *queue) {
    return 1 + shelf_count(&queue->live) + shelf_count(&queue->dead) + queue->originals.by_end.count +
           remembered_parts(queue->remembered);
}

struct queue *queue_relocate(struct queue *queue, const struct relocation *relocation) {
    queue_unregister(queue);
    queue = relocate(relocation, queue);
    queue_register(queue);
    queue->metadata = relocate(relocation, queue->metadata);
    queue->policies = relocate(relocation, queue->policies);
    remembered_relocate(&queue->remembered, relocation);
    return queue;
}

static size_t places_of(const struct shelf *shelf) {
    return shelf->by_id.segments ? shelf->by_id.buckets : 0;
}

size_t queue_places(const struct queue *queue) {
    return places_of(&queue->live) + places_of(&queue->dead);
}

void queue_relocate_messages(struct queue *queue, size_t place, const struct relocation *relocation) {
    size_t live = places_of(&queue->live);
    if (place < live)
        shelf_relocate(&queue->live, place, relocation);
    else
        shelf_relocate(&queue->dead, place - live, relocation);
}
