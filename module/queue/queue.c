#include "queue/queue.h"

#include "core/memory.h"
#include "queue/queue_registry.h"

/* --- To be, and not to be any more --- */

static void replace_list(struct packed **place, struct packed_list list) {
    struct packed *packed = packed_new(list); /* the new list may be a view of the old one */
    memory_free(*place);
    *place = packed;
}

struct queue *queue_new(const struct queue_change *change) {
    struct queue *queue = memory_zeroed(sizeof(*queue));
    queue->metadata = packed_new(change->metadata);
    queue->policies = packed_new(change->policies);
    queue->most_deliveries = change->most_deliveries;
    queue->orders = change->order;
    shelf_start(&queue->live);
    shelf_start(&queue->dead);
    originals_start(&queue->originals);
    queue_register(queue);
    return queue;
}

void queue_free(struct queue *queue) {
    queue_unregister(queue);
    shelf_end(&queue->live);
    shelf_end(&queue->dead);
    originals_end(&queue->originals);
    memory_free(queue->metadata);
    memory_free(queue->policies);
    memory_free(queue);
}

/* --- What one change does --- */

/* The earlier of two, as far as they are there. */
static struct message *earlier_end(struct moment *one, struct moment *other) {
    if (!one || !other) return message_of_moment(one ? one : other);
    bool first = one->ends_ms != other->ends_ms ? one->ends_ms < other->ends_ms : one->order < other->order;
    return message_of_moment(first ? one : other);
}

static void drop_message(struct shelf *shelf, struct message *message) {
    shelf_take(shelf, message);
    message_free(message);
}

static bool is_known(const struct queue *queue, const struct guid *id) {
    return shelf_find(&queue->live, id) || shelf_find(&queue->dead, id);
}

/* Most lists have one item, and need not be looked at before they are gone through. */
static bool is_alone(const struct queue_change *change) {
    return change->items.count == 1;
}

/* Whether every item of the change names a message of the shelf, or, with no shelf, none at all. */
static bool items_fit(const struct queue *queue, const struct shelf *shelf,
                      const struct queue_change *change) {
    if (is_alone(change)) return true;
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    while (queue_item_next(change->kind, &reader, &item))
        if (shelf ? !shelf_find(shelf, &item.id) : is_known(queue, &item.id)) return false;
    return true;
}

/* What was put with an id for duplicates is alone in its change. */
static void remember_original(struct queue *queue, const struct queue_change *put,
                              const struct queue_item *item) {
    struct queue_change original = *put;
    original.kind = QUEUE_ORIGINAL;
    original.id = item->id;
    original.receipt = item->receipt;
    originals_add(&queue->originals, &original);
}

static bool apply_put(struct queue *queue, const struct queue_change *change) {
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
        bool known = is_known(queue, &item.id);
        if (known && is_alone(change)) return false;
        if (known) continue;
        one.id = item.id;
        one.receipt = item.receipt;
        one.text = item.text;
        shelf_add(&queue->live, message_new(&one));
    }
    queue->orders = one.order;
    if (change->dedup.length) remember_original(queue, change, &item);
    return true;
}

static bool apply_deliver(struct queue *queue, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    if (!items_fit(queue, &queue->live, change)) return false;
    while (queue_item_next(QUEUE_DELIVER, &reader, &item)) {
        struct message *message = shelf_find(&queue->live, &item.id);
        if (!message) return false;
        message->receipt = item.receipt;
        message->deliveries = item.deliveries;
        shelf_move(&queue->live, message, change->shows_ms, item.last ? MESSAGE_LAST : MESSAGE_QUEUED);
    }
    return true;
}

static bool apply_update(struct queue *queue, const struct queue_change *change) {
    struct message *message = shelf_find(&queue->live, &change->id);
    if (!message) return false;
    message->receipt = change->receipt;
    shelf_move(&queue->live, message, change->shows_ms, (enum message_standing)message->standing);
    if (change->has_text) shelf_set_text(&queue->live, message, change->text);
    return true;
}

static void bury(struct queue *queue, struct message *message, int64_t died_ms) {
    shelf_take(&queue->live, message);
    message_set_showing(message, died_ms, MESSAGE_DEAD);
    shelf_add(&queue->dead, message);
}

static bool apply_release(struct queue *queue, const struct queue_change *change) {
    struct message *message = shelf_find(&queue->live, &change->id);
    if (!message) return false;
    message->receipt = change->receipt;
    shelf_set_reason(&queue->live, message, change->reason);
    if (change->standing == MESSAGE_DEAD)
        bury(queue, message, change->shows_ms);
    else
        shelf_move(&queue->live, message, change->shows_ms, MESSAGE_QUEUED);
    return true;
}

static bool apply_delete(struct queue *queue, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    if (!items_fit(queue, &queue->live, change)) return false;
    while (queue_item_next(change->kind, &reader, &item)) {
        struct message *message = shelf_find(&queue->live, &item.id);
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
        struct message *message = shelf_find(&queue->dead, &item.id);
        if (!message && is_alone(change)) return false;
        if (!message) continue;
        shelf_take(&queue->dead, message);
        message->moment.order = order;
        message->receipt = item.receipt;
        message_renew(message, change->inserted_ms, item.expires_ms);
        shelf_add(&queue->live, message);
    }
    queue->orders = order;
    return true;
}

static bool settlement_fits(const struct queue *queue, const struct queue_change *change) {
    const struct shelf *live = &queue->live;
    int64_t instant_ms = change->instant_ms;
    return change->ended <=
               timeline_rank(&live->ends, instant_ms) + timeline_rank(&live->hidden, instant_ms) &&
           change->died <= timeline_rank(&live->last, instant_ms) &&
           change->forgotten <= timeline_rank(&queue->originals.by_end, instant_ms);
}

static bool apply_settle(struct queue *queue, const struct queue_change *change) {
    struct shelf *live = &queue->live;
    if (!settlement_fits(queue, change)) return false;
    for (uint64_t i = 0; i < change->ended; i++)
        drop_message(live, earlier_end(timeline_first(&live->ends), timeline_first(&live->hidden)));
    for (uint64_t i = 0; i < change->died; i++) {
        struct message *message = message_of_moment(timeline_first(&live->last));
        bury(queue, message, message->moment.shows_ms);
    }
    for (uint64_t i = 0; i < change->forgotten; i++) originals_forget_first(&queue->originals);
    return true;
}

static bool order_rises(const struct timeline *timeline, uint64_t order) {
    const struct moment *last = timeline_last(timeline);
    return !last || last->order < order;
}

/* Files bring messages in order of arrival. */
static bool apply_message(struct queue *queue, const struct queue_change *change) {
    bool fits = change->order < queue->orders && order_rises(&queue->live.arrivals, change->order) &&
                order_rises(&queue->dead.arrivals, change->order) && !is_known(queue, &change->id);
    if (!fits) return false;
    shelf_add(change->standing == MESSAGE_DEAD ? &queue->dead : &queue->live, message_new(change));
    return true;
}

/* Files bring them in the order in which they are forgotten. */
static bool apply_original(struct queue *queue, const struct queue_change *change) {
    const struct moment *last = timeline_last(&queue->originals.by_end);
    bool rises = !last || last->ends_ms < change->until_ms ||
                 (last->ends_ms == change->until_ms && last->order < change->order);
    if (!rises || change->order >= queue->orders) return false;
    if (originals_find(&queue->originals, change->dedup)) return false;
    originals_add(&queue->originals, change);
    return true;
}

bool queue_apply(struct queue *queue, const struct queue_change *change) {
    switch (change->kind) {
    case QUEUE_SETMETA: replace_list(&queue->metadata, change->metadata); return true;
    case QUEUE_SETACL: replace_list(&queue->policies, change->policies); return true;
    case QUEUE_CONFIGURE: queue->most_deliveries = change->most_deliveries; return true;
    case QUEUE_PUT: return apply_put(queue, change);
    case QUEUE_DELIVER: return apply_deliver(queue, change);
    case QUEUE_UPDATE: return apply_update(queue, change);
    case QUEUE_RELEASE: return apply_release(queue, change);
    case QUEUE_DELETE:
    case QUEUE_CLEAR_LIVING: return apply_delete(queue, change);
    case QUEUE_CLEAR: queue_discard(&queue->live); return true;
    case QUEUE_CLEAR_DEAD: queue_discard(&queue->dead); return true;
    case QUEUE_REDRIVE: return apply_redrive(queue, change);
    case QUEUE_SETTLE: return apply_settle(queue, change);
    case QUEUE_MESSAGE: return apply_message(queue, change);
    case QUEUE_ORIGINAL: return apply_original(queue, change);
    default: return false;
    }
}

/* --- A queue as changes --- */

static void walk_messages(const struct queue *queue,
                          void (*take)(void *context, const struct queue_change *change), void *context) {
    struct timeline_cursor live = {0}, dead = {0};
    struct moment *one = timeline_next(&queue->live.arrivals, &live);
    struct moment *other = timeline_next(&queue->dead.arrivals, &dead);
    while (one || other) {
        bool lives = !other || (one && one->order < other->order);
        struct queue_change change = message_as_change(message_of_moment(lives ? one : other));
        take(context, &change);
        if (lives)
            one = timeline_next(&queue->live.arrivals, &live);
        else
            other = timeline_next(&queue->dead.arrivals, &dead);
    }
}

void queue_walk(const struct queue *queue, void (*take)(void *context, const struct queue_change *change),
                void *context) {
    struct queue_change change = {
        .kind = QUEUE_CREATE,
        .metadata = packed_view(queue->metadata),
        .policies = packed_view(queue->policies),
        .most_deliveries = queue->most_deliveries,
        .order = queue->orders,
    };
    struct timeline_cursor cursor = {0};
    take(context, &change);
    walk_messages(queue, take, context);
    for (struct moment *moment; (moment = timeline_next(&queue->originals.by_end, &cursor));) {
        change = original_as_change(original_of_moment(moment));
        take(context, &change);
    }
}

static void take_over(void *context, const struct queue_change *change) {
    struct queue **copy = context;
    if (change->kind == QUEUE_CREATE)
        *copy = queue_new(change);
    else
        queue_apply(*copy, change);
}

struct queue *queue_copy(const struct queue *source) {
    struct queue *copy = NULL;
    queue_walk(source, take_over, &copy);
    return copy;
}

/* --- Memory --- */

static size_t held_by(const void *memory) {
    return memory ? memory_size(memory) : 0;
}

size_t queue_held(const struct queue *queue) {
    return memory_size(queue) + held_by(queue->metadata) + held_by(queue->policies) +
           shelf_held(&queue->live) + shelf_held(&queue->dead) + originals_held(&queue->originals);
}

size_t queue_parts(const struct queue *queue) {
    return 1 + shelf_count(&queue->live) + shelf_count(&queue->dead) + queue->originals.by_end.count;
}

struct queue *queue_relocate(struct queue *queue, const struct relocation *relocation) {
    queue_unregister(queue);
    queue = relocate(relocation, queue);
    queue_register(queue);
    queue->metadata = relocate(relocation, queue->metadata);
    queue->policies = relocate(relocation, queue->policies);
    return queue;
}

static size_t places_of(const struct shelf *shelf) {
    return shelf->by_id.segments ? shelf->by_id.buckets : 0;
}

size_t queue_places(const struct queue *queue) {
    return places_of(&queue->live) + places_of(&queue->dead);
}

void queue_relocate_messages(struct queue *queue, size_t place, const struct relocation *relocation) {
    size_t live = places_of(&queue->live);
    if (place < live)
        shelf_relocate(&queue->live, place, relocation);
    else
        shelf_relocate(&queue->dead, place - live, relocation);
}
