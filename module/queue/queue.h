/* Queues: one value of one key.
 *
 *   queue ─▶ live           its messages: see message_store.h
 *         ─▶ dead           its dead letters: messages that were delivered as often as allowed and not deleted
 *         ─▶ dedup_entries  what it remembers of puts with a DEDUP id
 *         ─▶ metadata, policies                                  (packed lists, NULL for most queues)
 *
 * Whether a message is visible is not stored. It follows from its instants and the current time:
 *
 *             put                visible ≤ now                 expires ≤ now
 *      ───────────▶ invisible ───────────────▶ visible ───────────────────────▶ gone
 *                       ▲                         │
 *                       └───────── delivered ─────┘            dead, when the window of its last delivery ends
 *
 * The rules:
 *   - Only queue_apply changes a queue, and only by a change, which is a fact with absolute numbers.
 *   - Every query ignores messages that have ended. A QUEUE_SETTLE removes them from memory some time later.
 *   - A receipt is valid until the message is delivered, updated, released or deleted, or ends.
 *   - Each new message gets the next order number. Order numbers sort messages with the same instant.
 *   - At most one message of a group is visible: the first to arrive of those that have not ended.
 *   - A queue knows neither its key nor the clock. */
#ifndef HOLDFAST_QUEUE_H
#define HOLDFAST_QUEUE_H

#include "core/outcome.h"
#include "core/remembered.h"
#include "queue/dedup_entry.h"
#include "queue/message_store.h"

struct queue {
    struct packed *metadata;
    struct packed *policies;
    uint32_t max_deliveries; /* 0 = no limit */
    uint64_t next_order;
    struct message_store live, dead;
    struct dedup_entries dedup_entries;
    struct remembered *remembered; /* calls with a token; NULL for none */
    struct list_node census;
    struct account account; /* of the queue, its lists, and what has been cleared; not of the stores */
    /* Not part of the value: */
    int64_t upkeep_ms; /* when the next upkeep is scheduled */
    bool noted;        /* DOCTOR knows its key: see doctor_keys.h */
};

/* Makes a queue from a QUEUE_CREATE change. */
struct queue *queue_new(const struct queue_change *change);
void queue_free(struct queue *queue);
/* A copy with the same ids and receipts. */
struct queue *queue_copy(const struct queue *source);

/* Applies a change. False, and nothing done, if it does not fit the state. If a list names a message twice, the second
 * item is skipped. */
bool queue_apply(struct queue *queue, const struct queue_change *change);

/* Walks the changes that rebuild the queue, in order. */
void queue_walk(const struct queue *queue, const struct change_walk *walk);

/* --- Queries --- */

struct queue_depth {
    size_t visible;     /* messages that can be taken; so only the first of a group */
    size_t invisible;   /* all others that have not ended */
    size_t dead;        /* dead letters */
    size_t died;        /* those of them that have not been settled yet */
    size_t expired;     /* messages that have expired and not been settled yet */
    size_t unsettled;   /* all that a QUEUE_SETTLE would remove */
    int64_t arrived_ms; /* when the oldest message arrived; -1 if there is none */
};

struct queue_depth queue_depth(const struct queue *queue, int64_t now_ms);

/* A walk over the visible messages in order of delivery. It is valid until the next change, and must be ended. */
struct visible_cursor {
    const struct queue *queue;
    int64_t now_ms;
    struct time_index_cursor indexed; /* in by_visible */
    bool has_successors;              /* see message_store_visit_successors; all that follows is for them */
    struct time_index successors;     /* those that are visible */
    struct time_index_cursor successors_at;
    struct message *next_indexed, *next_successor;
    struct message *returned; /* the one before; the walk that it came from has to advance. NULL at first */
};

void queue_visible_start(struct visible_cursor *cursor, const struct queue *queue, int64_t now_ms);
struct message *queue_next_visible(struct visible_cursor *cursor);
void queue_visible_end(struct visible_cursor *cursor);

/* When the next message becomes visible; INT64_MAX for never. */
int64_t queue_next_visible_ms(const struct queue *queue, int64_t now_ms);

/* The earliest instant at which something expires or has expired; INT64_MAX for never. */
int64_t queue_next_end_ms(const struct queue *queue);

/* Whether there are messages with a group, so that the removal of one may make another one visible. */
bool queue_has_groups(const struct queue *queue);

/* A walk over the dead letters, settled or not, in the order in which they died. It starts with a zeroed cursor. */
struct dead_cursor {
    struct time_index_cursor settled, unsettled;
    struct message *next_settled, *next_unsettled;
    bool started;
};

struct message *queue_next_dead(const struct queue *queue, struct dead_cursor *cursor, int64_t now_ms);

/* The entry of the first put with this DEDUP id, until it is forgotten; NULL if there is none. */
const struct dedup_entry *queue_find_dedup_entry(const struct queue *queue, struct bytes dedup,
                                                 int64_t now_ms);

/* A message that has not ended, or NULL. */
struct message *queue_find(const struct queue *queue, const struct guid *id, int64_t now_ms);
/* Also compares the receipt. Sets the message if the outcome is OUTCOME_DONE or OUTCOME_RECEIPT_MISMATCH. */
enum outcome queue_find_owned(const struct queue *queue, const struct guid *id, const struct guid *receipt,
                              int64_t now_ms, struct message **message);
/* Prefetches for a search by this id. */
static inline void queue_prefetch(const struct queue *queue, const struct guid *id) {
    message_store_prefetch(&queue->live, id);
}
/* A dead letter that has been settled, or NULL. */
struct message *queue_find_dead(const struct queue *queue, const struct guid *id);

/* --- Decisions --- */

/* Makes the QUEUE_SETTLE that removes what has ended, at most `max` of each sort. False if nothing has ended. */
bool queue_settlement(const struct queue *queue, int64_t now_ms, size_t max, struct queue_change *change);

/* Writes the items of a QUEUE_CLEAR_LIVING: all messages that have not ended. Returns their number. */
size_t queue_list_living(const struct queue *queue, int64_t now_ms, struct record_writer *items);

/* The item for the next delivery of a message. */
struct queue_item queue_delivery(const struct queue *queue, const struct message *message,
                                 struct guid receipt);

/* Adds a duration to an instant. Returns QUEUE_FOREVER_MS for DURATION_INFINITE_MS and for later instants. */
int64_t queue_instant_after(int64_t now_ms, int64_t duration_ms);

/* --- Memory --- */

size_t queue_memory(const struct queue *queue);
/* The number of allocations that a free has to release, for the decision whether another thread should do it. */
size_t queue_allocations(const struct queue *queue);

/* Moves the queue itself and its lists; returns its new address. */
struct queue *queue_relocate(struct queue *queue, const struct relocation *relocation);
/* Moves the messages at one of queue_places places. */
size_t queue_places(const struct queue *queue);
void queue_relocate_messages(struct queue *queue, size_t place, const struct relocation *relocation);

/* --- All queues of the process, for INFO --- */

size_t queue_census_count(void);

/* Sums the depths of at most `max` queues; returns their number. Must not be called while the process shuts down. */
size_t queue_census_depth(int64_t now_ms, size_t max, struct queue_depth *sum);

#endif
