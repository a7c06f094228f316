#include "queue/queue.h"

#include "core/garbage.h"
#include "core/memory.h"
#include "core/number.h"
#include "queue/queue_registry.h"

/* --- Creation and destruction --- */

struct queue *queue_new(const struct queue_change *change) {
    struct queue *queue = memory_zeroed(sizeof(*queue));
    account_add(&queue->account, queue);
    packed_replace(&queue->account, &queue->metadata, change->metadata);
    packed_replace(&queue->account, &queue->policies, change->policies);
    queue->max_deliveries = change->max_deliveries;
    queue->next_order = change->order;
    queue->head.upkeep_ms = INT64_MAX;
    message_store_start(&queue->live);
    message_store_start(&queue->dead);
    dedup_entries_start(&queue->dedup_entries);
    queue_register(&queue->census);
    return queue;
}

void queue_free(struct queue *queue) {
    queue_unregister(&queue->census);
    garbage_end(&queue->account);
    message_store_end(&queue->live);
    message_store_end(&queue->dead);
    dedup_entries_end(&queue->dedup_entries);
    once_log_end(&queue->head.once_log);
    memory_free(queue->metadata);
    memory_free(queue->policies);
    memory_free(queue);
}

/* --- Memory --- */

size_t queue_memory(const struct queue *queue) {
    return queue->account.memory + message_store_memory(&queue->live) + message_store_memory(&queue->dead) +
           dedup_entries_memory(&queue->dedup_entries) + once_log_memory(queue->head.once_log);
}

size_t queue_allocations(const struct queue *queue) {
    return queue->account.allocations + message_store_count(&queue->live) +
           message_store_count(&queue->dead) + queue->dedup_entries.by_end.count +
           once_log_allocations(queue->head.once_log);
}

struct queue *queue_relocate(struct queue *queue, const struct relocation *relocation) {
    queue_unregister(&queue->census);
    queue = relocate(relocation, queue);
    queue_register(&queue->census);
    garbage_follow(&queue->account);
    queue->metadata = relocate(relocation, queue->metadata);
    queue->policies = relocate(relocation, queue->policies);
    once_log_relocate(&queue->head.once_log, relocation);
    return queue;
}

size_t queue_places(const struct queue *queue) {
    return size_max(queue->live.by_id.buckets, queue->dead.by_id.buckets);
}

void queue_relocate_place(struct queue *queue, size_t place, const struct relocation *relocation) {
    message_store_relocate(&queue->live, place, relocation);
    message_store_relocate(&queue->dead, place, relocation);
}
