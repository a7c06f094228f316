/* What each change does to a queue, and the table of the kinds. */
#include "core/memory.h"
#include "queue/queue.h"
#include "queue/queue_registry.h"

static void queue_replace_list(struct packed **place, struct packed_list list) {
    struct packed *packed = packed_new(list); /* the new list may be a view of the old one */
    memory_free(*place);
    *place = packed;
}

static bool apply_queue_setmeta(struct queue *queue, const struct queue_change *change) {
    queue_replace_list(&queue->metadata, change->metadata);
    return true;
}

static bool apply_queue_setacl(struct queue *queue, const struct queue_change *change) {
    queue_replace_list(&queue->policies, change->policies);
    return true;
}

static bool apply_configure(struct queue *queue, const struct queue_change *change) {
    queue->max_deliveries = change->max_deliveries;
    return true;
}

static bool apply_clear(struct queue *queue, const struct queue_change *change) {
    queue_discard(change->kind == QUEUE_CLEAR ? &queue->live : &queue->dead);
    return true;
}

/* The earlier of two, as far as they are there. */
static struct message *earlier_end(struct time_entry *one, struct time_entry *other) {
    if (!one || !other) return message_of_time_entry(one ? one : other);
    bool first = one->ends_ms != other->ends_ms ? one->ends_ms < other->ends_ms : one->order < other->order;
    return message_of_time_entry(first ? one : other);
}

static void drop_message(struct message_store *message_store, struct message *message) {
    message_store_take(message_store, message);
    message_free(message);
}

static bool is_known_message(const struct queue *queue, const struct guid *id) {
    return message_store_find(&queue->live, id) || message_store_find(&queue->dead, id);
}

/* Most lists have one item, and need not be looked at before they are gone through. */
static bool is_alone(const struct queue_change *change) {
    return change->items.count == 1;
}

/* Whether every item of the change names a message of the message store, or, with no message store, none at all. */
static bool items_fit(const struct queue *queue, const struct message_store *message_store,
                      const struct queue_change *change) {
    if (is_alone(change) || change->found) return true;
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    while (queue_item_next(change->kind, &reader, &item))
        if (message_store ? !message_store_find(message_store, &item.id) : is_known_message(queue, &item.id))
            return false;
    return true;
}

/* What was put with an id for duplicates is alone in its change. */
static void remember_dedup_entry(struct queue *queue, const struct queue_change *put,
                                 const struct queue_item *item) {
    struct queue_change dedup_entry = *put;
    dedup_entry.kind = QUEUE_ORIGINAL;
    dedup_entry.id = item->id;
    dedup_entry.receipt = item->receipt;
    dedup_entries_add(&queue->dedup_entries, &dedup_entry);
}

static bool apply_message_put(struct queue *queue, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    if (change->order < queue->orders || !items_fit(queue, NULL, change)) return false;
    struct queue_change one = {
        .kind = QUEUE_MESSAGE,
        .order = change->order,
        .inserted_ms = change->inserted_ms,
        .expires_ms = change->expires_ms,
        .shows_ms = change->shows_ms,
        .group = change->group,
    };
    for (; queue_item_next(QUEUE_PUT, &reader, &item); one.order++) {
        bool known = is_known_message(queue, &item.id);
        if (known && is_alone(change)) return false;
        if (known) continue;
        one.id = item.id;
        one.receipt = item.receipt;
        one.text = item.text;
        message_store_add_last(&queue->live, message_new(&one));
    }
    queue->orders = one.order;
    if (change->dedup.length) remember_dedup_entry(queue, change, &item);
    return true;
}

/* The message of an item, or of the change itself. */
static struct message *find_message(const struct queue *queue, const struct queue_change *change, size_t item,
                                    const struct guid *id) {
    return change->found ? change->found[item] : message_store_find(&queue->live, id);
}

static bool apply_deliver(struct queue *queue, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    if (!items_fit(queue, &queue->live, change)) return false;
    for (size_t i = 0; queue_item_next(change->kind, &reader, &item); i++) {
        struct message *message = find_message(queue, change, i, &item.id);
        if (!message) return false;
        message->receipt = item.receipt;
        message->deliveries = item.deliveries;
        struct showing showing = {change->shows_ms, 0, item.last ? MESSAGE_LAST : MESSAGE_QUEUED};
        if (change->kind == QUEUE_UNDELIVER)
            showing = (struct showing){item.shows_ms, (int)item.turn, MESSAGE_QUEUED};
        message_store_move(&queue->live, message, &showing);
    }
    return true;
}

static void move_messages(struct queue *queue, struct message *message, const struct queue_change *change,
                          enum message_standing standing) {
    const struct showing showing = {change->shows_ms, change->behind ? TURN_LAST : 0, standing};
    message_store_move(&queue->live, message, &showing);
}

static bool apply_update(struct queue *queue, const struct queue_change *change) {
    struct message *message = find_message(queue, change, 0, &change->id);
    if (!message) return false;
    message->receipt = change->receipt;
    move_messages(queue, message, change, (enum message_standing)message->standing);
    if (change->has_text) message_store_set_text(&queue->live, message, change->text);
    return true;
}

static void bury(struct queue *queue, struct message *message, int64_t died_ms) {
    message_store_take(&queue->live, message);
    message_set_showing(message, died_ms, MESSAGE_DEAD);
    message->time_entry.turn = 0;
    message_store_add(&queue->dead, message);
}

static bool apply_release(struct queue *queue, const struct queue_change *change) {
    struct message *message = find_message(queue, change, 0, &change->id);
    if (!message) return false;
    message->receipt = change->receipt;
    message_store_set_reason(&queue->live, message, change->reason);
    if (change->standing == MESSAGE_DEAD)
        bury(queue, message, change->shows_ms);
    else
        move_messages(queue, message, change, MESSAGE_QUEUED);
    return true;
}

static bool delete_found(struct queue *queue, const struct queue_change *change) {
    for (uint64_t i = 0; i < change->items.count; i++) drop_message(&queue->live, change->found[i]);
    return true;
}

static bool apply_message_delete(struct queue *queue, const struct queue_change *change) {
    if (change->found) return delete_found(queue, change);
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    if (!items_fit(queue, &queue->live, change)) return false;
    while (queue_item_next(change->kind, &reader, &item)) {
        struct message *message = message_store_find(&queue->live, &item.id);
        if (!message && is_alone(change)) return false;
        if (message) drop_message(&queue->live, message);
    }
    return true;
}

static bool apply_redrive(struct queue *queue, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    uint64_t order = change->order;
    if (order < queue->orders || !items_fit(queue, &queue->dead, change)) return false;
    for (; queue_item_next(QUEUE_REDRIVE, &reader, &item); order++) {
        struct message *message = message_store_find(&queue->dead, &item.id);
        if (!message && is_alone(change)) return false;
        if (!message) continue;
        message_store_take(&queue->dead, message);
        message->time_entry.order = order & TIME_ENTRY_ORDER_MAX;
        message->receipt = item.receipt;
        message_renew(message, change->inserted_ms, item.expires_ms);
        message_store_add_last(&queue->live, message);
    }
    queue->orders = order;
    return true;
}

static bool settlement_fits(const struct queue *queue, const struct queue_change *change) {
    const struct message_store *live = &queue->live;
    int64_t instant_ms = change->instant_ms;
    return change->ended <=
               time_index_rank(&live->ends, instant_ms) + time_index_rank(&live->hidden, instant_ms) &&
           change->died <= time_index_rank(&live->last, instant_ms) &&
           change->forgotten <= time_index_rank(&queue->dedup_entries.by_end, instant_ms);
}

static bool apply_queue_settle(struct queue *queue, const struct queue_change *change) {
    struct message_store *live = &queue->live;
    if (!settlement_fits(queue, change)) return false;
    for (uint64_t i = 0; i < change->ended; i++)
        drop_message(live, earlier_end(time_index_first(&live->ends), time_index_first(&live->hidden)));
    for (uint64_t i = 0; i < change->died; i++) {
        struct message *message = message_of_time_entry(time_index_first(&live->last));
        bury(queue, message, message->time_entry.shows_ms);
    }
    for (uint64_t i = 0; i < change->forgotten; i++) dedup_entries_forget_first(&queue->dedup_entries);
    return true;
}

static bool order_rises(const struct time_index *time_index, uint64_t order) {
    const struct time_entry *last = time_index_last(time_index);
    return !last || last->order < order;
}

/* Files bring messages in order of arrival. */
static bool apply_message(struct queue *queue, const struct queue_change *change) {
    bool fits = change->order < queue->orders && order_rises(&queue->live.arrivals, change->order) &&
                order_rises(&queue->dead.arrivals, change->order) && !is_known_message(queue, &change->id);
    if (!fits) return false;
    message_store_add(change->standing == MESSAGE_DEAD ? &queue->dead : &queue->live, message_new(change));
    return true;
}

/* Files bring them in the order in which they are forgotten. */
static bool apply_dedup_entry(struct queue *queue, const struct queue_change *change) {
    const struct time_entry *last = time_index_last(&queue->dedup_entries.by_end);
    bool rises = !last || last->ends_ms < change->until_ms ||
                 (last->ends_ms == change->until_ms && last->order < change->order);
    if (!rises || change->order >= queue->orders) return false;
    if (dedup_entries_find(&queue->dedup_entries, change->dedup)) return false;
    dedup_entries_add(&queue->dedup_entries, change);
    return true;
}

#define HAS(field) QUEUE_HAS_##field
/* clang-format off */
const struct queue_kind queue_change_kinds[QUEUE_CHANGE_KINDS] = {
    [QUEUE_CREATE]       = {{"queue.create",    HAS(METADATA) | HAS(POLICIES) | HAS(LIMIT) | HAS(ORDER), CHANGE_CREATES}, NULL},
    [QUEUE_SETMETA]      = {{"queue.setmeta",   HAS(METADATA), 0}, apply_queue_setmeta},
    [QUEUE_SETACL]       = {{"queue.setacl",    HAS(POLICIES), 0}, apply_queue_setacl},
    [QUEUE_CONFIGURE]    = {{"queue.configure", HAS(LIMIT), 0}, apply_configure},
    [QUEUE_DROP]         = {{"queue.drop",      0, CHANGE_DROPS}, NULL},
    [QUEUE_PUT]          = {{"queue.put",       HAS(ORDER) | HAS(INSERTED) | HAS(EXPIRES) | HAS(SHOWS) | HAS(GROUP) | HAS(DEDUP) | HAS(ITEMS), 0}, apply_message_put},
    [QUEUE_DELIVER]      = {{"queue.get",       HAS(SHOWS) | HAS(ITEMS), 0}, apply_deliver},
    [QUEUE_UPDATE]       = {{"queue.update",    HAS(ID) | HAS(RECEIPT) | HAS(SHOWS) | HAS(MAYBE_TEXT) | HAS(BEHIND), 0}, apply_update},
    [QUEUE_RELEASE]      = {{"queue.release",   HAS(ID) | HAS(RECEIPT) | HAS(SHOWS) | HAS(STANDING) | HAS(REASON) | HAS(BEHIND), 0}, apply_release},
    [QUEUE_DELETE]       = {{"queue.delete",    HAS(ITEMS), 0}, apply_message_delete},
    [QUEUE_CLEAR]        = {{"queue.clear",     0, 0}, apply_clear},
    [QUEUE_CLEAR_DEAD]   = {{"queue.clear",     0, 0}, apply_clear},
    [QUEUE_REDRIVE]      = {{"queue.redrive",   HAS(ORDER) | HAS(INSERTED) | HAS(ITEMS), 0}, apply_redrive},
    [QUEUE_SETTLE]       = {{NULL,              HAS(INSTANT) | HAS(ENDED) | HAS(DIED) | HAS(FORGOTTEN), 0}, apply_queue_settle},
    [QUEUE_MESSAGE]      = {{NULL,              HAS(ORDER) | HAS(ID) | HAS(RECEIPT) | HAS(INSERTED) | HAS(EXPIRES) | HAS(SHOWS) | HAS(DELIVERIES) | HAS(STANDING) | HAS(GROUP) | HAS(REASON) | HAS(TEXT) | HAS(TURN), CHANGE_IN_FILES}, apply_message},
    [QUEUE_ORIGINAL]     = {{NULL,              HAS(ORDER) | HAS(ID) | HAS(RECEIPT) | HAS(INSERTED) | HAS(EXPIRES) | HAS(SHOWS) | HAS(DEDUP), CHANGE_IN_FILES}, apply_dedup_entry},
    [QUEUE_CLEAR_LIVING] = {{"queue.clear",     HAS(ITEMS), 0}, apply_message_delete},
    [QUEUE_UNDELIVER]    = {{"queue.release",   HAS(ITEMS), 0}, apply_deliver},
};
/* clang-format on */

bool queue_apply(struct queue *queue, const struct queue_change *change) {
    queue_change_apply *apply = queue_change_kinds[change->kind].apply;
    return apply && apply(queue, change);
}
