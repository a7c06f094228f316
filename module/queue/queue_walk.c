#include "queue/queue_walk.h"

#include "queue/queue_apply.h"

/* Also messages that have ended are walked over. */
static struct message *next_to_walk(const struct message_store *store, struct arrival_cursor *cursor) {
    return message_store_next_arrived(store, cursor, INT64_MIN);
}

static void walk_messages(const struct queue *queue, const struct change_walk *walk) {
    struct arrival_cursor live = {0}, dead = {0};
    struct message *one = next_to_walk(&queue->live, &live);
    struct message *other = next_to_walk(&queue->dead, &dead);
    while (one || other) {
        bool lives = !other || (one && one->times.order < other->times.order);
        struct queue_change change = message_as_change(lives ? one : other);
        walk->take(walk->context, &change);
        if (lives)
            one = next_to_walk(&queue->live, &live);
        else
            other = next_to_walk(&queue->dead, &dead);
    }
}

void queue_walk(const struct queue *queue, const struct change_walk *walk) {
    struct queue_change change = {
        .kind = QUEUE_CREATE,
        .metadata = packed_view(queue->metadata),
        .policies = packed_view(queue->policies),
        .max_deliveries = queue->max_deliveries,
        .order = queue->next_order,
    };
    struct time_index_cursor cursor = {0};
    walk->take(walk->context, &change);
    walk_messages(queue, walk);
    for (struct time_entry *entry; (entry = time_index_next(&queue->dedup_entries.by_end, &cursor));) {
        change = dedup_entry_as_change(dedup_entry_of_time_entry(entry));
        walk->take(walk->context, &change);
    }
}

static void apply_to_copy(void *context, const void *taken) {
    const struct queue_change *change = taken;
    struct queue **copy = context;
    if (change->kind == QUEUE_CREATE)
        *copy = queue_new(change);
    else
        queue_apply(*copy, change);
}

struct queue *queue_copy(const struct queue *source) {
    struct queue *copy = NULL;
    queue_walk(source, &(struct change_walk){.take = apply_to_copy, .context = &copy});
    return copy;
}
