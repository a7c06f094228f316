#include "queue_shadow.h"

#include "require.h"

/* The model's form of an id. */
static void copy_id(char place[MODEL_ID_SIZE], struct guid id) {
    memset(place, 0, MODEL_ID_SIZE);
    memcpy(place, &id, sizeof(id));
}

struct guid queue_shadow_id(const char id[MODEL_ID_SIZE]) {
    struct guid guid;
    memcpy(&guid, id, sizeof(guid));
    return guid;
}

static struct model_message *find(struct queue_shadow *shadow, struct guid id) {
    char text[MODEL_ID_SIZE];
    copy_id(text, id);
    return queue_model_find(&shadow->model, text);
}

static void copy_label(char label[MODEL_LABEL_MAX], struct bytes text) {
    require(text.length < MODEL_LABEL_MAX, "a label that is too long for the model");
    memcpy(label, text.data, text.length);
    label[text.length] = '\0';
}

static void copy_text(struct model_message *message, struct bytes text) {
    require(text.length <= MODEL_TEXT_MAX, "a text that is too long for the model");
    if (text.length) memcpy(message->text, text.data, text.length);
    message->length = text.length;
}

/* --- Changes --- */

static void put(struct queue_shadow *shadow, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    shadow->model.next_order = change->order;
    while (queue_item_next(QUEUE_PUT, &reader, &item)) {
        struct model_message *message = queue_model_add(&shadow->model);
        copy_id(message->id, item.id);
        copy_id(message->receipt, item.receipt);
        message->inserted_ms = change->inserted_ms;
        message->expires_ms = change->expires_ms;
        message->visible_ms = change->visible_ms;
        copy_text(message, item.text);
        copy_label(message->group, change->group);
        queue_model_go_behind(&shadow->model, message);
    }
    if (!change->dedup.length) return;
    size_t at = 0;
    while (at < shadow->dedup_entries_count &&
           !bytes_equal(bytes_text(shadow->dedup_entries[at].dedup), change->dedup))
        at++;
    if (at == shadow->dedup_entries_count) shadow->dedup_entries_count++;
    struct shadow_dedup_entry *dedup_entry = &shadow->dedup_entries[at];
    *dedup_entry = (struct shadow_dedup_entry){
        .id = item.id, .receipt = item.receipt, .order = change->order, .until_ms = change->until_ms};
    copy_label(dedup_entry->dedup, change->dedup);
}

static void deliver(struct queue_shadow *shadow, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    while (queue_item_next(change->kind, &reader, &item)) {
        struct model_message *message = find(shadow, item.id);
        copy_id(message->receipt, item.receipt);
        message->deliveries = item.deliveries;
        bool undoes = change->kind == QUEUE_UNDELIVER;
        message->visible_ms = undoes ? item.visible_ms : change->visible_ms;
        message->turn = undoes ? item.turn : 0;
        message->stage = item.last ? MODEL_LAST : MODEL_QUEUED;
    }
}

static void update(struct queue_shadow *shadow, const struct queue_change *change) {
    struct model_message *message = find(shadow, change->id);
    copy_id(message->receipt, change->receipt);
    message->visible_ms = change->visible_ms;
    message->turn = 0;
    if (change->behind) queue_model_go_behind(&shadow->model, message);
    if (change->has_text) copy_text(message, change->text);
}

static void release(struct queue_shadow *shadow, const struct queue_change *change) {
    struct model_message *message = find(shadow, change->id);
    copy_id(message->receipt, change->receipt);
    message->visible_ms = change->visible_ms;
    message->stage = (enum model_stage)change->stage;
    message->turn = 0;
    if (change->behind) queue_model_go_behind(&shadow->model, message);
    if (change->reason.length) copy_label(message->reason, change->reason);
}

static void remove_items(struct queue_shadow *shadow, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    while (queue_item_next(QUEUE_DELETE, &reader, &item))
        queue_model_take_out(&shadow->model, find(shadow, item.id));
}

static void clear(struct queue_shadow *shadow, bool dead) {
    for (size_t i = shadow->model.count; i-- > 0;)
        if ((shadow->model.messages[i].stage == MODEL_DEAD) == dead)
            queue_model_take_out(&shadow->model, &shadow->model.messages[i]);
}

static void redrive(struct queue_shadow *shadow, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    shadow->model.next_order = change->order;
    while (queue_item_next(QUEUE_REDRIVE, &reader, &item)) {
        struct model_message *message =
            queue_model_redrive(&shadow->model, find(shadow, item.id), change->inserted_ms);
        copy_id(message->receipt, item.receipt);
        message->expires_ms = item.expires_ms;
        queue_model_go_behind(&shadow->model, message);
    }
}

/* The first to end among those that die in their last window, or among the others. */
static struct model_message *first_to_end(struct queue_shadow *shadow, bool by_window) {
    struct model_message *first = NULL;
    for (size_t i = 0; i < shadow->model.count; i++) {
        struct model_message *message = &shadow->model.messages[i];
        if (message->stage == MODEL_DEAD || queue_model_dies_by_window(message) != by_window) continue;
        if (!first || queue_model_end_ms(message) < queue_model_end_ms(first)) first = message;
    }
    return first;
}

static void forget_first(struct queue_shadow *shadow) {
    size_t first = 0;
    for (size_t i = 1; i < shadow->dedup_entries_count; i++) {
        const struct shadow_dedup_entry *one = &shadow->dedup_entries[i],
                                        *other = &shadow->dedup_entries[first];
        if (one->until_ms < other->until_ms ||
            (one->until_ms == other->until_ms && one->order < other->order))
            first = i;
    }
    shadow->dedup_entries[first] = shadow->dedup_entries[--shadow->dedup_entries_count];
}

static void bury(struct model_message *message) {
    message->stage = MODEL_DEAD;
    message->turn = 0;
}

static void settle(struct queue_shadow *shadow, const struct queue_change *change) {
    for (uint64_t i = 0; i < change->ended; i++)
        queue_model_take_out(&shadow->model, first_to_end(shadow, false));
    for (uint64_t i = 0; i < change->died; i++) bury(first_to_end(shadow, true));
    for (uint64_t i = 0; i < change->forgotten; i++) forget_first(shadow);
}

void queue_shadow_apply(struct queue_shadow *shadow, const struct queue_change *change) {
    switch (change->kind) {
    case QUEUE_PUT: put(shadow, change); break;
    case QUEUE_DELIVER:
    case QUEUE_UNDELIVER: deliver(shadow, change); break;
    case QUEUE_UPDATE: update(shadow, change); break;
    case QUEUE_RELEASE: release(shadow, change); break;
    case QUEUE_DELETE:
    case QUEUE_CLEAR_LIVING: remove_items(shadow, change); break;
    case QUEUE_CLEAR: clear(shadow, false); break;
    case QUEUE_CLEAR_DEAD: clear(shadow, true); break;
    case QUEUE_REDRIVE: redrive(shadow, change); break;
    case QUEUE_SETTLE: settle(shadow, change); break;
    default: break;
    }
}

/* --- Questions --- */

static struct queue_depth depth_of(const struct queue_shadow *shadow, int64_t now_ms) {
    struct queue_depth depth = {.arrived_ms = -1};
    for (size_t i = 0; i < shadow->model.count; i++) {
        const struct model_message *message = &shadow->model.messages[i];
        bool dead = queue_model_is_dead(message, now_ms), living = queue_model_is_living(message, now_ms);
        bool visible = queue_model_is_visible(&shadow->model, message, now_ms);
        depth.died += dead && message->stage != MODEL_DEAD;
        depth.dead += dead;
        depth.expired += !dead && !living;
        depth.visible += visible;
        depth.invisible += living && !visible;
        if (living && depth.arrived_ms < 0) depth.arrived_ms = message->inserted_ms;
    }
    return depth;
}

static void compare_message(const struct model_message *expected, const struct message *message) {
    require(message, "a message is missing");
    require(guid_equal(message->id, queue_shadow_id(expected->id)), "another message");
    require(guid_equal(message->receipt, queue_shadow_id(expected->receipt)), "another receipt");
    require_same(message->times.order, expected->order, "order");
    require_same(message_inserted_ms(message), expected->inserted_ms, "inserted");
    require_same(message_expires_ms(message), expected->expires_ms, "expires");
    require_same(message_visible_ms(message), expected->visible_ms, "shows");
    require_same(message_deliveries(message), expected->deliveries, "deliveries");
    require_bytes(message_text(message), bytes_of(expected->text, expected->length), "text");
    require_bytes(message_group(message), bytes_text(expected->group), "group");
    require_bytes(message_reason(message), bytes_text(expected->reason), "reason");
}

static void compare_lists(const struct queue_shadow *shadow, const struct queue *queue, int64_t now_ms) {
    static const struct model_message *list[MODEL_MESSAGES_MAX];
    struct visible_walk visible;
    struct message_walk dead;
    queue_walk_visible(queue, now_ms, &visible);
    queue_walk_dead(queue, now_ms, &dead);
    size_t count = queue_model_list(&shadow->model, false, now_ms, list);
    for (size_t i = 0; i < count; i++) compare_message(list[i], message_walk_next(&visible.messages));
    require(!message_walk_next(&visible.messages), "one more that is visible");
    visible_walk_end(&visible);
    count = queue_model_list(&shadow->model, true, now_ms, list);
    for (size_t i = 0; i < count; i++) compare_message(list[i], message_walk_next(&dead));
    require(!message_walk_next(&dead), "one more that is dead");
}

static void compare_instants(const struct queue_shadow *shadow, const struct queue *queue, int64_t now_ms) {
    int64_t visible_ms = INT64_MAX, end_ms = INT64_MAX;
    for (size_t i = 0; i < shadow->model.count; i++) {
        const struct model_message *message = &shadow->model.messages[i];
        if (queue_model_end_ms(message) < end_ms) end_ms = queue_model_end_ms(message);
        if (message->stage == MODEL_DEAD || queue_model_is_behind(&shadow->model, message, now_ms)) continue;
        if (message->visible_ms <= now_ms || message->visible_ms >= queue_model_end_ms(message)) continue;
        if (message->visible_ms < visible_ms) visible_ms = message->visible_ms;
    }
    for (size_t i = 0; i < shadow->dedup_entries_count; i++)
        if (shadow->dedup_entries[i].until_ms < end_ms) end_ms = shadow->dedup_entries[i].until_ms;
    require_same(queue_next_visible_ms(queue, now_ms), visible_ms, "the next to show");
    require_same(queue_next_end_ms(queue), end_ms, "the next to end");
}

static void compare_each(const struct queue_shadow *shadow, const struct queue *queue, int64_t now_ms) {
    for (size_t i = 0; i < shadow->model.count; i++) {
        const struct model_message *message = &shadow->model.messages[i];
        struct message *found;
        struct guid id = queue_shadow_id(message->id), receipt = queue_shadow_id(message->receipt);
        bool there = queue_model_is_living(message, now_ms);
        enum outcome expected = there ? OUTCOME_DONE : OUTCOME_MESSAGE_NOT_FOUND;
        require(queue_find_owned(queue, &id, &receipt, now_ms, &found) == expected, "message %zu", i);
        if (there) compare_message(message, found);
        require(!queue_find_dead(queue, &id, 0) == (message->stage != MODEL_DEAD), "dead %zu", i);
    }
    for (size_t i = 0; i < shadow->dedup_entries_count; i++) {
        const struct shadow_dedup_entry *expected = &shadow->dedup_entries[i];
        const struct dedup_entry *found = queue_find_dedup_entry(queue, bytes_text(expected->dedup), now_ms);
        require(!found == (expected->until_ms <= now_ms), "dedup entry %zu", i);
        require(!found || guid_equal(found->receipt, expected->receipt), "receipt of dedup entry %zu", i);
    }
}

void queue_shadow_compare(const struct queue_shadow *shadow, const struct queue *queue, int64_t now_ms) {
    struct queue_depth expected = depth_of(shadow, now_ms), depth = queue_depth(queue, now_ms);
    require_same(depth.visible, expected.visible, "visible");
    require_same(depth.invisible, expected.invisible, "invisible");
    require_same(depth.dead, expected.dead, "dead");
    require_same(depth.died, expected.died, "died");
    require_same(depth.expired, expected.expired, "expired");
    require_same(depth.arrived_ms, expected.arrived_ms, "the oldest");
    compare_lists(shadow, queue, now_ms);
    compare_instants(shadow, queue, now_ms);
    compare_each(shadow, queue, now_ms);
}
