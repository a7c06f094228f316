/* Dedup entries: the first puts with a producer's id, kept so that a second put with the same id is recognised as a
 * duplicate and gets the first one's reply. They outlive their messages. */
#ifndef HOLDFAST_DEDUP_ENTRY_H
#define HOLDFAST_DEDUP_ENTRY_H

#include "core/hash_index.h"
#include "core/relocation.h"
#include "queue/queue_change.h"
#include "queue/time_index.h"

struct dedup_entry {
    struct entry entry;
    struct time_entry time_entry; /* ends when it is forgotten */
    struct guid id;
    struct guid receipt; /* the receipt that the put returned, whatever happened to it since */
    int64_t inserted_ms;
    int64_t expires_ms;
    int64_t shows_ms;
    char name[];
};

struct dedup_entries {
    struct hash_index by_name; /* no segments before the first one */
    struct time_index by_end;
    size_t held; /* bytes of the dedup entries, without the indexes */
};

void dedup_entries_start(struct dedup_entries *dedup_entries);
void dedup_entries_end(struct dedup_entries *dedup_entries);

/* Also finds one that is due to be forgotten; NULL when there is none. */
struct dedup_entry *dedup_entries_find(const struct dedup_entries *dedup_entries, struct bytes name);
/* Adds one from a QUEUE_ORIGINAL change. One of the same name is removed. */
void dedup_entries_add(struct dedup_entries *dedup_entries, const struct queue_change *change);
/* Forgets the one that is due first; there must be one. */
void dedup_entries_forget_first(struct dedup_entries *dedup_entries);

struct queue_change dedup_entry_as_change(const struct dedup_entry *dedup_entry);

size_t dedup_entries_held(const struct dedup_entries *dedup_entries);

static inline struct dedup_entry *dedup_entry_of_time_entry(struct time_entry *time_entry) {
    return time_entry ? (struct dedup_entry *)((char *)time_entry - offsetof(struct dedup_entry, time_entry))
                      : NULL;
}

#endif
