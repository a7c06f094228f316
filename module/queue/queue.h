/* Queues: one value of one key.
 *
 *   queue ─▶ live       the messages, by id and in all orders that matter: see message_store.h
 *         ─▶ dead       dead letters: those that were delivered as often as the queue allows, and not deleted
 *         ─▶ dedup entries  what is known of messages that had an id for duplicates
 *         ─▶ metadata, policies                                  (packed lists, absent for most)
 *
 * The state of a message is not stored; it follows from its instants and the current time:
 *
 *             put                 shows ≤ now                  expires ≤ now
 *      ───────────▶ invisible ───────────────▶ visible ───────────────────────▶ gone
 *                       ▲                         │
 *                       └───────── delivered ─────┘            also: the window of the last delivery ends ▶ dead
 *
 * The rules:
 *   - Only queue_apply changes a value, and only by a change: a fact with absolute numbers, whoever decided it.
 *   - What time has ended counts as gone at once, everywhere; a QUEUE_SETTLE removes it from memory some time later.
 *   - A receipt is good until the message is delivered, updated, given back or gone. Time alone never ends it.
 *   - Every new message gets the next order number, which orders equal instants.
 *   - At most one message of a group is visible at a time: the first to arrive of those that have not ended.
 *   - Values know no key and no clock. */
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
    uint64_t orders;         /* the next order number */
    struct message_store live, dead;
    struct dedup_entries dedup_entries;
    struct remembered *remembered; /* calls that were made with a token; NULL for none */
    struct list_node census;
    /* Not part of the value: when the next upkeep is scheduled. */
    int64_t upkeep_ms;
    bool noted; /* its key is known to those who report to the operator */
};

/* Makes a queue from a QUEUE_CREATE change. */
struct queue *queue_new(const struct queue_change *change);
void queue_free(struct queue *queue);
/* A copy with the same ids and receipts. */
struct queue *queue_copy(const struct queue *source);

/* Applies a change. False, and nothing done, when the change does not fit the state. If a list names a message
 * twice, the second one is skipped. */
bool queue_apply(struct queue *queue, const struct queue_change *change);

/* Walks the changes that rebuild a queue, in order. */
void queue_walk(const struct queue *queue, const struct change_walk *walk);

/* --- Queries --- */

struct queue_depth {
    size_t visible;     /* messages behind others of their group are not visible */
    size_t invisible;   /* all others that have not ended */
    size_t dead;        /* dead letters */
    size_t died;        /* those that have not been settled yet */
    size_t over;        /* expired and not removed yet */
    size_t unsettled;   /* all that a QUEUE_SETTLE could remove */
    int64_t arrived_ms; /* when the oldest message came; -1 if there is none */
};

struct queue_depth queue_depth(const struct queue *queue, int64_t now_ms);

/* A walk over the visible messages in order of delivery; valid until the next change. */
struct visible_cursor {
    const struct queue *queue;
    int64_t now_ms;
    struct time_index_cursor shown;
    bool merges; /* merge in successors, see message_store_visit_successors; the rest is used only then */
    struct time_index_cursor successors_at;
    struct message *next_shown, *next_successor;
    struct message *answered;     /* the one returned last, or NULL: its successor is looked up on demand */
    struct time_index successors; /* the visible ones */
};

void queue_visible_start(struct visible_cursor *cursor, const struct queue *queue, int64_t now_ms);
struct message *queue_next_visible(struct visible_cursor *cursor);
void queue_visible_end(struct visible_cursor *cursor);

/* When the next invisible message becomes visible; INT64_MAX for never. */
int64_t queue_next_showing_ms(const struct queue *queue, int64_t now_ms);

/* The earliest instant at which something expires or has expired; INT64_MAX for never. */
int64_t queue_next_end_ms(const struct queue *queue);

/* Whether messages wait behind others of their group, so that removing one may make another one visible. */
bool queue_has_groups(const struct queue *queue);

/* A walk over the dead letters in the order in which they died, including those not settled yet. It starts
 * with a zeroed cursor. */
struct dead_cursor {
    struct time_index_cursor settled, unsettled;
    struct message *next_settled, *next_unsettled;
    bool started;
};

struct message *queue_next_dead(const struct queue *queue, struct dead_cursor *cursor, int64_t now_ms);

/* The first put with this id, unless it is forgotten. */
const struct dedup_entry *queue_dedup_entry(const struct queue *queue, struct bytes dedup, int64_t now_ms);

/* A message that has not ended; NULL when there is none. */
struct message *queue_find(const struct queue *queue, const struct guid *id, int64_t now_ms);
/* The same, and checks the receipt: returns the outcome for the caller. */
enum outcome queue_find_owned(const struct queue *queue, const struct guid *id, const struct guid *receipt,
                              int64_t now_ms, struct message **message);
/* Prefetches for a message of this id. */
static inline void queue_prefetch(const struct queue *queue, const struct guid *id) {
    message_store_prefetch(&queue->live, id);
}
/* A settled dead letter. */
struct message *queue_find_dead(const struct queue *queue, const struct guid *id);

/* --- Decisions --- */

/* Lists what has ended up to now and has to be removed, at most `max` of each sort. False when there is nothing. */
bool queue_settlement(const struct queue *queue, int64_t now_ms, size_t max, struct queue_change *change);

/* Writes items that remove each message that has not ended, for QUEUE_CLEAR_LIVING. */
size_t queue_list_living(const struct queue *queue, int64_t now_ms, struct record_writer *items);

/* The item for the next delivery of a message. */
struct queue_item queue_delivery(const struct queue *queue, const struct message *message,
                                 struct guid receipt);

/* Adds a duration to an instant, up to the end of time. DURATION_INFINITE_MS gives the end of time. */
int64_t queue_instant_after(int64_t now_ms, int64_t duration_ms);

/* --- Memory --- */

size_t queue_held(const struct queue *queue);
/* How many allocations freeing it takes. */
size_t queue_parts(const struct queue *queue);

/* Moves the queue and its lists; returns the queue's new address. */
struct queue *queue_relocate(struct queue *queue, const struct relocation *relocation);
/* Moves all messages at one of this many places. */
size_t queue_places(const struct queue *queue);
void queue_relocate_messages(struct queue *queue, size_t place, const struct relocation *relocation);

/* Frees at most `max` cleared messages. False when nothing is left. */
bool queue_sweep_cleared(size_t max);

/* --- All queues of the process, for INFO --- */

/* Cheap at any time. */
size_t queue_census_count(void);

/* Sums the depths of at most `max` queues; returns how many were read. Must not be called while the
 * process shuts down. */
size_t queue_census_depth(int64_t now_ms, size_t max, struct queue_depth *sum);

#endif
