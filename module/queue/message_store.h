/* A message store: messages with an index by id and one for each order in which they are needed.
 *
 *   by_id         every message
 *   by_visible    messages that are visible or will be, by the instant at which they become visible
 *   regular       those of by_visible that expire, and whose ends are in order of arrival: one index for both
 *                 orders. If all messages have the same TTL, it has nearly all of by_visible
 *   by_end        the others of by_visible that expire, by that instant
 *   by_arrival    every message that is not in `regular`
 *   hidden        messages that expire without having become visible, by that instant: they expire before, or wait for
 *                 the first message of their group
 *   last_windows  messages in the window of their last delivery, by its end; in a store of dead letters all of them,
 *                 by when they died
 *
 * In by_visible, every message becomes visible before it expires. Therefore the number of visible messages is the
 * number of those that have become visible minus the number of those that have expired. As time passes, no message has
 * to move to another index.
 *
 * Only the first message of a group can be visible. When it is removed, the next one takes its place. If
 * the first one has ended but is still in the store, its successor is visible without being in
 * by_visible: see message_store_visit_successors.
 *
 * A message with a text of 100 bytes and a TTL takes 195 bytes:
 *
 *   160  a block of the allocator, for 60 bytes of head and the text
 *    18  by_visible and regular: a pointer in each, and a share of the nodes. Without a TTL, by_visible and by_arrival;
 *        with a TTL that is less than that of a message before, 27 for by_visible, by_end and by_arrival
 *    17  by_id: a bucket of 64 bytes for 4 messages, and the buckets chained to full ones */
#ifndef HOLDFAST_MESSAGE_STORE_H
#define HOLDFAST_MESSAGE_STORE_H

#include "core/hash_index.h"
#include "queue/message_walk.h"

struct message_store {
    struct hash_index by_id;  /* of bare entries; no segments before the first message */
    struct hash_index groups; /* no segments before the first group */
    struct time_index by_visible, regular, by_end, by_arrival, hidden, last_windows;
    size_t memory; /* bytes of messages and groups, without the indexes */
};

void message_store_start(struct message_store *store);
/* Frees all messages; the store is empty then. */
void message_store_end(struct message_store *store);
/* Frees at most `max` messages. False if none are left: then the store has been ended. */
bool message_store_sweep(struct message_store *store, size_t max);

/* Prefetches for a search by this id. */
void message_store_prefetch(const struct message_store *store, const struct guid *id);
struct message *message_store_find(const struct message_store *store, const struct guid *id);

/* Adds a message with the turn that it has. */
void message_store_add(struct message_store *store, struct message *message);
/* Adds a message after all that become visible in the same millisecond: sets its turn. */
void message_store_add_last(struct message_store *store, struct message *message);
/* Removes the message, which the caller then owns. */
void message_store_remove(struct message_store *store, struct message *message);

enum { TURN_LAST = -1 };

struct visibility {
    int64_t ms; /* when the message becomes visible */
    int turn;   /* TURN_LAST: after all that become visible in the same millisecond */
    enum message_stage stage;
};

void message_store_set_visibility(struct message_store *store, struct message *message,
                                  const struct visibility *visibility);
void message_store_set_deliveries(struct message_store *store, struct message *message, uint32_t deliveries);
void message_store_set_text(struct message_store *store, struct message *message, struct bytes text);
void message_store_set_reason(struct message_store *store, struct message *message, struct bytes reason);

/* How many messages of by_visible have expired. */
size_t message_store_expired_visible(const struct message_store *store, int64_t now_ms);
/* How many of all have expired. Messages in last_windows die, and do not expire. */
size_t message_store_expired(const struct message_store *store, int64_t now_ms);
/* The one that expires first. There must be one. */
struct message *message_store_first_to_expire(const struct message_store *store);
/* Whether all messages have lower order numbers. */
bool message_store_arrives_last(const struct message_store *store, uint64_t order);

/* For a walk by BY_ARRIVAL: adds all messages. */
void message_store_walk(const struct message_store *store, struct message_walk *walk);

/* Visits the successors: for each group whose first message has ended but is still in the store, the first one that has
 * not ended. This reads messages that have ended, up to a maximum; those that a group has before a living one are read
 * once, whatever the number of searches. */
typedef void visit_message(void *context, struct message *message);
void message_store_visit_successors(const struct message_store *store, int64_t now_ms, visit_message *visit,
                                    void *context);

/* Moves all messages of one bucket of by_id, and its segment. */
void message_store_relocate(struct message_store *store, size_t bucket, const struct relocation *relocation);

/* Bytes that the allocator holds for it. */
size_t message_store_memory(const struct message_store *store);

static inline size_t message_store_count(const struct message_store *store) {
    return store->by_id.count;
}

#endif
