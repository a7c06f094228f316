/* QUEUE.GET and QUEUE.PEEK: messages that are visible are delivered, or shown. */
#include "queue/redis/queue_commands.h"

#include "core/number.h"
#include "core/packed_reply.h"
#include "server/base/entropy.h"

/* How many portions of expired messages one GET removes if they hold up all others. */
enum { HEADS_PORTIONS = 60 };

#define DEFAULT_VISIBILITY_MS INT64_C(30000)

static void reply_delivered(struct reply *out, const struct message *message, const struct queue_item *item,
                            int64_t visible_ms) {
    struct reply_map map = reply_map(out, 7);
    reply_field_guid(&map, "id", item->id);
    queue_reply_receipt(&map, item->receipt);
    reply_field_number(&map, "dequeue-count", item->deliveries);
    reply_field_number(&map, "inserted", message_inserted_ms(message));
    reply_field_number(&map, "expires", message_expires_ms(message));
    reply_field_number(&map, "visible-at", visible_ms);
    reply_field_bytes(&map, "message", message_text(message));
}

/* --- Finding --- */

static size_t find_visible(struct call *call, size_t max, struct message **found) {
    struct visible_walk visible;
    queue_walk_visible(call->value, call_now_ms(call), &visible);
    struct page_bytes taken = {0};
    size_t count = 0;
    struct message *message;
    while (count < max && (message = message_walk_next(&visible.messages))) {
        if (!page_bytes_take(&taken, message_reply_bytes(message))) break;
        found[count++] = message;
    }
    visible_walk_end(&visible);
    return count;
}

/* As many as the caller wants, in the call's memory. */
static struct message **find_wanted(struct call *call, size_t *count) {
    const struct queue *queue = call->value;
    size_t max = size_min((size_t)call_number(call, SLOT_PAGE_SIZE, 1), message_store_count(&queue->live));
    struct message **found = call_alloc(call, max * sizeof(*found));
    *count = find_visible(call, max, found);
    return found;
}

/* Whether no message is visible, and expired ones at the heads of groups may be the reason. */
static bool expired_heads_block(struct call *call) {
    struct message *found;
    bool ended = queue_has_groups(call->value) && queue_next_end_ms(call->value) <= call_now_ms(call);
    return ended && !find_visible(call, 1, &found);
}

/* Again and again while only expired messages at the heads of groups keep others from being visible. */
void queue_settle_heads(struct call *call) {
    queue_settle_some(call);
    for (int i = 0; i < HEADS_PORTIONS && expired_heads_block(call); i++) queue_settle_some(call);
}

/* --- Getting --- */

/* The grant has the message as it was before the delivery, and the new receipt to find it by. */
static void put_message_grant(struct record_writer *grant, const struct message *message,
                              struct guid receipt) {
    const struct queue_item item = {.id = message->id,
                                    .receipt = receipt,
                                    .deliveries = message_deliveries(message),
                                    .visible_ms = message_visible_ms(message),
                                    .turn = message->times.turn};
    queue_item_put(QUEUE_UNDELIVER, grant, &item);
}

/* No client got them: they return to their positions, and the delivery is not counted. */
void queue_get_give_back(struct call *call, struct record_reader *granted) {
    struct record_writer *items = call_writer(call);
    struct queue_item item;
    struct message *message;
    uint64_t count = 0;
    while (queue_item_next(QUEUE_UNDELIVER, granted, &item)) {
        enum outcome outcome =
            queue_find_owned(call->value, &item.id, &item.receipt, call_now_ms(call), &message);
        if (outcome != OUTCOME_DONE) continue;
        item.receipt = entropy_guid();
        queue_item_put(QUEUE_UNDELIVER, items, &item);
        count++;
    }
    if (!count) return;
    struct queue_change *change = queue_decide(call, QUEUE_UNDELIVER);
    change->items = (struct packed_list){count, record_written(items)};
}

static void decide_delivery(struct call *call, struct message *const *found, size_t count) {
    int64_t visibility_ms = call_number(call, SLOT_VISIBILITY, DEFAULT_VISIBILITY_MS);
    struct queue_change *change = queue_decide(call, QUEUE_DELIVER);
    change->found = found;
    struct queue_item *items = queue_decide_items(call, change, count);
    change->visible_ms = queue_instant_after(call_now_ms(call), visibility_ms);
    for (size_t i = 0; i < count; i++) {
        items[i] = queue_delivery(call->value, found[i], entropy_guid());
        reply_delivered(&call->out, found[i], &items[i], change->visible_ms);
        if (call->grant) put_message_grant(call->grant, found[i], items[i].receipt);
    }
}

enum outcome queue_get_decide(struct call *call) {
    size_t count;
    struct message **found = find_wanted(call, &count);
    reply_array(&call->out, (long)count);
    if (!count) {
        int64_t due_ms = queue_next_visible_ms(call->value, call_now_ms(call));
        return decision_not_yet(call, &message_wait, bytes_of("", 0), due_ms, OUTCOME_DONE);
    }
    decision_in_line(call, &message_wait, bytes_of("", 0));
    decide_delivery(call, found, count);
    return OUTCOME_DONE;
}

/* The reply if other consumers got the messages. */
void queue_get_give_way(struct call *call) {
    reply_array(&call->out, 0);
}

/* --- Getting again, with a token --- */

/* The ids and receipts are enough: as long as the receipts are valid, the queue has the messages. */
void queue_get_remember(struct call *call, struct reply *packed) {
    const struct queue_change *change = decision_only(call);
    struct queue_items items;
    queue_items_start(&items, change);
    reply_array(packed, 2 * (long)change->items.count);
    for (const struct queue_item *item; (item = queue_items_next(&items));) {
        reply_guid(packed, item->id);
        reply_guid(packed, item->receipt);
    }
}

/* Those messages of the packed reply that are still in the window of that delivery. */
static size_t find_delivered(struct call *call, struct bytes packed, struct message **found) {
    struct record_reader reader = {0};
    struct guid id, receipt;
    size_t count = 0;
    while (count < QUEUE_BATCH_MAX && packed_reply_next_guid(packed, &reader, &id) &&
           packed_reply_next_guid(packed, &reader, &receipt)) {
        struct message *message;
        if (queue_find_owned(call->value, &id, &receipt, call_now_ms(call), &message) != OUTCOME_DONE)
            continue;
        if (message_visible_ms(message) > call_now_ms(call)) found[count++] = message;
    }
    return count;
}

enum outcome queue_get_recall(struct call *call, struct bytes packed) {
    struct message *found[QUEUE_BATCH_MAX];
    size_t count = find_delivered(call, packed, found);
    reply_array(&call->out, (long)count);
    for (size_t i = 0; i < count; i++) {
        const struct queue_item item = {
            .id = found[i]->id, .receipt = found[i]->receipt, .deliveries = message_deliveries(found[i])};
        reply_delivered(&call->out, found[i], &item, message_visible_ms(found[i]));
    }
    return OUTCOME_DONE;
}

/* --- Looking --- */

enum outcome queue_peek_decide(struct call *call) {
    size_t count;
    struct message **seen = find_wanted(call, &count);
    reply_array(&call->out, (long)count);
    for (size_t i = 0; i < count; i++) {
        struct reply_map map = reply_map(&call->out, 5);
        reply_field_guid(&map, "id", seen[i]->id);
        reply_field_number(&map, "dequeue-count", message_deliveries(seen[i]));
        reply_field_number(&map, "inserted", message_inserted_ms(seen[i]));
        reply_field_number(&map, "expires", message_expires_ms(seen[i]));
        reply_field_bytes(&map, "message", message_text(seen[i]));
    }
    return OUTCOME_DONE;
}
