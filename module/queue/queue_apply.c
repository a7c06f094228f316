/* How each kind of change is applied, and the table of the kinds. */
#include "queue/queue.h"

#include "core/garbage.h"
#include "core/memory.h"

static bool apply_queue_setmeta(struct queue *queue, const struct queue_change *change) {
    packed_replace(&queue->account, &queue->metadata, change->metadata);
    return true;
}

static bool apply_queue_setacl(struct queue *queue, const struct queue_change *change) {
    packed_replace(&queue->account, &queue->policies, change->policies);
    return true;
}

static bool apply_configure(struct queue *queue, const struct queue_change *change) {
    queue->max_deliveries = change->max_deliveries;
    return true;
}

enum { FREED_AT_ONCE_MAX = 256 };

/* A message costs one. */
static bool free_cleared(struct account *account, struct garbage_part *part, size_t *effort) {
    struct message_store *store = part->root;
    size_t before = message_store_count(store);
    bool more = message_store_sweep(store, *effort);
    size_t freed = before - message_store_count(store);
    *effort -= freed;
    account->allocations -= freed;
    if (!more) account_discard(account, store);
    return !more;
}

static bool apply_clear(struct queue *queue, const struct queue_change *change) {
    struct message_store *store = change->kind == QUEUE_CLEAR ? &queue->live : &queue->dead;
    struct message_store *cleared = account_add(&queue->account, memory_alloc(sizeof(*cleared)));
    *cleared = *store;
    queue->account.allocations += message_store_count(store);
    message_store_start(store);
    garbage_free(&queue->account, (struct garbage_part){.free = free_cleared, .root = cleared},
                 FREED_AT_ONCE_MAX);
    return true;
}

static void remove_and_free(struct message_store *store, struct message *message) {
    message_store_remove(store, message);
    message_free(message);
}

static bool is_known_message(const struct queue *queue, const struct guid *id) {
    return message_store_find(&queue->live, id) || message_store_find(&queue->dead, id);
}

/* A list of one item needs no check in advance. */
static bool has_one_item(const struct queue_change *change) {
    return change->items.count == 1;
}

/* Whether each item names a message of the store or, if `store` is NULL, no message of the queue. */
static bool items_fit(const struct queue *queue, const struct message_store *store,
                      const struct queue_change *change) {
    struct queue_items items;
    if (has_one_item(change) || change->found) return true;
    queue_items_start(&items, change);
    for (const struct queue_item *item; (item = queue_items_next(&items));)
        if (store ? !message_store_find(store, &item->id) : is_known_message(queue, &item->id)) return false;
    return true;
}

/* A put with a DEDUP id has one item. */
static void add_dedup_entry(struct queue *queue, const struct queue_change *put,
                            const struct queue_item *item) {
    struct queue_change dedup_entry = *put;
    dedup_entry.kind = QUEUE_DEDUP_ENTRY;
    dedup_entry.id = item->id;
    dedup_entry.receipt = item->receipt;
    dedup_entries_add(&queue->dedup_entries, &dedup_entry);
}

static bool apply_message_put(struct queue *queue, const struct queue_change *change) {
    struct queue_items items;
    if (change->order < queue->next_order || !items_fit(queue, NULL, change)) return false;
    struct queue_change one = {
        .kind = QUEUE_MESSAGE,
        .order = change->order,
        .inserted_ms = change->inserted_ms,
        .expires_ms = change->expires_ms,
        .visible_ms = change->visible_ms,
        .group = change->group,
    };
    queue_items_start(&items, change);
    for (const struct queue_item *item; (item = queue_items_next(&items)); one.order++) {
        bool known = is_known_message(queue, &item->id);
        if (known && has_one_item(change)) return false;
        if (known) continue;
        one.id = item->id;
        one.receipt = item->receipt;
        one.text = item->text;
        message_store_add_last(&queue->live, message_new(&one));
        if (change->dedup.length) add_dedup_entry(queue, change, item);
    }
    queue->next_order = one.order;
    return true;
}

/* The message of the store that an item names, or a change without items. NULL if it is not there. */
static struct message *changed_message(const struct message_store *store, const struct queue_change *change,
                                       size_t item, const struct guid *id) {
    return change->found ? change->found[item] : message_store_find(store, id);
}

static bool apply_deliver(struct queue *queue, const struct queue_change *change) {
    struct queue_items items;
    const struct queue_item *item;
    if (!items_fit(queue, &queue->live, change)) return false;
    queue_items_start(&items, change);
    for (size_t i = 0; (item = queue_items_next(&items)); i++) {
        struct message *message = changed_message(&queue->live, change, i, &item->id);
        if (!message) return false;
        message->receipt = item->receipt;
        message_store_set_deliveries(&queue->live, message, item->deliveries);
        struct visibility visibility = {change->visible_ms, 0, item->last ? MESSAGE_LAST : MESSAGE_QUEUED};
        if (change->kind == QUEUE_UNDELIVER)
            visibility = (struct visibility){item->visible_ms, (int)item->turn, MESSAGE_QUEUED};
        message_store_set_visibility(&queue->live, message, &visibility);
    }
    return true;
}

static void set_visibility(struct queue *queue, struct message *message, const struct queue_change *change,
                           enum message_stage stage) {
    const struct visibility visibility = {change->visible_ms, change->behind ? TURN_LAST : 0, stage};
    message_store_set_visibility(&queue->live, message, &visibility);
}

static bool apply_update(struct queue *queue, const struct queue_change *change) {
    struct message *message = changed_message(&queue->live, change, 0, &change->id);
    if (!message) return false;
    message->receipt = change->receipt;
    set_visibility(queue, message, change, message_stage(message));
    if (change->has_text) message_store_set_text(&queue->live, message, change->text);
    return true;
}

static void bury_message(struct queue *queue, struct message *message, int64_t died_ms) {
    message_store_remove(&queue->live, message);
    message_set_visibility(message, died_ms, MESSAGE_DEAD);
    message->times.turn = 0;
    message_store_add(&queue->dead, message);
}

static bool apply_release(struct queue *queue, const struct queue_change *change) {
    struct message *message = changed_message(&queue->live, change, 0, &change->id);
    if (!message) return false;
    message->receipt = change->receipt;
    message_store_set_reason(&queue->live, message, change->reason);
    if (change->stage == MESSAGE_DEAD)
        bury_message(queue, message, change->visible_ms);
    else
        set_visibility(queue, message, change, MESSAGE_QUEUED);
    return true;
}

static bool apply_message_delete(struct queue *queue, const struct queue_change *change) {
    struct queue_items items;
    const struct queue_item *item;
    if (!items_fit(queue, &queue->live, change)) return false;
    queue_items_start(&items, change);
    for (size_t i = 0; (item = queue_items_next(&items)); i++) {
        struct message *message = changed_message(&queue->live, change, i, &item->id);
        if (!message && has_one_item(change)) return false;
        if (message) remove_and_free(&queue->live, message);
    }
    return true;
}

static bool apply_redrive(struct queue *queue, const struct queue_change *change) {
    struct queue_items items;
    const struct queue_item *item;
    uint64_t order = change->order;
    if (order < queue->next_order || !items_fit(queue, &queue->dead, change)) return false;
    queue_items_start(&items, change);
    for (size_t i = 0; (item = queue_items_next(&items)); i++, order++) {
        struct message *message = changed_message(&queue->dead, change, i, &item->id);
        if (!message && has_one_item(change)) return false;
        if (!message) continue;
        message_store_remove(&queue->dead, message);
        message->times.order = order & TIME_ENTRY_ORDER_MAX;
        message->receipt = item->receipt;
        message_renew(message, change->inserted_ms, item->expires_ms);
        message_store_add_last(&queue->live, message);
    }
    queue->next_order = order;
    return true;
}

static bool settlement_fits(const struct queue *queue, const struct queue_change *change) {
    const struct message_store *live = &queue->live;
    int64_t instant_ms = change->instant_ms;
    return change->ended <= message_store_expired(live, instant_ms) &&
           change->died <= time_index_rank(&live->last_windows, instant_ms) &&
           change->forgotten <= time_index_rank(&queue->dedup_entries.by_end, instant_ms);
}

static bool apply_queue_settle(struct queue *queue, const struct queue_change *change) {
    struct message_store *live = &queue->live;
    if (!settlement_fits(queue, change)) return false;
    for (uint64_t i = 0; i < change->ended; i++) remove_and_free(live, message_store_first_to_expire(live));
    for (uint64_t i = 0; i < change->died; i++) {
        struct message *message = message_of_time_entry(time_index_first(&live->last_windows));
        bury_message(queue, message, message_visible_ms(message));
    }
    for (uint64_t i = 0; i < change->forgotten; i++) dedup_entries_forget_first(&queue->dedup_entries);
    return true;
}

/* Files contain messages in order of arrival. */
static bool apply_message(struct queue *queue, const struct queue_change *change) {
    bool fits =
        change->order < queue->next_order && message_store_arrives_last(&queue->live, change->order) &&
        message_store_arrives_last(&queue->dead, change->order) && !is_known_message(queue, &change->id);
    if (!fits) return false;
    message_store_add(change->stage == MESSAGE_DEAD ? &queue->dead : &queue->live, message_new(change));
    return true;
}

/* Files contain dedup entries in the order in which they are forgotten. */
static bool apply_dedup_entry(struct queue *queue, const struct queue_change *change) {
    const struct time_entry *last = time_index_last(&queue->dedup_entries.by_end);
    bool rises = !last || time_entry_ends_ms(last) < change->until_ms ||
                 (time_entry_ends_ms(last) == change->until_ms && last->order < change->order);
    if (!rises || change->order >= queue->next_order) return false;
    if (dedup_entries_find(&queue->dedup_entries, change->dedup)) return false;
    dedup_entries_add(&queue->dedup_entries, change);
    return true;
}

#define HAS(field) QUEUE_HAS(field)
const struct queue_kind queue_change_kinds[QUEUE_CHANGE_KINDS] = {
    [QUEUE_CREATE] = {.is = {.event = "queue.create",
                             .fields = HAS(METADATA) | HAS(POLICIES) | HAS(LIMIT) | HAS(ORDER),
                             .traits = CHANGE_CREATES}},
    [QUEUE_SETMETA] = {{.event = "queue.setmeta", .fields = HAS(METADATA)}, .apply = apply_queue_setmeta},
    [QUEUE_SETACL] = {{.event = "queue.setacl", .fields = HAS(POLICIES)}, .apply = apply_queue_setacl},
    [QUEUE_CONFIGURE] = {{.event = "queue.configure", .fields = HAS(LIMIT)}, .apply = apply_configure},
    [QUEUE_DROP] = {.is = {.event = "queue.drop", .traits = CHANGE_DROPS}},
    [QUEUE_PUT] = {{.event = "queue.put",
                    .fields = HAS(ORDER) | HAS(INSERTED) | HAS(EXPIRES) | HAS(VISIBLE) | HAS(GROUP) |
                              HAS(DEDUP) | HAS(ITEMS)},
                   .apply = apply_message_put},
    [QUEUE_DELIVER] = {{.event = "queue.get", .fields = HAS(VISIBLE) | HAS(ITEMS)}, .apply = apply_deliver},
    [QUEUE_UPDATE] = {{.event = "queue.update",
                       .fields = HAS(ID) | HAS(RECEIPT) | HAS(VISIBLE) | HAS(MAYBE_TEXT) | HAS(BEHIND)},
                      .apply = apply_update},
    [QUEUE_RELEASE] = {{.event = "queue.release",
                        .fields =
                            HAS(ID) | HAS(RECEIPT) | HAS(VISIBLE) | HAS(STAGE) | HAS(REASON) | HAS(BEHIND)},
                       .apply = apply_release},
    [QUEUE_DELETE] = {{.event = "queue.delete", .fields = HAS(ITEMS)}, .apply = apply_message_delete},
    [QUEUE_CLEAR] = {{.event = "queue.clear"}, .apply = apply_clear},
    [QUEUE_CLEAR_DEAD] = {{.event = "queue.clear"}, .apply = apply_clear},
    [QUEUE_REDRIVE] = {{.event = "queue.redrive", .fields = HAS(ORDER) | HAS(INSERTED) | HAS(ITEMS)},
                       .apply = apply_redrive},
    [QUEUE_SETTLE] = {{.fields = HAS(INSTANT) | HAS(ENDED) | HAS(DIED) | HAS(FORGOTTEN),
                       .traits = CHANGE_UNSEEN},
                      .apply = apply_queue_settle},
    [QUEUE_MESSAGE] = {{.fields = HAS(ORDER) | HAS(ID) | HAS(RECEIPT) | HAS(INSERTED) | HAS(EXPIRES) |
                                  HAS(VISIBLE) | HAS(DELIVERIES) | HAS(STAGE) | HAS(GROUP) | HAS(REASON) |
                                  HAS(TEXT) | HAS(TURN),
                        .traits = CHANGE_IN_FILES},
                       .apply = apply_message},
    [QUEUE_DEDUP_ENTRY] = {{.fields = HAS(ORDER) | HAS(ID) | HAS(RECEIPT) | HAS(INSERTED) | HAS(EXPIRES) |
                                      HAS(VISIBLE) | HAS(DEDUP),
                            .traits = CHANGE_IN_FILES},
                           .apply = apply_dedup_entry},
    [QUEUE_CLEAR_LIVING] = {{.event = "queue.clear", .fields = HAS(ITEMS)}, .apply = apply_message_delete},
    [QUEUE_UNDELIVER] = {{.event = "queue.release", .fields = HAS(ITEMS)}, .apply = apply_deliver},
};

/* If a list names a message twice, the second item is skipped; of two deliveries the second one counts. */
bool queue_apply(struct queue *queue, const struct queue_change *change) {
    queue_change_apply *apply = queue_change_kinds[change->kind].apply;
    return apply && apply(queue, change);
}
