#include "queue/queue.h"

/* Also those that have ended. */
static void walk_messages(const struct queue *queue, const struct change_walk *walk) {
    struct message_walk messages;
    message_walk_start(&messages, BY_ARRIVAL, INT64_MIN);
    message_store_walk(&queue->live, &messages);
    message_store_walk(&queue->dead, &messages);
    for (const struct message *message; (message = message_walk_next(&messages));) {
        struct queue_change change = message_as_change(message);
        walk->take(walk->context, &change);
    }
}

/* The queue, its messages and dead letters in order of arrival, then its dedup entries. */
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
