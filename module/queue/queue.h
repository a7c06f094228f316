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
 *   - Every query ignores messages that have ended. A QUEUE_SETTLE removes them from memory some time later.
 *   - A receipt is valid until the message is delivered, updated, released or deleted, or ends.
 *   - Each new message gets the next order number. Order numbers sort messages with the same instant.
 *   - At most one message of a group is visible: the first to arrive of those that have not ended. */
#ifndef HOLDFAST_QUEUE_H
#define HOLDFAST_QUEUE_H

#include "change/value_functions.h"
#include "change/value_head.h"
#include "core/once_log.h"
#include "queue/dedup_entry.h"
#include "queue/message_store.h"

struct queue {
    struct value_head head;
    struct packed *metadata;
    struct packed *policies;
    uint32_t max_deliveries; /* 0 = no limit */
    uint64_t next_order;
    struct message_store live, dead;
    struct dedup_entries dedup_entries;
    struct list_node census;
    struct account account; /* of the queue, its lists, and what has been cleared; not of the stores */
};

VALUE_FUNCTIONS(queue)

#endif
