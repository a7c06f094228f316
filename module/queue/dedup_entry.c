#include "queue/dedup_entry.h"

#include "core/hash.h"
#include "core/memory.h"

void dedup_entries_start(struct dedup_entries *dedup_entries) {
    *dedup_entries = (struct dedup_entries){.by_end = TIMELINE(BY_END, false)};
}

static struct dedup_entry *dedup_entry_of_entry(struct entry *entry) {
    return (struct dedup_entry *)entry; /* the entry is its head */
}

struct dedup_entry *dedup_entries_find(const struct dedup_entries *dedup_entries, struct bytes name) {
    if (!dedup_entries->by_name.count) return NULL;
    struct entry *entry = hash_index_find(&dedup_entries->by_name, hash_bytes(name), name);
    return entry ? dedup_entry_of_entry(entry) : NULL;
}

static void drop_dedup_entry(struct dedup_entries *dedup_entries, struct dedup_entry *dedup_entry) {
    time_index_remove(&dedup_entries->by_end, &dedup_entry->time_entry);
    hash_index_remove(&dedup_entries->by_name, &dedup_entry->entry);
    dedup_entries->held -= memory_size(dedup_entry);
    memory_free(dedup_entry);
}

void dedup_entries_forget_first(struct dedup_entries *dedup_entries) {
    drop_dedup_entry(dedup_entries, dedup_entry_of_time_entry(time_index_first(&dedup_entries->by_end)));
}

void dedup_entries_add(struct dedup_entries *dedup_entries, const struct queue_change *change) {
    struct bytes name = change->dedup;
    struct dedup_entry *before = dedup_entries_find(dedup_entries, name);
    if (before) drop_dedup_entry(dedup_entries, before);
    if (!dedup_entries->by_name.segments) hash_index_start(&dedup_entries->by_name);
    struct dedup_entry *dedup_entry = memory_alloc(sizeof(*dedup_entry) + name.length);
    *dedup_entry = (struct dedup_entry){
        .entry = {hash_bytes(name), (uint16_t)name.length, offsetof(struct dedup_entry, name)},
        .time_entry = {.order = change->order & TIME_ENTRY_ORDER_MAX, .ends_ms = change->until_ms},
        .id = change->id,
        .receipt = change->receipt,
        .inserted_ms = change->inserted_ms,
        .expires_ms = change->expires_ms,
        .shows_ms = change->shows_ms,
    };
    memcpy(dedup_entry->name, name.data, name.length);
    dedup_entries->held += memory_size(dedup_entry);
    hash_index_add(&dedup_entries->by_name, &dedup_entry->entry);
    time_index_add(&dedup_entries->by_end, &dedup_entry->time_entry);
}

struct queue_change dedup_entry_as_change(const struct dedup_entry *dedup_entry) {
    return (struct queue_change){
        .kind = QUEUE_ORIGINAL,
        .order = dedup_entry->time_entry.order,
        .id = dedup_entry->id,
        .receipt = dedup_entry->receipt,
        .inserted_ms = dedup_entry->inserted_ms,
        .expires_ms = dedup_entry->expires_ms,
        .shows_ms = dedup_entry->shows_ms,
        .dedup = entry_name(&dedup_entry->entry),
        .until_ms = dedup_entry->time_entry.ends_ms,
    };
}

void dedup_entries_end(struct dedup_entries *dedup_entries) {
    struct time_index_cursor cursor = {0};
    for (struct time_entry *time_entry; (time_entry = time_index_next(&dedup_entries->by_end, &cursor));)
        memory_free(dedup_entry_of_time_entry(time_entry));
    time_index_end(&dedup_entries->by_end);
    if (dedup_entries->by_name.segments) hash_index_end(&dedup_entries->by_name);
    dedup_entries_start(dedup_entries);
}

size_t dedup_entries_held(const struct dedup_entries *dedup_entries) {
    return dedup_entries->held + dedup_entries->by_end.held +
           (dedup_entries->by_name.segments ? dedup_entries->by_name.held : 0);
}
