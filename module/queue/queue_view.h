/* Queries about a queue at an instant, and what commands decide by them. Nothing here changes a queue. */
#ifndef HOLDFAST_QUEUE_VIEW_H
#define HOLDFAST_QUEUE_VIEW_H

#include "core/outcome.h"
#include "queue/queue.h"

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

/* Sums the depths of at most `max` queues of the process; returns their number. Must not be called while the process
 * shuts down. */
size_t queue_census_depth(int64_t now_ms, size_t max, struct queue_depth *sum);

/* A walk over the visible messages in order of delivery. It is valid until the next change, and must be ended. */
struct visible_walk {
    struct message_walk messages;
    struct time_index successors; /* see message_store_visit_successors */
};

void queue_walk_visible(const struct queue *queue, int64_t now_ms, struct visible_walk *walk);
void visible_walk_end(struct visible_walk *walk);

/* When the next message becomes visible; INT64_MAX for never. */
int64_t queue_next_visible_ms(const struct queue *queue, int64_t now_ms);

/* The earliest instant at which something expires or has expired; INT64_MAX for never. */
int64_t queue_next_end_ms(const struct queue *queue);
/* When the first of those that are not settled dies or has died; INT64_MAX for never. */
int64_t queue_next_death_ms(const struct queue *queue);

/* Whether there are messages with a group, so that the removal of one may make another one visible. */
bool queue_has_groups(const struct queue *queue);

/* Starts a walk over the dead letters, settled or not, in the order in which they died. */
void queue_walk_dead(const struct queue *queue, int64_t now_ms, struct message_walk *walk);

/* The entry of the first put with this DEDUP id, until it is forgotten; NULL if there is none. */
const struct dedup_entry *queue_find_dedup_entry(const struct queue *queue, struct bytes dedup,
                                                 int64_t now_ms);

/* A message that has not ended. It is NULL if the outcome is OUTCOME_MESSAGE_NOT_FOUND. */
enum outcome queue_find_owned(const struct queue *queue, const struct guid *id, const struct guid *receipt,
                              int64_t now_ms, struct message **message);
/* Prefetches for a search by this id. */
static inline void queue_prefetch(const struct queue *queue, const struct guid *id) {
    message_store_prefetch(&queue->live, id);
}
/* A dead letter, settled or not, or NULL. */
struct message *queue_find_dead(const struct queue *queue, const struct guid *id, int64_t now_ms);

/* --- Decisions --- */

/* Makes the QUEUE_SETTLE that removes what has ended, at most `max` of each sort. False if nothing has ended. */
bool queue_settlement(const struct queue *queue, int64_t now_ms, size_t max, struct queue_change *change);

/* How many QUEUE_SETTLE has to take so that this dead letter is one of them; 0 for one that has been settled. */
size_t queue_deaths_up_to(const struct queue *queue, const struct message *dead);

/* Writes the items of a QUEUE_CLEAR_LIVING: all messages that have not ended. Returns their number. */
size_t queue_list_living(const struct queue *queue, int64_t now_ms, struct record_writer *items);

/* The item for the next delivery of a message. */
struct queue_item queue_delivery(const struct queue *queue, const struct message *message,
                                 struct guid receipt);

/* Adds a duration to an instant. Returns QUEUE_FOREVER_MS for DURATION_INFINITE_MS and for later instants. */
int64_t queue_instant_after(int64_t now_ms, int64_t duration_ms);

#endif
