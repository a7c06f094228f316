#include "queue/dedup_entry.h"

#include "core/memory.h"

void dedup_entries_start(struct dedup_entries *entries) {
    *entries = (struct dedup_entries){.by_end = TIME_INDEX(BY_END, false)};
}

struct dedup_entry *dedup_entries_find(const struct dedup_entries *entries, struct bytes name) {
    if (!entries->by_name.count) return NULL;
    struct entry *head = hash_index_named(&entries->by_name, name);
    return (struct dedup_entry *)head; /* its first member, or NULL */
}

static void dedup_entry_remove(struct dedup_entries *entries, struct dedup_entry *entry) {
    time_index_remove(&entries->by_end, &entry->times);
    hash_index_remove(&entries->by_name, &entry->entry);
    entries->memory -= memory_size(entry);
    memory_free(entry);
}

void dedup_entries_forget_first(struct dedup_entries *entries) {
    dedup_entry_remove(entries, dedup_entry_of_time_entry(time_index_first(&entries->by_end)));
}

void dedup_entries_add(struct dedup_entries *entries, const struct queue_change *change) {
    struct bytes name = change->dedup;
    struct dedup_entry *before = dedup_entries_find(entries, name);
    if (before) dedup_entry_remove(entries, before);
    struct dedup_entry *entry = memory_alloc(sizeof(*entry) + name.length);
    *entry = (struct dedup_entry){
        .entry = entry_hashed(name, offsetof(struct dedup_entry, name)),
        .times = {.order = change->order & TIME_ENTRY_ORDER_MAX,
                  .ends = (uint64_t)change->until_ms & TIME_ENTRY_INSTANT_MAX},
        .id = change->id,
        .receipt = change->receipt,
        .inserted_ms = change->inserted_ms,
        .expires_ms = change->expires_ms,
        .visible_ms = change->visible_ms,
    };
    memcpy(entry->name, name.data, name.length);
    entries->memory += memory_size(entry);
    hash_index_add(&entries->by_name, &entry->entry);
    time_index_add(&entries->by_end, &entry->times);
}

struct queue_change dedup_entry_as_change(const struct dedup_entry *entry) {
    return (struct queue_change){
        .kind = QUEUE_DEDUP_ENTRY,
        .order = entry->times.order,
        .id = entry->id,
        .receipt = entry->receipt,
        .inserted_ms = entry->inserted_ms,
        .expires_ms = entry->expires_ms,
        .visible_ms = entry->visible_ms,
        .dedup = entry_name(&entry->entry),
        .until_ms = time_entry_ends_ms(&entry->times),
    };
}

void dedup_entries_end(struct dedup_entries *entries) {
    struct time_index_cursor cursor = {0};
    for (struct time_entry *entry; (entry = time_index_next(&entries->by_end, &cursor));)
        memory_free(dedup_entry_of_time_entry(entry));
    time_index_clear(&entries->by_end);
    hash_index_end(&entries->by_name);
    dedup_entries_start(entries);
}

size_t dedup_entries_memory(const struct dedup_entries *entries) {
    return entries->memory + entries->by_end.memory + entries->by_name.memory;
}
