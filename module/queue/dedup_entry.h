/* Dedup entries: what a queue remembers of each put that had a DEDUP id. If another put has the same id, it is a
 * duplicate and gets the reply of the first one. Entries outlive their messages. */
#ifndef HOLDFAST_DEDUP_ENTRY_H
#define HOLDFAST_DEDUP_ENTRY_H

#include "core/hash_index.h"
#include "queue/queue_change.h"
#include "queue/time_index.h"

struct dedup_entry {
    struct entry entry;
    struct time_entry times; /* ends when the entry is forgotten */
    struct guid id;
    struct guid receipt; /* as the put returned it; the message may have a new one */
    int64_t inserted_ms;
    int64_t expires_ms;
    int64_t visible_ms;
    char name[];
};

struct dedup_entries {
    struct hash_index by_name; /* no segments before the first entry */
    struct time_index by_end;
    size_t memory; /* bytes of the entries, without the indexes */
};

void dedup_entries_start(struct dedup_entries *entries);
void dedup_entries_end(struct dedup_entries *entries);

/* Returns NULL if there is none. The entry may be due to be forgotten. */
struct dedup_entry *dedup_entries_find(const struct dedup_entries *entries, struct bytes name);
/* Adds an entry from a QUEUE_DEDUP_ENTRY change. An entry of the same name is replaced. */
void dedup_entries_add(struct dedup_entries *entries, const struct queue_change *change);
/* Removes the entry that is due first. There must be one. */
void dedup_entries_forget_first(struct dedup_entries *entries);

struct queue_change dedup_entry_as_change(const struct dedup_entry *entry);

size_t dedup_entries_memory(const struct dedup_entries *entries);

static inline struct dedup_entry *dedup_entry_of_time_entry(struct time_entry *entry) {
    return entry ? (struct dedup_entry *)((char *)entry - offsetof(struct dedup_entry, times)) : NULL;
}

#endif
