/* Queues: one value of one key.
 *
 *   queue ─▶ live       the messages, by id and in all orders that matter: see shelf.h
 *         ─▶ dead       dead letters: those that were delivered as often as the queue allows, and not deleted
 *         ─▶ originals  what is known of messages that had an id for duplicates
 *         ─▶ metadata, policies                                  (packed lists, absent for most)
 *
 * The state of a message is not stored; it follows from its instants and the moment of the question:
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
 *   - Every message that comes gets the next order number; equal instants are ordered by it.
 *   - At most one message of a group can be had at a time: the first to arrive of those that time has not ended.
 *   - Values know no key and no clock. */
#ifndef HOLDFAST_QUEUE_H
#define HOLDFAST_QUEUE_H

#include "core/outcome.h"
#include "core/remembered.h"
#include "queue/original.h"
#include "queue/shelf.h"

struct queue {
    struct packed *metadata;
    struct packed *policies;
    uint32_t most_deliveries; /* 0 = no limit */
    uint64_t orders;          /* the next order number */
    struct shelf live, dead;
    struct originals originals;
    struct remembered *remembered; /* calls that were made with a token; NULL for none */
    struct list_node census;
    /* Not part of the value, but of what goes on around it: when somebody will next look for what time has ended. */
    int64_t upkeep_ms;
    bool noted; /* its key is known to those who report to the operator */
};

/* From a change of the kind QUEUE_CREATE. */
struct queue *queue_new(const struct queue_change *change);
void queue_free(struct queue *queue);
/* A twin with the same ids and receipts. */
struct queue *queue_copy(const struct queue *source);

/* Moves the state. False, and nothing done, when the change does not fit the state that it meets. Of a list that has a
 * message twice the second one is passed over. */
bool queue_apply(struct queue *queue, const struct queue_change *change);

/* The changes that build a queue anew, in order. */
void queue_walk(const struct queue *queue, const struct change_walk *walk);

/* --- To ask --- */

struct queue_depth {
    size_t visible;     /* also those that stand behind others of their group are not */
    size_t invisible;   /* all others that are not gone */
    size_t dead;        /* dead letters */
    size_t died;        /* those of them that nobody has settled yet */
    size_t over;        /* expired and not removed yet */
    size_t unsettled;   /* all that a QUEUE_SETTLE could settle */
    int64_t arrived_ms; /* when the oldest message came; -1 when there is none */
};

struct queue_depth queue_depth(const struct queue *queue, int64_t now_ms);

/* A walk over the visible messages in the order in which they are delivered; valid until the next change. */
struct visible_cursor {
    const struct queue *queue;
    int64_t now_ms;
    struct timeline_cursor shown;
    bool merges; /* successors come among them, see shelf_visit_successors; else the rest is not used */
    struct timeline_cursor successors_at;
    struct message *next_shown, *next_successor;
    struct message *answered;   /* one of them, or NULL: whoever is next there is looked for when asked */
    struct timeline successors; /* those that are visible */
};

void queue_visible_start(struct visible_cursor *cursor, const struct queue *queue, int64_t now_ms);
struct message *queue_next_visible(struct visible_cursor *cursor);
void queue_visible_end(struct visible_cursor *cursor);

/* When the next message shows that does not yet; INT64_MAX for never. */
int64_t queue_next_showing_ms(const struct queue *queue, int64_t now_ms);

/* The earliest instant at which time has something to end, or had: INT64_MAX for never. */
int64_t queue_next_end_ms(const struct queue *queue);

/* Whether messages stand behind others of their group, so that to remove one may let another one show. */
bool queue_has_groups(const struct queue *queue);

/* A walk over the dead letters in the order in which they died, also over those that time has ended and nobody has
 * settled yet. Cursors of zeros stand before the first. */
struct dead_cursor {
    struct timeline_cursor settled, unsettled;
    struct message *next_settled, *next_unsettled;
    bool started;
};

struct message *queue_next_dead(const struct queue *queue, struct dead_cursor *cursor, int64_t now_ms);

/* The first put of this id, unless it is forgotten. */
const struct original *queue_original(const struct queue *queue, struct bytes dedup, int64_t now_ms);

/* The message that is there and not over; NULL when there is none. */
struct message *queue_find(const struct queue *queue, const struct guid *id, int64_t now_ms);
/* Likewise, and its receipt is this one: the outcome that a command has for the caller. */
enum outcome queue_find_owned(const struct queue *queue, const struct guid *id, const struct guid *receipt,
                              int64_t now_ms, struct message **message);
/* A message of this id is about to be put or looked for. */
static inline void queue_expect(const struct queue *queue, const struct guid *id) {
    shelf_expect(&queue->live, id);
}
/* A dead letter that has been settled. */
struct message *queue_find_dead(const struct queue *queue, const struct guid *id);

/* --- To decide --- */

/* What time has ended by now and is to be removed, at most so much of it. False when there is nothing. */
bool queue_settlement(const struct queue *queue, int64_t now_ms, size_t most, struct queue_change *change);

/* How all that is there and not over goes, one by one, into the record; items are of the kind QUEUE_CLEAR_LIVING. */
size_t queue_list_living(const struct queue *queue, int64_t now_ms, struct record_writer *items);

/* How the next delivery of a message goes into the record. */
struct queue_item queue_delivery(const struct queue *queue, const struct message *message,
                                 struct guid receipt);

/* An instant so long after another one, not behind the end of time. DURATION_INFINITE_MS is the end of time. */
int64_t queue_instant_after(int64_t now_ms, int64_t duration_ms);

/* --- Memory --- */

size_t queue_held(const struct queue *queue);
/* How many allocations freeing it touches. */
size_t queue_parts(const struct queue *queue);

/* The queue and its lists; the queue itself may move. */
struct queue *queue_relocate(struct queue *queue, const struct relocation *relocation);
/* All messages at one of so many places. */
size_t queue_places(const struct queue *queue);
void queue_relocate_messages(struct queue *queue, size_t place, const struct relocation *relocation);

/* What was cleared is freed in passing: so many messages at most. False when nothing is left. */
bool queue_sweep_cleared(size_t most);

/* --- All queues of the process, for INFO --- */

/* Cheap at any time. */
size_t queue_census_count(void);

/* The sum of the depths of at most so many queues: how many were looked at. Must not be called while the
 * process is going down. */
size_t queue_census_depth(int64_t now_ms, size_t most, struct queue_depth *sum);

#endif
